//! The ids and names of calls in model input. APIs refuse an id that two calls have, and names and ids with letters that
//! they do not know, which other APIs and agents do use. Such an id or name is replaced in the view alone, always by
//! the same, so that a later message that has the replacement is understood.

use crate::neutral::NeutralCall;
use countersign_events::{Sha256, json::JsonTree};
use std::collections::HashSet;

/// What an API accepts beside ASCII letters, digits, `_` and `-`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameRules {
    /// The most letters in a name.
    pub(crate) most_in_name: usize,
    /// The other marks that a name may have.
    pub(crate) marks_in_name: &'static str,
    /// Whether a name may begin with a digit or with `-`.
    pub(crate) begins_with_any: bool,
    /// The most letters in an id; `None` if the API accepts any id.
    pub(crate) most_in_id: Option<usize>,
}

/// The letters of a replaced name that are its own; a hash follows.
const KEPT: usize = 30;
/// The letters of the hash.
const HASHED: usize = 8;

/// The name that stands for one that an API refuses.
pub(crate) fn replacement(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let plain = name.chars().take(KEPT).map(|letter| if is_plain(letter) { letter } else { '_' });
    let plain: String = (!begins).then_some('_').into_iter().chain(plain).collect();
    let hash = Sha256::digest(name.as_bytes()).to_string();
    format!("{plain}_{}", &hash[..HASHED])
}

fn is_accepted(text: &str, most: usize, marks: &str) -> bool {
    let is_known = |letter: char| {
        letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') || marks.contains(letter)
    };
    !text.is_empty() && text.len() <= most && text.chars().all(is_known)
}

/// Chooses the id and the name of each call.
#[derive(Default)]
pub(crate) struct CallNames {
    rules: Option<NameRules>,
    used: HashSet<String>,
}

impl CallNames {
    pub(crate) fn new(rules: Option<NameRules>) -> Self {
        Self { rules, used: HashSet::new() }
    }

    /// The call as it is written. `place` is unique to the call.
    pub(crate) fn choose(&mut self, call: &NeutralCall, place: &str) -> NeutralCall {
        let fitting = self.fit_id(&call.id);
        let id = if !call.id.is_empty() && self.used.insert(fitting.clone()) {
            fitting
        } else {
            let mut id = self.fit_id(&format!("{}_{place}", call.id));
            while !self.used.insert(id.clone()) {
                id = replacement(&id);
            }
            id
        };
        NeutralCall { id, name: self.fit_name(&call.name), ..call.clone() }
    }

    fn fit_id(&self, id: &str) -> String {
        let most = self.rules.and_then(|rules| rules.most_in_id);
        if most.is_none_or(|most| is_accepted(id, most, "")) { id.to_owned() } else { replacement(id) }
    }

    fn fit_name(&self, name: &str) -> String {
        let is_fitting = self.rules.is_none_or(|rules| {
            let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
            (rules.begins_with_any || begins) && is_accepted(name, rules.most_in_name, rules.marks_in_name)
        });
        if is_fitting { name.to_owned() } else { replacement(name) }
    }
}

/// The members that hold the id of a call, in calls and results of all formats.
const ID_KEYS: &[&str] = &["toolCallId", "tool_call_id", "tool_use_id", "call_id", "callId", "id"];
/// The members that hold the name of a tool.
const NAME_KEYS: &[&str] = &["name", "toolName"];
/// The members whose objects belong to the call around them.
const CONTAINERS: &[&str] =
    &["function", "custom", "functionCall", "function_call", "functionResponse", "function_response", "data"];

/// Gives a call or a result, as it was sent, the id and the name with which it is written. All else stays.
pub(crate) fn rename(tree: &mut JsonTree, sent: &NeutralCall, written: &NeutralCall) {
    if let Some(key) = ID_KEYS.iter().find(|key| tree.text_of(key) == Some(&sent.id)) {
        tree.set(key, written.id.as_str());
    }
    for key in NAME_KEYS.iter().filter(|key| tree.text_of(key) == Some(&sent.name)).collect::<Vec<_>>() {
        tree.set(key, written.name.as_str());
    }
    for key in CONTAINERS {
        if let Some(mut inner) = tree.get(key).filter(|inner| inner.is_object()).cloned() {
            rename(&mut inner, sent, written);
            tree.set(key, inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_names_fit_every_api_and_differ() {
        let names = ["files.read", "files_read", "1st", "-", "", "läs", &"x".repeat(200), &"x".repeat(201)];
        let replaced: HashSet<_> = names.iter().map(|name| replacement(name)).collect();
        assert_eq!(replaced.len(), names.len());
        for name in replaced {
            assert!(
                is_accepted(&name, 40, "") && !name.starts_with(|letter: char| letter.is_ascii_digit()),
                "{name}"
            );
        }
    }
}
