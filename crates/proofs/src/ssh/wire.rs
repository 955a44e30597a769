//! The wire format of SSH (RFC 4251): strings with a length of four bytes in front.

/// Reads fields one after the other.
pub(super) struct WireReader<'a>(&'a [u8]);

impl<'a> WireReader<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next bytes of this number.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.bytes(1)?.first().copied()
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.bytes(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    /// A string: its length and its bytes.
    pub(super) fn string(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.u32()?).ok()?;
        self.bytes(length)
    }

    /// A string of readable characters.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.string()?).ok()
    }

    /// `Some` if nothing is left.
    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Appends a string.
pub(super) fn push_string(bytes: &mut Vec<u8>, string: &[u8]) {
    // The strings here have at most a few kilobytes.
    let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
    bytes.extend(length.to_be_bytes());
    bytes.extend(string);
}
