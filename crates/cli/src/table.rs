//! Tables that fit: columns shrink to the width of the terminal, and are whole where there is none.

use crate::screen::{Screen, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What a column does where there is too little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Stays whole for as long as others can give.
    Whole,
    /// The same, with what is in it on the right.
    Number,
    /// Ends in `…`.
    Cut,
    /// Goes on in the next line.
    Wrap,
    /// Is left out where the terminal is small, and ends in `…` elsewhere.
    Spare,
}

/// One field: what it says, and how it looks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn styled(style: Style, text: impl Into<String>) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(Style::Plain, text)
    }
}

/// Rows under a head.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<(&'static str, Fit)>,
    rows: Vec<Vec<Cell>>,
}

/// What stands between two columns.
const GAP: usize = 2;
/// No column that gives way gets narrower than this, unless nothing else helps.
const NARROW: usize = 8;
/// Terminals with fewer columns than this are small.
const SMALL: usize = 80;

impl Table {
    pub(crate) fn new(columns: &[(&'static str, Fit)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row, which has a cell for each column.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines of it.
    pub(crate) fn lay_out(&self, screen: &Screen) -> String {
        let small = screen.width.is_some_and(|room| room < SMALL && self.natural() > room);
        if small && self.columns.iter().any(|(_, fit)| *fit == Fit::Spare) {
            return self.without_spare().lay_out(screen);
        }
        let widths = self.widths(screen.width);
        let head: Vec<_> = self.columns.iter().map(|(name, _)| Cell::styled(Style::Bold, *name)).collect();
        let mut lines = self.lines(&head, &widths, screen);
        for row in &self.rows {
            lines.extend(self.lines(row, &widths, screen));
        }
        lines.join("\n")
    }

    /// How wide it is if nothing gives way.
    fn natural(&self) -> usize {
        self.widths(None).iter().sum::<usize>() + GAP * self.columns.len().saturating_sub(1)
    }

    fn without_spare(&self) -> Self {
        let keeps = |index: usize| self.columns[index].1 != Fit::Spare;
        let some = |row: &Vec<Cell>| {
            row.iter().enumerate().filter(|(index, _)| keeps(*index)).map(|(_, cell)| cell.clone()).collect()
        };
        Self {
            columns: self.columns.iter().copied().filter(|(_, fit)| *fit != Fit::Spare).collect(),
            rows: self.rows.iter().map(some).collect(),
        }
    }

    fn widths(&self, room: Option<usize>) -> Vec<usize> {
        let mut widths: Vec<_> = self.columns.iter().map(|(name, _)| name.width()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        let Some(room) = room else { return widths };
        let gaps = GAP * widths.len().saturating_sub(1);
        for (narrow, all) in [(NARROW, false), (NARROW, true), (1, true)] {
            while gaps + widths.iter().sum::<usize>() > room {
                let gives =
                    |index: usize| all || matches!(self.columns[index].1, Fit::Cut | Fit::Wrap | Fit::Spare);
                let widest =
                    (0..widths.len()).filter(|index| gives(*index)).max_by_key(|index| widths[*index]);
                match widest {
                    Some(index) if widths[index] > narrow => widths[index] -= 1,
                    _ => break,
                }
            }
        }
        widths
    }

    fn lines(&self, row: &[Cell], widths: &[usize], screen: &Screen) -> Vec<String> {
        let parts: Vec<_> = row
            .iter()
            .zip(&self.columns)
            .zip(widths)
            .map(|((cell, (_, fit)), width)| match fit {
                Fit::Wrap => wrap(&cell.text, *width),
                _ => vec![cut(&cell.text, *width)],
            })
            .collect();
        let height = parts.iter().map(Vec::len).max().unwrap_or_default();
        (0..height).map(|line| self.line(line, row, &parts, widths, screen)).collect()
    }

    fn line(
        &self,
        line: usize,
        row: &[Cell],
        parts: &[Vec<String>],
        widths: &[usize],
        screen: &Screen,
    ) -> String {
        let mut laid = String::new();
        let mut owed = 0;
        for (index, cell) in row.iter().enumerate() {
            let text = parts[index].get(line).map_or("", String::as_str);
            let space = widths[index].saturating_sub(text.width());
            let (before, after) = if self.columns[index].1 == Fit::Number { (space, 0) } else { (0, space) };
            // Spaces are written once something follows them, so that no line ends in any.
            if text.is_empty() {
                owed += before;
            } else {
                laid.push_str(&" ".repeat(owed + before));
                laid.push_str(&screen.paint(cell.style, text));
                owed = 0;
            }
            owed += after + GAP;
        }
        laid
    }
}

/// The text in that many columns, with `…` where something is missing.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if width == 0 {
        return String::new();
    }
    let mut kept = beginning(text, width.saturating_sub(1)).to_owned();
    kept.push('…');
    kept
}

/// As much of the text as that many columns hold.
fn beginning(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// The text in lines of that many columns, broken between words where that can be.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    while rest.width() > width {
        let fits = beginning(rest, width.max(1));
        // A character that is wider than the column still has to go somewhere.
        let fits =
            if fits.is_empty() { &rest[..rest.chars().next().map_or(0, char::len_utf8)] } else { fits };
        let after = &rest[fits.len()..];
        let end =
            if after.starts_with(' ') { Some(fits.len()) } else { fits.rfind(' ').filter(|end| *end > 0) };
        let end = end.unwrap_or(fits.len());
        lines.push(rest[..end].trim_end().to_owned());
        rest = rest[end..].trim_start();
    }
    lines.push(rest.to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(width: Option<usize>) -> String {
        let mut table =
            Table::new(&[("ID", Fit::Whole), ("N", Fit::Number), ("TEXT", Fit::Cut), ("WHY", Fit::Wrap)]);
        table.row([
            "call_1".into(),
            "7".into(),
            "make deploy of everything".into(),
            "because it is time".into(),
        ]);
        table.row(["call_22".into(), "1234".into(), "世界世界世界世界".into(), Cell::default()]);
        table.lay_out(&Screen { width, ..Screen::default() })
    }

    #[test]
    fn is_whole_where_there_is_no_terminal() {
        assert_eq!(
            laid_out(None),
            "ID          N  TEXT                       WHY\n\
             call_1      7  make deploy of everything  because it is time\n\
             call_22  1234  世界世界世界世界"
        );
    }

    #[test]
    fn shrinks_to_the_terminal_by_what_the_text_takes_there() {
        let text = laid_out(Some(40));
        assert_eq!(
            text,
            "ID          N  TEXT          WHY\n\
             call_1      7  make deploy…  because it\n\
             \u{20}                            is time\n\
             call_22  1234  世界世界世…"
        );
        assert!(text.lines().all(|line| line.width() <= 40));
    }

    #[test]
    fn leaves_out_what_can_be_spared_where_there_is_little_room() {
        let mut table = Table::new(&[("ID", Fit::Whole), ("BY", Fit::Spare), ("TEXT", Fit::Cut)]);
        table.row(["call_1".into(), "agent:ada".into(), "make deploy".into()]);
        let at = |width| table.lay_out(&Screen { width: Some(width), ..Screen::default() });
        assert_eq!(at(20), "ID      TEXT\ncall_1  make deploy");
        assert!(at(30).contains("agent:ada"), "nothing has to give way");
    }

    #[test]
    fn never_goes_over_the_edge() {
        for width in 10..60 {
            assert!(laid_out(Some(width)).lines().all(|line| line.width() <= width), "{width}");
        }
    }
}
