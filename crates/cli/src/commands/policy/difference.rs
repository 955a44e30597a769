//! The difference between two policies, as a unified diff.

use crate::present::screen::{ScreenFormat, TextStyle};
use countersign_gate::policy::PolicyText;
use countersign_tui::present::text::escape_text;
use similar::{ChangeTag, TextDiff};
use std::{collections::BTreeSet, time::Duration};

/// The longest time for the comparison of one file. Afterwards the diff is correct, but may be longer than necessary.
const LIMIT: Duration = Duration::from_secs(2);

/// The lines around a change.
const CONTEXT: usize = 3;

/// The place of the main file in the headers.
const MAIN_FILE: &str = "the main file";

/// Compares two policies file by file. Empty if they have the same texts.
pub(super) fn diff_policies(before: &PolicyText, after: &PolicyText, screen: &ScreenFormat) -> Vec<String> {
    let mut lines = diff_files(MAIN_FILE, Some(&before.text), Some(&after.text), screen);
    let names: BTreeSet<_> = before.layers.iter().chain(&after.layers).map(|layer| &layer.name).collect();
    let text = |policy: &PolicyText, name: &String| {
        policy.layers.iter().find(|layer| layer.name == *name).map(|layer| layer.text.clone())
    };
    for name in names {
        let (old, new) = (text(before, name), text(after, name));
        lines.extend(diff_files(name, old.as_deref(), new.as_deref(), screen));
    }
    lines
}

fn diff_files(name: &str, before: Option<&str>, after: Option<&str>, screen: &ScreenFormat) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let header = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}: {}", escape_text(name)),
        None => format!("{side}: no {}", escape_text(name)),
    };
    let mut lines = vec![
        screen.paint(TextStyle::Bold, &format!("--- {}", header("in force", before))),
        screen.paint(TextStyle::Bold, &format!("+++ {}", header("new", after))),
    ];
    lines.extend(diff_lines(before.unwrap_or_default(), after.unwrap_or_default(), screen));
    lines
}

/// The hunks of a unified diff of two texts.
pub(crate) fn diff_lines(before: &str, after: &str, screen: &ScreenFormat) -> Vec<String> {
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
