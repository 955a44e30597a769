//! The difference between two policies, as a unified diff.

use countersign_console::{ScreenFormat, TextStyle, diff_lines, escape_text};
use countersign_policy::PolicyText;
use std::collections::BTreeSet;

/// What the headers call the main file.
const MAIN_FILE: &str = "the main file";

/// Compares two policies file by file. Empty if they have the same content.
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
        screen.paint(TextStyle::Bold, &format!("--- {}", header("active", before))),
        screen.paint(TextStyle::Bold, &format!("+++ {}", header("new", after))),
    ];
    lines.extend(diff_lines(before.unwrap_or_default(), after.unwrap_or_default(), screen));
    lines
}
