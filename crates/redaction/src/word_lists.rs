//! Masks secrets in a JSON array that may be command words: `["--password", "secret"]`.

use super::{command_values::find_word_secrets, keys::SensitiveKeys, mask::MASK};
use std::{borrow::Cow, collections::BTreeMap};

/// The names of members that hold the program next to command arguments.
const PROGRAM_KEYS: &[&str] = &["command", "cmd", "program", "executable", "file"];

/// The object member that names a program.
pub(crate) fn program_member(members: &[(Cow<'_, str>, usize)]) -> Option<usize> {
    members.iter().find(|(key, _)| PROGRAM_KEYS.contains(&&**key)).map(|(_, child)| *child)
}

/// Returns the masked words by their position. Values that are not strings are `None`.
pub(crate) fn mask_words(
    keys: &SensitiveKeys,
    program: Option<&str>,
    texts: &[Option<Cow<'_, str>>],
) -> BTreeMap<usize, String> {
    let program = program.filter(|program| !program.contains(' '));
    let before = usize::from(program.is_some());
    let words: Vec<_> = program.map(Some).into_iter().chain(texts.iter().map(Option::as_deref)).collect();
    let mut masked: BTreeMap<usize, String> = BTreeMap::new();
    // From the end, so that a mask does not move the ranges before it.
    for secret in find_word_secrets(keys, &words).into_iter().rev() {
        let Some(position) = secret.word.checked_sub(before) else { continue };
        let Some(word) = texts[position].as_deref().filter(|word| !word.contains('\n')) else { continue };
        let less = masked.entry(position).or_insert_with(|| word.to_owned());
        if less.get(secret.range.clone()).is_some_and(|part| !part.contains(MASK)) {
            less.replace_range(secret.range, MASK);
        }
    }
    masked.retain(|position, less| texts[*position].as_deref() != Some(less));
    masked
}
