//! The bytes with which a match of a glob may begin and end.

use super::token::GlobToken;
use crate::invisible::HOLE;

/// The bytes with which a match may begin and end.
#[derive(Debug, Clone)]
pub(super) struct GlobEnds {
    first: ByteSet,
    last: ByteSet,
}

/// A set of bytes, as bits. `None` has every byte.
type ByteSet = Option<[u64; 4]>;

impl GlobEnds {
    pub(super) fn of_alternatives(alternatives: &[Vec<GlobToken>]) -> Self {
        let set = |end: fn(&[GlobToken]) -> Option<u8>| {
            let mut set = [0; 4];
            for tokens in alternatives {
                let byte = end(tokens)?;
                set[usize::from(byte / 64)] |= 1 << (byte % 64);
            }
            Some(set)
        };
        Self { first: set(first_byte), last: set(last_byte) }
    }

    /// Whether a match could begin and end as `text` does. A hole in the text may be anything.
    pub(super) fn admit(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        self.admit_start(text)
            && bytes.last().is_none_or(|byte| has(&self.last, *byte) || text.ends_with(HOLE))
    }

    /// Whether a match could begin as `text` does. A hole in the text may be anything.
    pub(super) fn admit_start(&self, text: &str) -> bool {
        text.as_bytes().first().is_none_or(|byte| has(&self.first, *byte) || text.starts_with(HOLE))
    }
}

fn has(set: &ByteSet, byte: u8) -> bool {
    set.is_none_or(|set| set[usize::from(byte / 64)] >> (byte % 64) & 1 == 1)
}

/// The first byte of every match; `None` if it may be any.
fn first_byte(tokens: &[GlobToken]) -> Option<u8> {
    literal(tokens.first()?).map(|c| c.encode_utf8(&mut [0; 4]).as_bytes()[0])
}

/// The last byte of every match; `None` if it may be any.
fn last_byte(tokens: &[GlobToken]) -> Option<u8> {
    literal(tokens.last()?).and_then(|c| c.encode_utf8(&mut [0; 4]).as_bytes().last().copied())
}

const fn literal(token: &GlobToken) -> Option<char> {
    if let GlobToken::Char(c) = token { Some(*c) } else { None }
}

#[cfg(test)]
mod tests {
    use crate::glob::Glob;

    #[test]
    fn ends_never_exclude_a_match() {
        for (glob, text) in [
            ("{git,}", ""),
            ("{git,npm} *", "npm test"),
            ("{a*,*b}", "xb"),
            ("ä*ö", "äxö"),
            ("[ab]c", "bc"),
            ("*", "x"),
        ] {
            assert!(Glob::new(glob).expect(glob).is_match(text), "{glob} {text}");
        }
        let hole = Glob::new("git push").expect("a glob");
        assert!(hole.could_match("\u{ffff} push") && hole.could_match("git \u{ffff}"));
        assert!(!hole.could_match("\u{ffff} pull") && !hole.could_match("npm \u{ffff}"));
    }
}
