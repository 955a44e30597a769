//! What globs and strings show at a glance: their ends and their characters, as one word each. A policy has many globs, and most
//! strings differ from them there.

use super::token::GlobToken;
use crate::invisible::HOLE;

/// Bytes of an end that are compared at once.
const WIDTH: usize = size_of::<u64>();

/// The bytes at one end of a string, or of every match of a glob, as far as they are known.
#[derive(Debug, Clone, Copy, Default)]
struct EndBytes {
    bytes: u64,
    /// All bits of each byte that is known.
    known: u64,
}

impl EndBytes {
    /// The start of the text, the first byte lowest.
    fn start_of(text: &[u8]) -> Self {
        if let Some(bytes) = text.first_chunk() {
            return Self { bytes: u64::from_le_bytes(*bytes), known: u64::MAX };
        }
        let bytes = text.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte));
        Self { bytes, known: lowest(text.len()) }
    }

    /// The end of the text, the last byte highest.
    fn end_of(text: &[u8]) -> Self {
        if let Some(bytes) = text.last_chunk() {
            return Self { bytes: u64::from_le_bytes(*bytes), known: u64::MAX };
        }
        let bytes = text.iter().rev().fold(0, |bytes, byte| bytes << 8 | u64::from(*byte));
        let free = WIDTH - text.len();
        Self { bytes: if free == WIDTH { 0 } else { bytes << (8 * free) }, known: !lowest(free) }
    }

    /// The bytes behind a known end are known, too: there are none.
    const fn closed(self) -> Self {
        Self { known: u64::MAX, ..self }
    }

    const fn agrees(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.known & other.known == 0
    }

    /// What both have in common.
    fn common(self, other: Self) -> Self {
        let differences = (self.bytes ^ other.bytes).to_le_bytes();
        let same = u64::from_le_bytes(differences.map(|byte| if byte == 0 { 0xff } else { 0 }));
        Self { bytes: self.bytes, known: self.known & other.known & same }
    }
}

/// A mask for the lowest bytes.
const fn lowest(count: usize) -> u64 {
    if count >= WIDTH { u64::MAX } else { (1 << (8 * count)) - 1 }
}

/// Some of the bytes of a string: a bit stands for those that are the same modulo 64.
#[derive(Debug, Clone, Copy, Default)]
struct ByteSet(u64);

impl ByteSet {
    const ALL: Self = Self(u64::MAX);

    fn of_bytes(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0, |set, byte| set | 1 << (byte % 64)))
    }

    const fn contains(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }
}

/// What all matches of a glob have in common.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct GlobOutline {
    start: EndBytes,
    end: EndBytes,
    /// Bytes that they contain.
    bytes: ByteSet,
}

/// What a string may show. Next to a [`HOLE`] its ends are unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextOutline {
    start: EndBytes,
    end: EndBytes,
    /// Bytes that it may contain.
    bytes: ByteSet,
    pub(crate) has_hole: bool,
}

impl GlobOutline {
    pub(super) fn of_alternatives(alternatives: &[Vec<GlobToken>]) -> Self {
        Self::common(alternatives.iter().map(|tokens| Self::of_tokens(tokens)))
    }

    /// What begins with `start` and continues in any way.
    pub(crate) fn of_start(start: &str) -> Self {
        Self { start: EndBytes::start_of(start.as_bytes()), ..Self::default() }
    }

    /// What all of them have in common.
    pub(crate) fn common(all: impl Iterator<Item = Self>) -> Self {
        let both = |one: Self, other: Self| Self {
            start: one.start.common(other.start),
            end: one.end.common(other.end),
            bytes: ByteSet(one.bytes.0 & other.bytes.0),
        };
        all.reduce(both).unwrap_or_default()
    }

    fn of_tokens(tokens: &[GlobToken]) -> Self {
        let text = |tokens: &[GlobToken]| tokens.iter().filter_map(literal).collect::<String>();
        let first = tokens.iter().take(WIDTH).map_while(literal).count();
        let last = tokens.iter().rev().take(WIDTH).map_while(literal).count();
        Self {
            start: EndBytes::start_of(text(&tokens[..first]).as_bytes()),
            end: EndBytes::end_of(text(&tokens[tokens.len() - last..]).as_bytes()),
            bytes: ByteSet::of_bytes(text(tokens).as_bytes()),
        }
    }

    /// Whether the text could be a match.
    pub(crate) const fn admit(&self, text: &TextOutline) -> bool {
        self.start.agrees(text.start) && self.end.agrees(text.end) && text.bytes.contains(self.bytes)
    }
}

impl TextOutline {
    /// The ends of a string in which [`HOLE`] is a character like others. For one look: its bytes are not read.
    pub(crate) fn of_ends(text: &str) -> Self {
        let (start, end) = (EndBytes::start_of(text.as_bytes()), EndBytes::end_of(text.as_bytes()));
        Self { start: start.closed(), end: end.closed(), bytes: ByteSet::ALL, has_hole: false }
    }

    /// A string in which each [`HOLE`] may be anything.
    pub(crate) fn of(text: &str) -> Self {
        let Some((before, rest)) = text.split_once(HOLE) else {
            return Self { bytes: ByteSet::of_bytes(text.as_bytes()), ..Self::of_ends(text) };
        };
        let after = rest.rsplit(HOLE).next().unwrap_or(rest);
        let (start, end) = (EndBytes::start_of(before.as_bytes()), EndBytes::end_of(after.as_bytes()));
        Self { start, end, bytes: ByteSet::ALL, has_hole: true }
    }
}

fn literal(token: &GlobToken) -> Option<char> {
    if let GlobToken::Char(c) = token { Some(*c) } else { None }
}

#[cfg(test)]
mod tests {
    use super::TextOutline;
    use crate::glob::Glob;

    #[test]
    fn outlines_never_exclude_a_match() {
        for (glob, text) in [
            ("{git,}", ""),
            ("{git,npm} *", "npm test"),
            ("{git,go} *", "go test"),
            ("{a*,*b}", "xb"),
            ("ä*ö", "äxö"),
            ("a*", "a"),
            ("[ab]c", "bc"),
            ("longer than eight*and its end", "longer than eight and its end"),
            ("*", "x"),
        ] {
            assert!(Glob::new(glob).expect(glob).is_match(text), "{glob} {text}");
        }
        let hole = Glob::new("git push").expect("a glob");
        for text in ["\u{ffff} push", "git \u{ffff}", "g\u{ffff}h", "\u{ffff}", "git push\u{ffff}"] {
            assert!(hole.could_match(text), "{text}");
        }
        assert!(!hole.could_match("\u{ffff} pull") && !hole.could_match("npm \u{ffff}"));
    }

    #[test]
    fn outlines_exclude_what_differs() {
        let outline = |glob: &str| {
            super::GlobOutline::of_alternatives(&[crate::glob::compile::compile(glob, true)
                .expect("a glob")
                .swap_remove(0)])
        };
        for (glob, text, is_admitted) in [
            ("**/.env", "/srv/shop/.env", true),
            ("**/.env", "/srv/shop/.envrc", false),
            ("**/.claude/**", "/srv/.claude/x", true),
            ("**/.claude/**", "/srv/shop/main.rs", false),
            ("**/.claude/**", "/srv/\u{ffff}", true),
            ("git push", "git pus", false),
            ("git *", "git", false),
            ("/etc/**", "/e\u{ffff}", true),
            ("/etc/**", "/u\u{ffff}", false),
        ] {
            assert_eq!(outline(glob).admit(&TextOutline::of(text)), is_admitted, "{glob} {text}");
        }
    }
}
