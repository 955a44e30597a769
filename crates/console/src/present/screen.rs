//! An output stream's format: its width and its colours.

use crate::settings::value::ColourMode;
use std::{io::IsTerminal, os::fd::AsFd};

/// An output stream's format.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScreenFormat {
    /// The number of columns, or `None` if the stream is not a terminal.
    pub width: Option<usize>,
    /// Whether escape codes colour the text.
    pub colours: bool,
}

/// A text style. The text itself carries the same meaning, for streams without colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextStyle {
    #[default]
    /// As the terminal shows text.
    Plain,
    /// For what a reader looks for.
    Bold,
    /// For what a reader can skip.
    Dim,
    /// For denials and failures.
    Red,
    /// For approvals and success.
    Green,
    /// For what needs attention.
    Yellow,
    /// For names.
    Cyan,
}

impl ScreenFormat {
    /// Returns the format of this stream.
    pub fn for_stream(stream: &(impl AsFd + IsTerminal), colours: bool) -> Self {
        Self { width: read_columns(stream), colours }
    }

    /// The text with the escape codes of the style.
    #[must_use]
    pub fn paint(&self, style: TextStyle, text: &str) -> String {
        let code = match style {
            _ if !self.colours || text.is_empty() => return text.to_owned(),
            TextStyle::Plain => return text.to_owned(),
            TextStyle::Bold => 1,
            TextStyle::Dim => 2,
            TextStyle::Red => 31,
            TextStyle::Green => 32,
            TextStyle::Yellow => 33,
            TextStyle::Cyan => 36,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Returns true if this stream is coloured.
#[must_use]
pub(crate) fn use_colours(mode: ColourMode, terminal: bool) -> bool {
    match mode {
        ColourMode::Always => true,
        ColourMode::Never => false,
        ColourMode::Auto => terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

fn read_columns(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok().filter(|_| stream.is_terminal())?;
    // A terminal of unknown size reports 0.
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
