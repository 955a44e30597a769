//! Tracks which quote is open at a position in a line. It is a hint: a value whose quotes it gets wrong is one word
//! without operators, so its mask hides nothing that runs.

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OpenQuotes {
    at: usize,
    open: Option<u8>,
}

impl OpenQuotes {
    /// Reads on to `end`. The calls' positions must ascend.
    pub(crate) fn advance(&mut self, bytes: &[u8], end: usize) {
        while self.at < end.min(bytes.len()) {
            let byte = bytes[self.at];
            match (byte, self.open) {
                (b'\n', _) => self.open = None,
                (b'\\', None | Some(b'"')) if bytes.get(self.at + 1) != Some(&b'\n') => self.at += 1,
                (b'\'', None) if is_apostrophe(bytes, self.at) => {}
                (b'"' | b'\'', None) => self.open = Some(byte),
                (_, Some(open)) if open == byte => self.open = None,
                _ => {}
            }
            self.at += 1;
        }
    }

    pub(crate) fn is_open(self, quote: u8) -> bool {
        self.open == Some(quote)
    }
}

/// Returns true for a quote between two letters, as in `don't`.
fn is_apostrophe(bytes: &[u8], at: usize) -> bool {
    let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphabetic);
    letter(at.checked_sub(1)) && letter(Some(at + 1))
}
