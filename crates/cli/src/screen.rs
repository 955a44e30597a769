//! What a terminal can show: how wide it is, and whether it has colours.

use crate::{args::Args, settings::Colour};
use std::{
    io::{IsTerminal, stderr, stdout},
    os::fd::AsFd,
};

/// Where something is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Screen {
    /// How many columns there are; nothing where no terminal is.
    pub(crate) width: Option<usize>,
    pub(crate) colours: bool,
}

/// How something looks where there are colours. What it says, it also says without.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Style {
    #[default]
    Plain,
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Screen {
    /// Stdout, for what was asked for.
    pub(crate) fn of(args: &Args) -> Self {
        let width = if args.json { None } else { columns(&stdout()) };
        Self { width, colours: colours(args, stdout().is_terminal()) }
    }

    /// Stderr, for what is said besides.
    pub(crate) fn of_stderr(args: &Args) -> Self {
        Self { width: columns(&stderr()), colours: colours(args, stderr().is_terminal()) }
    }

    /// The text as it looks there.
    pub(crate) fn paint(&self, style: Style, text: &str) -> String {
        let code = match style {
            _ if !self.colours || text.is_empty() => return text.to_owned(),
            Style::Plain => return text.to_owned(),
            Style::Bold => 1,
            Style::Dim => 2,
            Style::Red => 31,
            Style::Green => 32,
            Style::Yellow => 33,
            Style::Cyan => 36,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }
}

/// Whether that stream is shown in colours.
pub(crate) fn colours(args: &Args, terminal: bool) -> bool {
    match args.settings.colour() {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
    }
}

fn columns(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok().filter(|_| stream.is_terminal())?;
    // A terminal that does not know its size says 0.
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
