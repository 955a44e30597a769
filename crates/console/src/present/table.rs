//! Tables that fit the terminal's width.

use crate::{ScreenFormat, TextStyle, truncate_text, wrap_words};
use unicode_width::UnicodeWidthStr;

/// How a column shrinks if the terminal is narrow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFit {
    /// Shrinks only after all other columns.
    Whole,
    /// As `Whole`, right-aligned.
    Number,
    /// Is truncated with `…`.
    Truncated,
    /// Continues on the next line.
    Wrapped,
    /// Is omitted in a narrow terminal, and truncated in others.
    Optional,
}

/// A cell: its text and style.
#[derive(Debug, Clone, Default)]
pub struct TableCell {
    text: String,
    style: TextStyle,
}

impl TableCell {
    /// Creates a cell with this style.
    pub fn styled(style: TextStyle, text: impl Into<String>) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for TableCell {
    fn from(text: T) -> Self {
        Self::styled(TextStyle::Plain, text)
    }
}

/// A header and rows.
#[derive(Debug)]
pub struct TextTable {
    columns: Vec<(&'static str, ColumnFit)>,
    rows: Vec<Vec<TableCell>>,
}

/// The space between two columns.
const GAP: usize = 2;
/// The width below which a column shrinks only as a last resort.
const MIN_WIDTH: usize = 8;
/// Optional columns are omitted below this width.
const NARROW_SCREEN: usize = 80;

impl TextTable {
    /// Creates a table without rows.
    #[must_use]
    pub fn new(columns: &[(&'static str, ColumnFit)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Returns true if there are no rows.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row with one cell for each column.
    pub fn add_row(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table in lines.
    #[must_use]
    pub fn format(&self, screen: &ScreenFormat) -> String {
        let small = screen.width.is_some_and(|room| room < NARROW_SCREEN && self.full_width() > room);
        if small && self.columns.iter().any(|(_, fit)| *fit == ColumnFit::Optional) {
            return self.without_optional().format(screen);
        }
        let widths = self.widths(screen.width);
        let head: Vec<_> =
            self.columns.iter().map(|(name, _)| TableCell::styled(TextStyle::Bold, *name)).collect();
        let mut lines = self.lines(&head, &widths, screen);
        for row in &self.rows {
            lines.extend(self.lines(row, &widths, screen));
        }
        lines.join("\n")
    }

    /// The table's width if no column shrinks.
    fn full_width(&self) -> usize {
        self.widths(None).iter().sum::<usize>() + GAP * self.columns.len().saturating_sub(1)
    }

    fn without_optional(&self) -> Self {
        let keeps = |index: usize| self.columns[index].1 != ColumnFit::Optional;
        let some = |row: &Vec<TableCell>| {
            row.iter().enumerate().filter(|(index, _)| keeps(*index)).map(|(_, cell)| cell.clone()).collect()
        };
        Self {
            columns: self.columns.iter().copied().filter(|(_, fit)| *fit != ColumnFit::Optional).collect(),
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
        for (narrow, all) in [(MIN_WIDTH, false), (MIN_WIDTH, true), (1, true)] {
            while gaps + widths.iter().sum::<usize>() > room {
                let gives = |index: usize| {
                    all || matches!(
                        self.columns[index].1,
                        ColumnFit::Truncated | ColumnFit::Wrapped | ColumnFit::Optional
                    )
                };
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

    fn lines(&self, row: &[TableCell], widths: &[usize], screen: &ScreenFormat) -> Vec<String> {
        let parts: Vec<_> = row
            .iter()
            .zip(&self.columns)
            .zip(widths)
            .map(|((cell, (_, fit)), width)| match fit {
                ColumnFit::Wrapped => wrap_words(&cell.text, *width),
                _ => vec![truncate_text(&cell.text, *width)],
            })
            .collect();
        let height = parts.iter().map(Vec::len).max().unwrap_or_default();
        (0..height).map(|line| self.line(line, row, &parts, widths, screen)).collect()
    }

    fn line(
        &self,
        line: usize,
        row: &[TableCell],
        parts: &[Vec<String>],
        widths: &[usize],
        screen: &ScreenFormat,
    ) -> String {
        let mut laid = String::new();
        let mut owed = 0;
        for (index, cell) in row.iter().enumerate() {
            let text = parts[index].get(line).map_or("", String::as_str);
            let space = widths[index].saturating_sub(text.width());
            let (before, after) =
                if self.columns[index].1 == ColumnFit::Number { (space, 0) } else { (0, space) };
            // Spaces are written only before text, so that no line ends in spaces.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_table(width: Option<usize>) -> String {
        let mut table = TextTable::new(&[
            ("ID", ColumnFit::Whole),
            ("N", ColumnFit::Number),
            ("TEXT", ColumnFit::Truncated),
            ("WHY", ColumnFit::Wrapped),
        ]);
        table.add_row([
            "call_1".into(),
            "7".into(),
            "make deploy of everything".into(),
            "because it is time".into(),
        ]);
        table.add_row(["call_22".into(), "1234".into(), "世界世界世界世界".into(), TableCell::default()]);
        table.format(&ScreenFormat { width, ..ScreenFormat::default() })
    }

    #[test]
    fn table_without_terminal_is_complete() {
        assert_eq!(
            sample_table(None),
            "ID          N  TEXT                       WHY\n\
             call_1      7  make deploy of everything  because it is time\n\
             call_22  1234  世界世界世界世界"
        );
    }

    #[test]
    fn table_shrinks_by_display_width() {
        let text = sample_table(Some(40));
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
    fn optional_column_is_omitted_when_narrow() {
        let mut table = TextTable::new(&[
            ("ID", ColumnFit::Whole),
            ("BY", ColumnFit::Optional),
            ("TEXT", ColumnFit::Truncated),
        ]);
        table.add_row(["call_1".into(), "agent:ada".into(), "make deploy".into()]);
        let at = |width| table.format(&ScreenFormat { width: Some(width), ..ScreenFormat::default() });
        assert_eq!(at(20), "ID      TEXT\ncall_1  make deploy");
        assert!(at(30).contains("agent:ada"), "the table fits");
    }

    #[test]
    fn table_never_exceeds_terminal_width() {
        for width in 10..60 {
            assert!(sample_table(Some(width)).lines().all(|line| line.width() <= width), "{width}");
        }
    }
}
