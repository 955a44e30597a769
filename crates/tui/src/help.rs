//! The help page.

use crate::document::DocumentRow;
use countersign_console::wrap_words;

/// Keys and their effect. An entry without a key is a paragraph.
const KEYS: &[(&str, &str)] = &[
    ("d", "deny; asks for a reason, which the agent receives"),
    ("o", "allow this call, once; answer its questions"),
    ("s D", "allow, or deny, this call and later ones: x exact, p pattern, t tool"),
    ("e", "edit the arguments in $EDITOR; o then allows the edited call"),
    ("a", "choose the level of your decision"),
    ("c u", "write a comment; take back the last approval, until its call starts"),
    ("n p", "next call, previous call; also → ←, l h, Tab"),
    ("j k", "one line down, up; also ↓ ↑"),
    ("Space b", "one page down, up; g G to the beginning, to the end"),
    ("/", "search: list only calls that contain a text; Esc shows all"),
    ("S r", "sort by age, risk or time left; reload the pending calls"),
    ("q", "quit; pending calls stay pending"),
    ("", ""),
    (
        "",
        "You can allow a call only after you have scrolled to the end of its arguments. ↪ continues the line above \
         without a line break.",
    ),
    (
        "",
        "A decision applies only to the call on the screen: the next call takes no decision for a \
         moment or while a key is held down, and a call that another person decides stays until you leave it.",
    ),
];

/// The help page, wrapped to a number of columns.
pub(crate) fn help_rows(columns: usize) -> Vec<DocumentRow> {
    let mut rows = Vec::new();
    for (key, text) in KEYS {
        let margin = if key.is_empty() { 0 } else { 9 };
        for (index, part) in wrap_words(text, columns.saturating_sub(margin).max(2)).into_iter().enumerate() {
            let lead = if index == 0 { *key } else { "" };
            rows.push(DocumentRow::fact(format!("{lead:<margin$}"), part));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::KEYS;

    /// The page's list of keys, and the one page of the documentation about both.
    const PAGE_KEYS: &str = include_str!("../../web/assets/card/keys.js");
    const DOCUMENTATION: &str = include_str!("../../../docs/keys.md");

    #[test]
    fn documentation_lists_the_keys_of_both() {
        let of_page = PAGE_KEYS.lines().filter_map(|line| line.trim().strip_prefix("[\"")?.split('"').next());
        let of_terminal = KEYS.iter().map(|(key, _)| *key);
        for key in of_page.chain(of_terminal).flat_map(str::split_whitespace) {
            let is_named = DOCUMENTATION.contains(&format!("`{key}`")) || ["Esc", "Space"].contains(&key);
            assert!(is_named, "docs/keys.md does not name {key}");
        }
    }
}
