//! Reads names, and words of which only some are known.

use super::node::{PolicyFault, TomlNode};
use crate::{names::NameGlobs, spelling::did_you_mean};

/// Reads globs over names that are compared in lower case.
pub(super) fn read_folded_names(node: &TomlNode, what: &str) -> Result<NameGlobs, PolicyFault> {
    let texts = node.texts(what)?.into_iter().map(|(text, _)| text.to_lowercase()).collect();
    NameGlobs::new(texts).map_err(|e| node.fault(e.to_string()))
}

pub(super) fn read_words<T: Copy>(
    node: &TomlNode,
    what: &str,
    known: &[(&str, T)],
) -> Result<Vec<T>, PolicyFault> {
    node.texts(what)?.into_iter().map(|(text, node)| find_word(text, node, known)).collect()
}

pub(super) fn read_word<T: Copy>(node: &TomlNode, known: &[(&str, T)]) -> Result<T, PolicyFault> {
    find_word(node.text("a word")?, node, known)
}

fn find_word<T: Copy>(text: &str, node: &TomlNode, known: &[(&str, T)]) -> Result<T, PolicyFault> {
    let found = known.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
    found.ok_or_else(|| {
        node.fault(format!(
            "unknown word {text:?}{}; write one of {}",
            did_you_mean(text, &words),
            words.join(", ")
        ))
    })
}
