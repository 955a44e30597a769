//! Draws the list of calls: beside the call, or above it in a narrow window.

use crate::{
    painter::FramePainter,
    picture::{ListItem, ListPane, TextInk, risk_word},
};
use countersign_console::{text_width, truncate_text};
use countersign_events::RiskLevel;
use ratatui::{
    layout::Rect,
    text::{Line, Span},
};

impl FramePainter<'_, '_> {
    /// Draws the list, and returns the remaining area.
    pub(crate) fn list(&mut self, area: Rect, list: &ListPane) -> Rect {
        match list {
            ListPane::Beside { columns, items, recent } => self.list_beside(area, *columns, items, recent),
            ListPane::Above(items) => self.list_above(area, items),
        }
    }

    /// Draws two lines for each call at the left, and the recent decisions below them.
    fn list_beside(&mut self, area: Rect, columns: usize, items: &[ListItem], recent: &[String]) -> Rect {
        let columns = u16::try_from(columns).unwrap_or(0).min(area.width);
        let left = Self::inset(Rect { width: columns + 1, ..area });
        for (index, item) in items.iter().enumerate() {
            let mark = if item.shown { "▸ " } else { "  " };
            let line = self.item(item, mark, usize::from(left.width), &item.risk_mark());
            self.line(left, index * 2, line);
            let about = truncate_text(&item.about, usize::from(left.width).saturating_sub(2));
            self.line(left, index * 2 + 1, Line::styled(format!("  {about}"), self.theme.faint()));
        }
        let first = usize::from(area.height).saturating_sub(recent.len());
        for (index, text) in recent.iter().enumerate() {
            let style = if index == 0 { self.theme.ink(TextInk::Strong) } else { self.theme.faint() };
            self.line(left, first + index, Line::styled(text.as_str(), style));
        }
        for y in area.y..area.y + area.height {
            let bar = Rect { x: area.x + columns + 1, y, width: 1, height: 1 };
            self.frame.render_widget(Span::styled("│", self.theme.faint()), bar);
        }
        let taken = columns + 2;
        Rect { x: area.x + taken, width: area.width.saturating_sub(taken), ..area }
    }

    /// Draws one line for each call, and a rule below them.
    fn list_above(&mut self, area: Rect, items: &[ListItem]) -> Rect {
        let inner = Self::inset(area);
        let width = usize::from(inner.width);
        for (index, item) in items.iter().enumerate() {
            let mark = if item.shown { "▸ " } else { "  " };
            let right = truncate_text(&item.when, width / 3);
            let room = width.saturating_sub(text_width(&right) + 2);
            let line = self.item(item, mark, room, &item.risk_mark());
            self.line(inner, index, line);
            self.line(inner, index, Line::styled(right, self.theme.faint()).right_aligned());
        }
        self.rule(area, items.len(), "");
        let taken = u16::try_from(items.len() + 1).unwrap_or(u16::MAX).min(area.height);
        Rect { y: area.y + taken, height: area.height - taken, ..area }
    }

    /// The tool, its most telling argument and the risk, in at most so many columns. The risk is never cut off.
    fn item<'t>(&self, item: &'t ListItem, mark: &'t str, columns: usize, risk: &str) -> Line<'t> {
        let room =
            columns.saturating_sub(text_width(mark) + text_width(risk) + usize::from(!risk.is_empty()) * 2);
        let title = truncate_text(&item.title, room);
        let room = room.saturating_sub(text_width(&title) + 1);
        let ink = if item.shown { TextInk::Strong } else { TextInk::Plain };
        let mut spans = vec![Span::styled(format!("{mark}{title}"), self.theme.ink(ink))];
        if room >= 2 && !item.argument.is_empty() {
            spans.push(Span::styled(
                format!(" {}", truncate_text(&item.argument, room)),
                self.theme.argument(),
            ));
        }
        if let Some(level) = item.risk.filter(|_| !risk.is_empty()) {
            spans.push(Span::raw("  "));
            spans.push(Span::styled(risk.to_owned(), self.theme.risk(level)));
        }
        Line::from(spans)
    }
}

impl ListItem {
    /// The risk in one word. A low risk needs no mark.
    fn risk_mark(&self) -> String {
        let risk = self.risk.filter(|risk| *risk != RiskLevel::Low);
        risk.map_or("", |risk| risk_word(risk).split(' ').next().unwrap_or_default()).to_owned()
    }
}
