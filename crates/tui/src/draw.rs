//! Draws an inbox picture: positions and colours.

use crate::{
    document::{DocumentRow, LineRole},
    painter::{ColourTheme, FramePainter},
    picture::{InboxPicture, PictureBody, TextInk},
};
use countersign_console::text_width;
use ratatui::{
    Frame,
    layout::{Position, Rect},
    style::{Modifier, Style},
    text::{Line, Span},
};

/// Draws the whole picture.
pub(crate) fn draw_picture(frame: &mut Frame<'_>, view: &InboxPicture, theme: ColourTheme) {
    let area = frame.area();
    if view.keys.is_empty() {
        centred(frame, area, &view.body, theme);
        return;
    }
    let mut pen = FramePainter { frame, theme, area };
    pen.bar(view);
    let foot = pen.foot(view);
    let middle = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
    let pane = match &view.list {
        Some(list) => pen.list(middle, list),
        None => middle,
    };
    pen.call(pane, view);
}

impl FramePainter<'_, '_> {
    fn bar(&mut self, view: &InboxPicture) {
        let (left, right) = &view.top;
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
                let key = self.theme.argument();
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
}

/// Draws text in the middle of an area.
fn centred(frame: &mut Frame<'_>, area: Rect, body: &PictureBody, theme: ColourTheme) {
    let PictureBody::Centred(pieces) = body else { return };
    let top = usize::from(area.height).saturating_sub(pieces.len()) / 2;
    for (index, (ink, text)) in pieces.iter().enumerate() {
        let Some(y) = u16::try_from(top + index).ok().filter(|y| *y < area.height) else { return };
        let line = Line::styled(text.as_str(), theme.ink(*ink)).centered();
        frame.render_widget(line, Rect { y: area.y + y, height: 1, ..area });
    }
}
