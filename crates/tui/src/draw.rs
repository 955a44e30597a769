//! Draws a picture of the inbox: positions and colours.

use crate::{
    document::{DocumentRow, LineRole},
    inbox::state::StatusTone,
    picture::{InboxPicture, ListItem, PictureBody, TextInk, TextPart, risk_word},
    wrap::{text_width, truncate_text},
};
use countersign_gate::event::RiskLevel;
use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::{Color, Modifier, Style},
    text::{Line, Span},
};

/// True if colours are used. Without them, bold text, reverse video and words carry the meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColourTheme {
    pub(crate) colours: bool,
}

impl ColourTheme {
    fn coloured(self, colour: Color, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        if self.colours { style.fg(colour) } else { style }
    }

    fn ink(self, ink: TextInk) -> Style {
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

/// Draws the whole picture.
pub(crate) fn draw_picture(frame: &mut Frame<'_>, view: &InboxPicture, theme: ColourTheme) {
    let area = frame.area();
    if view.keys.is_empty() {
        centred(frame, area, &view.body, theme);
        return;
    }
    let mut pen = FramePainter { frame, theme, area };
    pen.bar(&view.top);
    let foot = pen.foot(view);
    let middle = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
    let pane = match &view.list {
        Some((columns, items)) => pen.list(middle, *columns, items),
        None => middle,
    };
    pen.call(pane, view);
}

struct FramePainter<'a, 'b> {
    frame: &'a mut Frame<'b>,
    theme: ColourTheme,
    area: Rect,
}

impl FramePainter<'_, '_> {
    fn line(&mut self, area: Rect, line: usize, content: Line<'_>) {
        let Some(y) = u16::try_from(line).ok().filter(|line| *line < area.height) else { return };
        self.frame.render_widget(content, Rect { y: area.y + y, height: 1, ..area });
    }

    /// Draws two texts on one line, the second right-aligned.
    fn both(&mut self, area: Rect, left: Line<'_>, right: &str, style: Style) {
        self.line(area, 0, left);
        self.line(area, 0, Line::styled(right, style).right_aligned());
    }

    /// The area without its first and last column.
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

    /// Draws the status lines and the keys at the bottom, and returns their height.
    fn foot(&mut self, view: &InboxPicture) -> u16 {
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

    fn pieces<'t>(&self, pieces: &'t [TextPart], between: &'t str) -> Line<'t> {
        let mut spans = Vec::new();
        for (ink, text) in pieces {
            if !spans.is_empty() {
                spans.push(Span::styled(between, self.theme.faint()));
            }
            spans.push(Span::styled(text.as_str(), self.theme.ink(*ink)));
        }
        Line::from(spans)
    }

    /// A line of keys: the key bold, its meaning plain.
    fn keys<'t>(&self, text: &'t str, faint: bool) -> Line<'t> {
        let mut spans = Vec::new();
        for part in text.split(" · ") {
            if !spans.is_empty() {
                spans.push(Span::raw("   "));
            }
            let (key, what) = part.split_once(' ').unwrap_or((part, ""));
            let style = if faint { self.theme.faint() } else { self.theme.ink(TextInk::Strong) };
            spans.push(Span::styled(key, style));
            spans.push(Span::styled(format!(" {what}"), self.theme.faint()));
        }
        Line::from(spans)
    }

    /// Draws the list at the left, and returns the rest of the window.
    fn list(&mut self, area: Rect, columns: usize, items: &[ListItem]) -> Rect {
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

    fn item(&mut self, area: Rect, line: usize, item: &ListItem) {
        let mark = if item.shown { "▸ " } else { "  " };
        let risk = item.risk.filter(|risk| *risk != RiskLevel::Low);
        let word = risk.map_or("", |risk| risk_word(risk).split(' ').next().unwrap_or_default());
        let room = usize::from(area.width).saturating_sub(4 + text_width(word));
        let ink = if item.shown { TextInk::Strong } else { TextInk::Plain };
        let mut spans =
            vec![Span::styled(format!("{mark}{}  ", truncate_text(&item.title, room)), self.theme.ink(ink))];
        if let Some(risk) = risk {
            spans.push(Span::styled(word, self.theme.risk(risk)));
        }
        self.line(area, line, Line::from(spans));
        let about = truncate_text(&item.about, usize::from(area.width).saturating_sub(2));
        self.line(area, line + 1, Line::styled(format!("  {about}"), self.theme.faint()));
    }

    fn call(&mut self, area: Rect, view: &InboxPicture) {
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
            PictureBody::Rows(rows) => {
                for (index, row) in rows.iter().enumerate() {
                    let content = self.row(row, body.width);
                    self.line(body, index, content);
                }
            }
            centre @ PictureBody::Centred(_) => centred(self.frame, body, centre, self.theme),
        }
    }

    fn row<'t>(&self, row: &'t DocumentRow, columns: u16) -> Line<'t> {
        let faint = self.theme.faint();
        match row.role {
            LineRole::Heading => {
                let rest = usize::from(columns).saturating_sub(text_width(&row.text) + 1);
                Line::from(vec![
                    Span::styled(row.text.as_str(), self.theme.ink(TextInk::Strong)),
                    Span::styled(format!(" {}", "╌".repeat(rest)), faint),
                ])
            }
            LineRole::Fact => {
                Line::from(vec![Span::styled(row.lead.as_str(), faint), Span::raw(row.text.as_str())])
            }
            LineRole::Argument => {
                let key = self.theme.coloured(Color::Cyan, Modifier::empty());
                Line::from(vec![Span::styled(row.lead.as_str(), key), Span::raw(row.text.as_str())])
            }
            LineRole::Warning => {
                let style = self.theme.ink(TextInk::Urgent);
                Line::from(vec![
                    Span::styled(row.lead.as_str(), style),
                    Span::styled(row.text.as_str(), style),
                ])
            }
        }
    }

    /// Draws a horizontal rule, with a word at its end if there is one.
    fn rule(&mut self, area: Rect, line: usize, word: &str) {
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

/// Draws text in the middle of the area.
fn centred(frame: &mut Frame<'_>, area: Rect, body: &PictureBody, theme: ColourTheme) {
    let PictureBody::Centred(pieces) = body else { return };
    let top = usize::from(area.height).saturating_sub(pieces.len()) / 2;
    for (index, (ink, text)) in pieces.iter().enumerate() {
        let Some(y) = u16::try_from(top + index).ok().filter(|y| *y < area.height) else { return };
        let line = Line::styled(text.as_str(), theme.ink(*ink)).centered();
        frame.render_widget(line, Rect { y: area.y + y, height: 1, ..area });
    }
}
