//! The painter: lines, rules and colours.

use crate::{
    inbox::state::StatusTone,
    picture::{TextInk, TextPart},
};
use countersign_console::text_width;
use countersign_events::RiskLevel;
use ratatui::{
    Frame,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::{Line, Span},
};

/// Whether colours are used. Without them, bold text, reverse video and words carry the meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColourTheme {
    pub(crate) colours: bool,
}

impl ColourTheme {
    pub(crate) fn coloured(self, colour: Color, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        if self.colours { style.fg(colour) } else { style }
    }

    pub(crate) fn ink(self, ink: TextInk) -> Style {
        match ink {
            TextInk::Plain => Style::new(),
            TextInk::Strong => Style::new().add_modifier(Modifier::BOLD),
            TextInk::Faint => self.faint(),
            TextInk::Risk(risk) => self.risk(risk),
            TextInk::Said(StatusTone::Calm) => self.coloured(Color::Cyan, Modifier::empty()),
            TextInk::Said(StatusTone::Good) => self.coloured(Color::Green, Modifier::empty()),
            TextInk::Urgent | TextInk::Said(StatusTone::Bad) => self.coloured(Color::Yellow, Modifier::BOLD),
        }
    }

    /// People turn colours off because they cannot read them, and dim text is hard to read too.
    pub(crate) fn faint(self) -> Style {
        if self.colours { Style::new().add_modifier(Modifier::DIM) } else { Style::new() }
    }

    /// The colour of arguments.
    pub(crate) fn argument(self) -> Style {
        self.coloured(Color::Cyan, Modifier::empty())
    }

    pub(crate) fn risk(self, risk: RiskLevel) -> Style {
        match risk {
            RiskLevel::Low => self.coloured(Color::Green, Modifier::empty()),
            RiskLevel::Medium => self.coloured(Color::Yellow, Modifier::BOLD),
            RiskLevel::High => self.coloured(Color::Red, Modifier::BOLD),
            RiskLevel::Critical | RiskLevel::Other => {
                self.coloured(Color::Red, Modifier::BOLD.union(Modifier::REVERSED))
            }
        }
    }
}

/// Draws parts of a frame.
pub(crate) struct FramePainter<'a, 'b> {
    pub(crate) frame: &'a mut Frame<'b>,
    pub(crate) theme: ColourTheme,
    pub(crate) area: Rect,
}

impl FramePainter<'_, '_> {
    pub(crate) fn line(&mut self, area: Rect, line: usize, content: Line<'_>) {
        let Some(y) = u16::try_from(line).ok().filter(|line| *line < area.height) else { return };
        self.frame.render_widget(content, Rect { y: area.y + y, height: 1, ..area });
    }

    /// Draws two strings on one line, the second right-aligned.
    pub(crate) fn both(&mut self, area: Rect, left: Line<'_>, right: &str, style: Style) {
        self.line(area, 0, left);
        self.line(area, 0, Line::styled(right, style).right_aligned());
    }

    /// The area without its first and last column.
    pub(crate) fn inset(area: Rect) -> Rect {
        Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
    }

    pub(crate) fn pieces<'t>(&self, pieces: &'t [TextPart], between: &'t str) -> Line<'t> {
        let mut spans = Vec::new();
        for (ink, text) in pieces {
            if !spans.is_empty() {
                spans.push(Span::styled(between, self.theme.faint()));
            }
            spans.push(Span::styled(text.as_str(), self.theme.ink(*ink)));
        }
        Line::from(spans)
    }

    /// Draws a horizontal rule, with a word at its end if there is one.
    pub(crate) fn rule(&mut self, area: Rect, line: usize, word: &str) {
        let columns = usize::from(area.width);
        let word = if word.is_empty() { String::new() } else { format!(" {word} ") };
        let before = columns.saturating_sub(text_width(&word) + if word.is_empty() { 0 } else { 2 });
        let mut spans = vec![Span::styled("─".repeat(before), self.theme.faint())];
        if !word.is_empty() {
            spans.push(Span::styled(word, self.theme.ink(TextInk::Strong)));
            spans.push(Span::styled("──", self.theme.faint()));
        }
        self.line(area, line, Line::from(spans));
    }
}
