//! The end of a command's output: what the log keeps of it.

use std::collections::VecDeque;

/// How many bytes of output the log keeps.
const KEPT: usize = 16 * 1024;

/// Keeps the last bytes of what passes by.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: VecDeque<u8>,
    total: u64,
}

impl Tail {
    pub(crate) fn take(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let fits = &chunk[chunk.len().saturating_sub(KEPT)..];
        let over = (self.bytes.len() + fits.len()).saturating_sub(KEPT);
        self.bytes.drain(..over);
        self.bytes.extend(fits);
    }

    /// How many bytes passed by in all.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The end of them as text. What is no UTF-8, as where the beginning was cut, shows as U+FFFD.
    pub(crate) fn text(mut self) -> String {
        String::from_utf8_lossy(self.bytes.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_end() {
        let mut tail = Tail::default();
        for chunk in [&[b'a'; 10_000][..], &[b'b'; 10_000], b"end"] {
            tail.take(chunk);
        }
        assert_eq!(tail.total(), 20_003);
        let text = tail.text();
        assert_eq!(text.len(), KEPT);
        assert!(text.starts_with('a') && text.ends_with("bend"));
    }

    #[test]
    fn keeps_the_end_of_one_large_chunk() {
        let mut tail = Tail::default();
        tail.take(&vec![b'x'; KEPT * 2]);
        assert_eq!((tail.total(), tail.text().len()), (KEPT as u64 * 2, KEPT));
    }
}
