//! Characters that make a string look like another one: invisible characters and letters of mixed scripts.

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory, Script},
    script::ScriptWithExtensions,
};

/// The Braille blank, which Unicode classifies as a symbol.
const BRAILLE_BLANK: char = '\u{2800}';

/// The scripts that languages of East Asia combine with each other and with Latin (Unicode Technical Standard 39,
/// "Highly Restrictive").
const COMBINED_SCRIPTS: [&[Script]; 3] = [
    &[Script::Latin, Script::Han, Script::Hiragana, Script::Katakana],
    &[Script::Latin, Script::Han, Script::Bopomofo],
    &[Script::Latin, Script::Han, Script::Hangul],
];

/// Returns true for a control character, and for one that is invisible, changes the direction of text, looks like a
/// space or has no agreed appearance. A display must escape it.
#[must_use]
pub fn is_hidden_character(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && is_hidden(c))
}

/// Returns true if the string has a hidden character other than the usual line breaks and tabs.
#[must_use]
pub fn has_hidden_character(text: &str) -> bool {
    text.chars().any(|c| is_hidden_character(c) && !matches!(c, '\n' | '\r' | '\t'))
}

/// Returns true if a word mixes letters of several scripts, such as the Cyrillic о in `bоb`. Separate words may use
/// different scripts.
#[must_use]
pub fn has_mixed_word(text: &str) -> bool {
    !text.is_ascii()
        && text.split(|c: char| !c.is_alphanumeric()).any(|word| find_foreign_letter(word).is_some())
}

/// This many blanks within a line, or empty lines in a row, can push what follows out of sight.
const MANY_BLANKS: usize = 60;
const MANY_EMPTY_LINES: usize = 8;

/// Returns true if blanks or empty lines push a part of the text away, where a reader may miss it. Blanks at the end hide
/// nothing.
#[must_use]
pub fn has_padding(text: &str) -> bool {
    let (mut blanks, mut breaks) = (0, 0);
    for c in text.chars() {
        match c {
            ' ' => blanks += 1,
            // As wide as it may be shown.
            '\t' => blanks += 8,
            '\n' => (blanks, breaks) = (0, breaks + 1),
            '\r' => {}
            _ if blanks >= MANY_BLANKS || breaks > MANY_EMPTY_LINES => return true,
            _ => (blanks, breaks) = (0, 0),
        }
    }
    false
}

/// The first character that is invisible, changes the direction of text, looks like a space or has no agreed
/// appearance. Control characters are not included.
pub(crate) fn find_hidden_character(text: &str) -> Option<char> {
    text.chars().find(|c| !c.is_ascii() && is_hidden(*c))
}

fn is_hidden(c: char) -> bool {
    let has_no_shape = matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    );
    has_no_shape || c == BRAILLE_BLANK || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}

/// The first letter that is of another script than the letters before it, such as the Cyrillic о in `bоb`. Digits,
/// punctuation and symbols belong to every script.
pub(crate) fn find_foreign_letter(text: &str) -> Option<char> {
    let letters = || text.chars().filter(|c| !is_ascii_symbol(*c));
    if text.is_ascii() || is_one_script(letters()) {
        return None;
    }
    (1..).zip(letters()).find(|(count, _)| !is_one_script(letters().take(*count))).map(|(_, letter)| letter)
}

fn is_ascii_symbol(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_alphabetic()
}

/// Returns true if one script, or one combination of scripts, contains all these letters.
fn is_one_script(letters: impl Iterator<Item = char>) -> bool {
    let scripts = ScriptWithExtensions::new();
    let mut combined = [true; COMBINED_SCRIPTS.len()];
    // The scripts that have all letters so far. `None` before the first letter.
    let mut common: Option<Vec<Script>> = None;
    for letter in letters {
        let found = scripts.get_script_extensions_val(letter);
        if found.contains(&Script::Common) || found.contains(&Script::Inherited) {
            continue;
        }
        for (fits, combination) in combined.iter_mut().zip(COMBINED_SCRIPTS) {
            *fits &= combination.iter().any(|script| found.contains(script));
        }
        let mut left = common.unwrap_or_else(|| found.iter().collect());
        left.retain(|script| found.contains(script));
        if left.is_empty() && !combined.contains(&true) {
            return false;
        }
        common = Some(left);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_character_is_found_in_every_group() {
        for hidden in [
            '\u{a0}',
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{180e}',
            '\u{2003}',
            '\u{200b}',
            '\u{200d}',
            '\u{202e}',
            '\u{2028}',
            '\u{2029}',
            '\u{2060}',
            '\u{2066}',
            '\u{2800}',
            '\u{3000}',
            '\u{3164}',
            '\u{e000}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff9}',
            '\u{ffff}',
            '\u{e0041}',
            '\u{378}',
        ] {
            assert_eq!(
                find_hidden_character(&format!("a{hidden}b")),
                Some(hidden),
                "U+{:04X}",
                u32::from(hidden)
            );
        }
        for visible in ["ada", "a b", "zoë", "e\u{301}", "日本語", "🚀", "…", "\u{fffd}"] {
            assert_eq!(find_hidden_character(visible), None, "{visible}");
        }
    }

    #[test]
    fn padding_hides_what_follows() {
        let pad = |part: &str, count: usize| format!("ls{}rm -rf /", part.repeat(count));
        for padded in [pad(" ", 60), pad("\t", 8), pad("\n", 9), pad("\r\n", 9), pad("  \n", 9)] {
            assert!(has_padding(&padded), "{padded:?}");
        }
        let ends = format!("ls{}", "\n".repeat(40));
        for plain in [pad(" ", 59), pad("\n", 8), pad(" \\\n", 40), ends, String::new()] {
            assert!(!has_padding(&plain), "{plain:?}");
        }
    }

    #[test]
    fn letter_of_another_script_is_found() {
        for (text, foreign) in [
            ("b\u{43e}b", '\u{43e}'),
            ("\u{430}da", 'd'),
            ("ad\u{3b1}", '\u{3b1}'),
            ("worker-\u{433}", '\u{433}'),
            ("ada \u{5d0}", '\u{5d0}'),
            ("\u{42f}日", '日'),
            ("ひ한", '한'),
        ] {
            assert_eq!(find_foreign_letter(text), Some(foreign), "{text}");
        }
    }

    #[test]
    fn text_of_one_script_has_no_foreign_letter() {
        for text in [
            "",
            "ada",
            "zoë 7",
            "Боб-7",
            "αβγ",
            "日本語 API",
            "ひらがなカタカナ漢字 v2",
            "한국어 한자 漢字 bot",
            "注音ㄅ x",
            "हिन्दी",
            "عربي ١",
            "ไทย",
            "🚀 ada",
            "e\u{301}",
            "ー",
        ] {
            assert_eq!(find_foreign_letter(text), None, "{text}");
        }
    }
}
