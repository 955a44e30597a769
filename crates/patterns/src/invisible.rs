//! Invisible and misleading characters. The names in events follow the same rule (a policy test compares them).

use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{DefaultIgnorableCodePoint, GeneralCategory},
};

/// The placeholder for an expansion, whose value only the shell knows. U+FFFF is a noncharacter, and
/// [`is_invisible`] includes it, so an input that contains it is already unclear.
pub(super) const HOLE: char = '\u{ffff}';

/// The Braille blank, which Unicode classifies as a symbol.
const BRAILLE_BLANK: char = '\u{2800}';

/// Returns true for a character that is invisible, changes the direction of text, looks like a space, has no agreed
/// appearance, or replaces a lost character (the block of U+FFFD).
pub(super) fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let has_no_shape = matches!(
        CodePointMapData::<GeneralCategory>::new().get(c),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::SpaceSeparator
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
    );
    has_no_shape
        || c == BRAILLE_BLANK
        || ('\u{fff0}'..='\u{ffff}').contains(&c)
        || CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
}
