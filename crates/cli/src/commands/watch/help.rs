//! The page behind `?`.

use super::{document::Row, view::fact, wrap::soft};

const KEYS: &[(&str, &str)] = &[
    ("d", "deny; you are asked why, and the agent is told"),
    ("o", "allow this call, once"),
    ("s D", "allow, or deny, it and later calls in its thread; asks how wide"),
    ("e", "change its arguments in $EDITOR; o allows what you made of them"),
    ("a", "choose the level that you decide at"),
    ("c", "write a comment that goes with the decision"),
    ("n p", "the next call, the one before; also → ←, l h, Tab"),
    ("j k", "a line down, up; also ↓ ↑"),
    ("Space b", "a page down, up; g G to the beginning, to the end"),
    ("/", "only calls that have a text in them; Esc shows all"),
    ("r", "load what waits again"),
    ("q", "quit; what waits goes on waiting"),
    ("", ""),
    (
        "",
        "You can allow only what you have seen to the end of its arguments. ↪ marks a line that only goes on: \
      no line break stands there.",
    ),
    (
        "",
        "A decision is final. It counts for the call on the screen and no other: after one, the next call \
      takes none for a moment, and a call that somebody else decided stays until you leave it.",
    ),
];

/// The page in so many columns.
pub(super) fn rows(columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (key, text) in KEYS {
        let margin = if key.is_empty() { 0 } else { 9 };
        for (index, part) in soft(text, columns.saturating_sub(margin).max(2)).into_iter().enumerate() {
            let lead = if index == 0 { *key } else { "" };
            rows.push(fact(format!("{lead:<margin$}"), part));
        }
    }
    rows
}
