//! Lists of words in one string.

/// Whether a list of words, separated by spaces, has the word.
pub(super) fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}
