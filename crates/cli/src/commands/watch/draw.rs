//! Drawing a view: where things stand, and in which colours.

use super::{
    document::{Role, Row},
    inbox::Tone,
    view::{Body, Ink, Item, Piece, View, risk_word},
    wrap::{cut, width},
};
use countersign_gate::event::RiskLevel;
use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
};

/// Whether there are colours. Without, what matters is still bold, or turned round, or a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) colours: bool,
}

impl Theme {
    fn coloured(self, colour: Color, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        if self.colours { style.fg(colour) } else { style }
    }

    fn ink(self, ink: Ink) -> Style {
        match ink {
            Ink::Plain => Style::new(),
            Ink::Strong => Style::new().add_modifier(Modifier::BOLD),
            Ink::Faint => self.faint(),
            Ink::Risk(risk) => self.risk(risk),
            Ink::Said(Tone::Calm) => self.coloured(Color::Cyan, Modifier::empty()),
            Ink::Said(Tone::Good) => self.coloured(Color::Green, Modifier::empty()),
            Ink::Urgent | Ink::Said(Tone::Bad) => self.coloured(Color::Yellow, Modifier::BOLD),
        }
    }

    /// Dim is a colour too, to those who turned colours off because theirs cannot be read.
    fn faint(self) -> Style {
        if self.colours { Style::new().add_modifier(Modifier::DIM) } else { Style::new() }
    }

    fn risk(self, risk: RiskLevel) -> Style {
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

/// Draws all of it.
pub(super) fn draw(frame: &mut Frame<'_>, view: &View, theme: Theme) {
    let area = frame.area();
    if view.keys.is_empty() {
        centred(frame, area, &view.body, theme);
        return;
    }
    let mut pen = Pen { frame, theme, area };
    pen.bar(&view.top);
    let foot = pen.foot(view);
    let middle = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
    let pane = match &view.list {
        Some((columns, items)) => pen.list(middle, *columns, items),
        None => middle,
    };
    pen.call(pane, view);
}

struct Pen<'a, 'b> {
    frame: &'a mut Frame<'b>,
    theme: Theme,
    area: Rect,
}

impl Pen<'_, '_> {
    fn line(&mut self, area: Rect, line: usize, content: Line<'_>) {
        let Some(y) = u16::try_from(line).ok().filter(|line| *line < area.height) else { return };
        self.frame.render_widget(content, Rect { y: area.y + y, height: 1, ..area });
    }

    /// Two texts on one line, the second at its end.
    fn both(&mut self, area: Rect, left: Line<'_>, right: &str, style: Style) {
        self.line(area, 0, left);
        self.line(area, 0, Line::styled(right, style).right_aligned());
    }

    /// A column is left free at either side.
    fn inset(area: Rect) -> Rect {
        Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
    }

    fn bar(&mut self, (left, right): &(String, String)) {
        let style = Style::new().add_modifier(Modifier::REVERSED);
        let line = Rect { height: 1, ..self.area };
        self.frame.buffer_mut().set_style(line, style);
        let bold = style.add_modifier(Modifier::BOLD);
        self.both(Self::inset(line), Line::styled(left.as_str(), bold), right, style);
    }

    /// What is said and the keys, from below; how many lines they take.
    fn foot(&mut self, view: &View) -> u16 {
        let lines = view.bottom.len() + view.keys.len();
        let height = u16::try_from(lines).unwrap_or(u16::MAX).min(self.area.height);
        let top = self.area.y + self.area.height - height;
        let area = Self::inset(Rect { y: top, height, ..self.area });
        for (index, pieces) in view.bottom.iter().enumerate() {
            let line = self.pieces(pieces, " · ");
            self.line(area, index, line);
        }
        for (index, text) in view.keys.iter().enumerate() {
            let line = self.keys(text, view.keys_faint);
            self.line(area, view.bottom.len() + index, line);
        }
        if let Some((line, column)) = view.cursor {
            let at = |n: usize| u16::try_from(n).unwrap_or(0);
            self.frame.set_cursor_position(Position::new(area.x + at(column), area.y + at(line)));
        }
        height
    }

    fn pieces<'t>(&self, pieces: &'t [Piece], between: &'t str) -> Line<'t> {
        let mut spans = Vec::new();
        for (ink, text) in pieces {
            if !spans.is_empty() {
                spans.push(Span::styled(between, self.theme.faint()));
            }
            spans.push(Span::styled(text.as_str(), self.theme.ink(*ink)));
        }
        Line::from(spans)
    }

    /// The keys are bold, and what they do is not.
    fn keys<'t>(&self, text: &'t str, faint: bool) -> Line<'t> {
        let mut spans = Vec::new();
        for part in text.split(" · ") {
            if !spans.is_empty() {
                spans.push(Span::raw("   "));
            }
            let (key, what) = part.split_once(' ').unwrap_or((part, ""));
            let style = if faint { self.theme.faint() } else { self.theme.ink(Ink::Strong) };
            spans.push(Span::styled(key, style));
            spans.push(Span::styled(format!(" {what}"), self.theme.faint()));
        }
        Line::from(spans)
    }

    /// The list at the left; gives what is left of the window.
    fn list(&mut self, area: Rect, columns: usize, items: &[Item]) -> Rect {
        let columns = u16::try_from(columns).unwrap_or(0).min(area.width);
        let left = Self::inset(Rect { width: columns + 1, ..area });
        let room = usize::from(area.height / 2);
        let at = items.iter().position(|item| item.shown).unwrap_or(0);
        let first = (at + 1).saturating_sub(room);
        for (index, item) in items.iter().skip(first).take(room).enumerate() {
            self.item(left, index * 2, item);
        }
        for y in area.y..area.y + area.height {
            let bar = Rect { x: area.x + columns + 1, y, width: 1, height: 1 };
            self.frame.render_widget(Span::styled("│", self.theme.faint()), bar);
        }
        let taken = columns + 2;
        Rect { x: area.x + taken, width: area.width.saturating_sub(taken), ..area }
    }

    fn item(&mut self, area: Rect, line: usize, item: &Item) {
        let mark = if item.shown { "▸ " } else { "  " };
        let risk = item.risk.filter(|risk| *risk != RiskLevel::Low);
        let word = risk.map_or("", |risk| risk_word(risk).split(' ').next().unwrap_or_default());
        let room = usize::from(area.width).saturating_sub(4 + width(word));
        let ink = if item.shown { Ink::Strong } else { Ink::Plain };
        let mut spans =
            vec![Span::styled(format!("{mark}{}  ", cut(&item.title, room)), self.theme.ink(ink))];
        if let Some(risk) = risk {
            spans.push(Span::styled(word, self.theme.risk(risk)));
        }
        self.line(area, line, Line::from(spans));
        let about = cut(&item.about, usize::from(area.width).saturating_sub(2));
        self.line(area, line + 1, Line::styled(format!("  {about}"), self.theme.faint()));
    }

    fn call(&mut self, area: Rect, view: &View) {
        let inner = Self::inset(area);
        for (index, pieces) in view.heading.iter().enumerate() {
            let line = self.pieces(pieces, " · ");
            if index == 0 {
                self.both(inner, line, &view.heading_right, Style::new().add_modifier(Modifier::BOLD));
            } else {
                self.line(inner, index, line);
            }
        }
        let head = view.heading.len() + usize::from(!view.heading.is_empty());
        if head > 0 {
            self.rule(area, head - 1, "");
        }
        let last = usize::from(area.height).saturating_sub(1);
        self.rule(area, last, &view.position);
        let top = u16::try_from(head).unwrap_or(u16::MAX).min(area.height);
        let body = Rect { y: inner.y + top, height: area.height.saturating_sub(top + 1), ..inner };
        match &view.body {
            Body::Rows(rows) => {
                for (index, row) in rows.iter().enumerate() {
                    let content = self.row(row, body.width);
                    self.line(body, index, content);
                }
            }
            centre @ Body::Centred(_) => centred(self.frame, body, centre, self.theme),
        }
    }

    fn row<'t>(&self, row: &'t Row, columns: u16) -> Line<'t> {
        let faint = self.theme.faint();
        match row.role {
            Role::Heading => {
                let rest = usize::from(columns).saturating_sub(width(&row.text) + 1);
                Line::from(vec![
                    Span::styled(row.text.as_str(), self.theme.ink(Ink::Strong)),
                    Span::styled(format!(" {}", "╌".repeat(rest)), faint),
                ])
            }
            Role::Fact => {
                Line::from(vec![Span::styled(row.lead.as_str(), faint), Span::raw(row.text.as_str())])
            }
            Role::Argument => {
                let key = self.theme.coloured(Color::Cyan, Modifier::empty());
                Line::from(vec![Span::styled(row.lead.as_str(), key), Span::raw(row.text.as_str())])
            }
            Role::Warning => {
                let style = self.theme.ink(Ink::Urgent);
                Line::from(vec![
                    Span::styled(row.lead.as_str(), style),
                    Span::styled(row.text.as_str(), style),
                ])
            }
        }
    }

    /// A line across, with a word at its end if there is one.
    fn rule(&mut self, area: Rect, line: usize, word: &str) {
        let columns = usize::from(area.width);
        let word = if word.is_empty() { String::new() } else { format!(" {word} ") };
        let before = columns.saturating_sub(width(&word) + if word.is_empty() { 0 } else { 2 });
        let mut spans = vec![Span::styled("─".repeat(before), self.theme.faint())];
        if !word.is_empty() {
            spans.push(Span::styled(word, self.theme.ink(Ink::Strong)));
            spans.push(Span::styled("──", self.theme.faint()));
        }
        self.line(area, line, Line::from(spans));
    }
}

/// Texts in the middle of the area.
fn centred(frame: &mut Frame<'_>, area: Rect, body: &Body, theme: Theme) {
    let Body::Centred(pieces) = body else { return };
    let top = usize::from(area.height).saturating_sub(pieces.len()) / 2;
    for (index, (ink, text)) in pieces.iter().enumerate() {
        let Some(y) = u16::try_from(top + index).ok().filter(|y| *y < area.height) else { return };
        let line = Line::styled(text.as_str(), theme.ink(*ink)).centered();
        frame.render_widget(line, Rect { y: area.y + y, height: 1, ..area });
    }
}
