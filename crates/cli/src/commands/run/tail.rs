//! The last part of a command's output, which the log stores.

use std::collections::VecDeque;

/// The number of bytes that the log stores.
const MAX_BYTES: usize = 16 * 1024;

/// Keeps the last bytes of the output.
#[derive(Debug, Default)]
pub(crate) struct OutputTail {
    bytes: VecDeque<u8>,
    total: u64,
}

impl OutputTail {
    pub(crate) fn append(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let fits = &chunk[chunk.len().saturating_sub(MAX_BYTES)..];
        let over = (self.bytes.len() + fits.len()).saturating_sub(MAX_BYTES);
        self.bytes.drain(..over);
        self.bytes.extend(fits);
    }

    /// The total output size.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The kept bytes as text. Invalid UTF-8, such as a character that was cut, becomes U+FFFD.
    pub(crate) fn text(mut self) -> String {
        String::from_utf8_lossy(self.bytes.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_of_many_chunks_is_kept() {
        let mut tail = OutputTail::default();
        for chunk in [&[b'a'; 10_000][..], &[b'b'; 10_000], b"end"] {
            tail.append(chunk);
        }
        assert_eq!(tail.total(), 20_003);
        let text = tail.text();
        assert_eq!(text.len(), MAX_BYTES);
        assert!(text.starts_with('a') && text.ends_with("bend"));
    }

    #[test]
    fn tail_of_one_large_chunk_is_kept() {
        let mut tail = OutputTail::default();
        tail.append(&vec![b'x'; MAX_BYTES * 2]);
        assert_eq!((tail.total(), tail.text().len()), (MAX_BYTES as u64 * 2, MAX_BYTES));
    }
}
