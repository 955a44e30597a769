//! Keys and names that programs take for each other, folded to one form.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::{CodePointSetData, props::DefaultIgnorableCodePoint};

/// Folds a key so that two keys which a parser may read as one become equal: case (Go's `encoding/json` ignores it and takes the
/// last member), compatible forms (NFKC), special cases such as `ſ` and `s`, and characters without a look of their own.
#[must_use]
pub fn fold_key(key: &str) -> String {
    if key.is_ascii() {
        return key.to_ascii_lowercase();
    }
    let normalizer = ComposingNormalizerBorrowed::new_nfkc();
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let visible: String = key.chars().filter(|c| !ignorable.contains(*c)).collect();
    // Upper case comes first, because `ſ` and `ς` have no lower case of their own.
    let folded = normalizer.normalize(&visible).to_uppercase().to_lowercase();
    normalizer.normalize(&folded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_a_parser_confuses_fold_alike() {
        for (key, same) in [
            ("command", "Command"),
            ("script", "\u{17f}cript"),
            ("kill", "\u{212a}ill"),
            ("path", "\u{ff30}ath"),
            ("caf\u{e9}", "cafe\u{301}"),
            ("file", "\u{fb01}le"),
            ("path", "pa\u{200b}th"),
            ("stra\u{df}e", "STRASSE"),
            ("\u{3c3}\u{3c2}", "\u{3a3}\u{3a3}"),
        ] {
            assert_eq!(fold_key(key), fold_key(same), "{key} {same}");
        }
    }

    #[test]
    fn different_keys_stay_different() {
        for (key, other) in [("file_path", "filePath2"), ("a", "\u{430}"), ("path", "paths"), ("a-b", "a_b")]
        {
            assert_ne!(fold_key(key), fold_key(other), "{key} {other}");
        }
    }
}
