//! The state of reading one text.

use super::{
    budget::{ReadBudget, WorkMeter},
    cursor::TextCursor,
    line::{CommandLine, ListEnd},
};

/// Reads the commands in one text. The other files in this folder add the grammar parts.
pub(super) struct LineReader<'a> {
    pub(super) cursor: TextCursor<'a>,
    pub(super) line: CommandLine,
    /// The nesting depth of substitutions, groups and loops here.
    pub(super) depth: usize,
    /// Whether the position is between a here-document tag and the end of its line.
    pub(super) awaits_document: bool,
}

impl CommandLine {
    /// Reads a command line. Never fails: a line that the grammar does not cover, or beyond the budget, is unclear.
    ///
    /// ```
    /// use countersign_patterns::command::{CommandLine, ReadBudget};
    ///
    /// let text = "curl -u 'ada:pw' https://example.com";
    /// let line = CommandLine::read(text, ReadBudget::COMMAND_LINE);
    /// let value = &line.commands[0].words[2];
    /// assert_eq!(value.value(), Some("ada:pw"));
    /// assert_eq!(&text[value.literals[0].span.clone()], "ada:pw");
    /// ```
    #[must_use]
    pub fn read(text: &str, budget: ReadBudget) -> Self {
        Self::read_with(text, &mut WorkMeter::new(budget))
    }

    /// Reads a command line, and charges the work to the shared budget.
    pub(super) fn read_with(text: &str, meter: &mut WorkMeter) -> Self {
        let cursor = TextCursor::new(text, meter);
        let mut reader = LineReader { cursor, line: Self::default(), depth: 0, awaits_document: false };
        reader.read_list(ListEnd::Text);
        if reader.cursor.meter.is_exhausted() {
            reader.line.unclear = Some("it is too long or too deeply nested");
        }
        reader.line
    }
}

impl LineReader<'_> {
    pub(super) fn mark_unclear(&mut self, reason: &'static str) {
        self.line.mark_unclear(reason);
    }

    /// Goes one level deeper, for `read`.
    pub(super) fn nest(&mut self, read: impl FnOnce(&mut Self)) {
        let awaits_document = std::mem::take(&mut self.awaits_document);
        self.depth += 1;
        self.cursor.meter.check_depth(self.depth);
        if !self.cursor.meter.is_exhausted() {
            read(self);
        }
        self.depth -= 1;
        self.awaits_document = awaits_document;
    }
}
