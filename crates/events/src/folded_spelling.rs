//! The form in which names of actors and keys of JSON are compared. Two spellings of one name must not be two people, and a
//! parser must not read one key where another reads two.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::{CodePointSetData, props::DefaultIgnorableCodePoint};

/// The maximum number of rounds until a name stays the same. The second round finds something new only in rare letters.
const MAX_ROUNDS: usize = 4;

/// Returns the text without the differences that do not make another name: case (Go's `encoding/json` ignores it), composed or
/// decomposed letters, forms such as full width, and invisible characters (NFKC and case folding). Both ways through upper case
/// join what only one of them does, such as `ß` and `ss`, or `ſ` and `s`.
#[must_use]
pub fn fold_spelling(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    let mut folded = fold_once(name);
    for _ in 1..MAX_ROUNDS {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

/// Returns true if both are spellings of one name: their [folded forms](fold_spelling) are equal.
#[must_use]
pub fn is_same_spelling(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    fold_spelling(one) == fold_spelling(other)
}

fn fold_once(name: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let visible: String = name.chars().filter(|c| !ignorable.contains(*c)).collect();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    // Letter by letter: lowercasing a whole word changes the last letter of some Greek words.
    let upper: String = nfkc.normalize(&visible).chars().flat_map(char::to_uppercase).collect();
    let lower: String = upper.chars().flat_map(char::to_lowercase).collect();
    nfkc.normalize(&lower).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_one_name_are_one() {
        for (one, other) in [
            ("ada", "Ada"),
            ("ada", "ADA"),
            ("ada", "\u{ff41}da"),
            ("ada@example.com", "ada@EXAMPLE.com"),
            ("zo\u{eb}", "zoe\u{308}"),
            ("ZO\u{cb}", "zoe\u{308}"),
            ("strasse", "stra\u{df}e"),
            ("STRASSE", "stra\u{1e9e}e"),
            ("\u{3c3}\u{3b1}\u{3c2}", "\u{3a3}\u{391}\u{3a3}"),
            ("fi", "\u{fb01}"),
            ("kim", "\u{212a}im"),
            ("ada", "a\u{ad}d\u{200b}a"),
            ("ada 2", "ada \u{b2}"),
            ("\u{1e9b}\u{323}", "\u{1e69}"),
        ] {
            assert!(is_same_spelling(one, other), "{one:?} {other:?}");
        }
    }

    #[test]
    fn other_names_stay_apart() {
        for (one, other) in [
            ("ada", "adb"),
            ("ada", "ad\u{e4}"),
            ("ada", "\u{430}\u{434}\u{430}"),
            ("a b", "ab"),
            ("l0", "lo"),
            ("rn", "m"),
        ] {
            assert!(!is_same_spelling(one, other), "{one:?} {other:?}");
        }
    }

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
            assert_eq!(fold_spelling(key), fold_spelling(same), "{key} {same}");
        }
    }

    #[test]
    fn different_keys_stay_different() {
        for (key, other) in [("file_path", "filePath2"), ("a", "\u{430}"), ("path", "paths"), ("a-b", "a_b")]
        {
            assert_ne!(fold_spelling(key), fold_spelling(other), "{key} {other}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(name in "\\PC{0,12}") {
            let folded = fold_spelling(&name);
            prop_assert_eq!(fold_spelling(&folded), folded);
        }

        #[test]
        fn case_makes_no_other_name(name in "\\PC{0,12}") {
            prop_assert_eq!(fold_spelling(&name.to_uppercase()), fold_spelling(&name));
            prop_assert_eq!(fold_spelling(&name.to_lowercase()), fold_spelling(&name));
        }
    }
}
