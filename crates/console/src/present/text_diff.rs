//! The difference between two strings, as a unified diff.

use super::screen::{ScreenFormat, TextStyle};
use crate::present::text::escape_text;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// The longest time for the comparison of one file. Afterwards the diff is correct, but may be longer than necessary.
const LIMIT: Duration = Duration::from_secs(2);

/// The lines around a change.
const CONTEXT: usize = 3;

/// The hunks of a unified diff between two strings.
#[must_use]
pub fn diff_lines(before: &str, after: &str, screen: &ScreenFormat) -> Vec<String> {
    let mut lines = Vec::new();
    let diff = TextDiff::configure().timeout(LIMIT).diff_lines(before, after);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        lines.push(screen.paint(TextStyle::Dim, &hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', TextStyle::Red),
                ChangeTag::Insert => ('+', TextStyle::Green),
                ChangeTag::Equal => (' ', TextStyle::Plain),
            };
            let text = escape_text(change.value().trim_end_matches(['\n', '\r']));
            lines.push(screen.paint(style, &format!("{sign}{text}")));
            if change.missing_newline() {
                lines.push(screen.paint(TextStyle::Dim, "\\ no line break at the end of the file"));
            }
        }
    }
    lines
}
