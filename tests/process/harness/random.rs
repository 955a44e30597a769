//! Chance that can be had again: every test names its seed when it fails.

/// `SplitMix64`.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// From `COUNTERSIGN_TEST_SEED`, or from `usual`. The seed is printed, and the test runner shows that
    /// when the test fails.
    #[expect(clippy::print_stderr, reason = "whoever reads of the failure needs the seed")]
    pub(crate) fn seeded(usual: u64) -> Self {
        let given = std::env::var("COUNTERSIGN_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let state = given.unwrap_or(usual);
        eprintln!("COUNTERSIGN_TEST_SEED={state}");
        Self { state }
    }

    /// Another one, for something that goes on at the same time.
    pub(crate) fn fork(&mut self) -> Self {
        Self { state: self.next() }
    }

    /// Any of 0 to `end - 1`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
