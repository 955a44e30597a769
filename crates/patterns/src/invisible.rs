//! Invisible and misleading characters.

/// The placeholder for an expansion, whose value only the shell knows. U+FFFF is a noncharacter, and
/// [`is_invisible`] includes it, so an input that contains it is already unclear.
pub(super) const HOLE: char = '\u{ffff}';

/// Ranges of characters that are invisible, change the direction of text, look like a space or have no agreed look.
const INVISIBLE: &[(char, char)] = &[
    ('\u{a0}', '\u{a0}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{2000}', '\u{200f}'),
    ('\u{2028}', '\u{202f}'),
    ('\u{205f}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3000}', '\u{3000}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{ffff}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{10ffff}'),
];

/// True for a control character and for any character of [`INVISIBLE`].
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control() || (!c.is_ascii() && INVISIBLE.iter().any(|(from, to)| (*from..=*to).contains(&c)))
}
