//! The form in which names of actors are compared. A name means one person, so two spellings of it must not be two.

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::{CodePointSetData, props::DefaultIgnorableCodePoint};

/// The most rounds until a name stays the same. The second round finds nothing new but in rare letters.
const MAX_ROUNDS: usize = 4;

/// Returns the name without the differences that do not make another name: case, composed or decomposed letters, forms such as
/// full width, and invisible characters (NFKC and case folding). Both ways through upper case join what only one of them does,
/// such as `ß` and `ss`.
#[must_use]
pub fn fold_name(name: &str) -> String {
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

fn fold_once(name: &str) -> String {
    let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
    let visible: String = name.chars().filter(|c| !ignorable.contains(*c)).collect();
    let nfkc = ComposingNormalizerBorrowed::new_nfkc();
    // Letter by letter: the lower case of a whole word ends some Greek words with another letter.
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
            assert_eq!(fold_name(one), fold_name(other), "{one:?} {other:?}");
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
            assert_ne!(fold_name(one), fold_name(other), "{one:?} {other:?}");
        }
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(name in "\\PC{0,12}") {
            let folded = fold_name(&name);
            prop_assert_eq!(fold_name(&folded), folded);
        }

        #[test]
        fn case_makes_no_other_name(name in "\\PC{0,12}") {
            prop_assert_eq!(fold_name(&name.to_uppercase()), fold_name(&name));
            prop_assert_eq!(fold_name(&name.to_lowercase()), fold_name(&name));
        }
    }
}
