//! Finds wallet seed phrases (BIP-39): consecutive words that are all in the list of 2,048 words.

use regex::Regex;
use std::{collections::HashSet, ops::Range, sync::LazyLock};

/// The minimum number of words in a seed phrase.
const MIN_WORDS: usize = 12;

/// The shortest phrase, in bytes: a word has at least three letters.
const MIN_LENGTH: usize = MIN_WORDS * 4 - 1;

/// The minimum number of words that are hidden below a name such as `mnemonic`.
const MIN_NAMED_WORDS: usize = 6;

/// A row of short words with one blank, comma or line end between them.
static ROW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b[a-z]{3,8}(?:(?: |, |\n|\r\n)[a-z]{3,8}){11,}\b").expect("a constant pattern")
});

static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new("(?-u)[a-z]+").expect("a constant pattern"));

static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| include_str!("../data/bip39.txt").lines().collect());

/// Returns true if the text consists of such words.
pub(crate) fn is_mnemonic(text: &str) -> bool {
    let words = text.split_whitespace();
    words.clone().count() >= MIN_NAMED_WORDS && words.clone().all(|word| WORDS.contains(word))
}

/// Adds the spans of all seed phrases in `text` to `spans`. If a phrase spans several lines, each word has its own
/// mask.
pub(crate) fn find_mnemonics(text: &str, spans: &mut Vec<Range<usize>>) {
    let has_words = || text.bytes().filter(u8::is_ascii_whitespace).count() >= MIN_WORDS - 1;
    if text.len() < MIN_LENGTH || !has_words() {
        return;
    }
    for row in ROW.find_iter(text) {
        let mut phrase: Vec<Range<usize>> = Vec::new();
        for word in WORD.find_iter(row.as_str()) {
            if WORDS.contains(word.as_str()) {
                phrase.push(row.start() + word.start()..row.start() + word.end());
            } else {
                add_phrase(text, &phrase, spans);
                phrase.clear();
            }
        }
        add_phrase(text, &phrase, spans);
    }
}

/// Adds a row of words that are long enough, and random: prose repeats its words, and filler text repeats one.
fn add_phrase(text: &str, words: &[Range<usize>], spans: &mut Vec<Range<usize>>) {
    let different: HashSet<&str> = words.iter().map(|word| &text[word.clone()]).collect();
    if words.len() >= MIN_WORDS && different.len() * 4 >= words.len() * 3 {
        spans.extend_from_slice(words);
    }
}
