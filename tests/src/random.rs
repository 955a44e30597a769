//! Random numbers that can be repeated: the same seed draws the same numbers on every machine.

/// A source of numbers (`SplitMix64`), good enough to shuffle a test and small enough to read.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of that seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of the seed in `COUNTERSIGN_TEST_SEED`, or of `usual`. Prints the seed, which the test runner
    /// shows when the test fails.
    #[expect(clippy::print_stderr, reason = "the reader of a failure needs the seed")]
    #[must_use]
    pub fn seeded_from_environment(usual: u64) -> Self {
        let given = std::env::var("COUNTERSIGN_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or(usual);
        eprintln!("COUNTERSIGN_TEST_SEED={seed}");
        Self(seed)
    }

    /// Another source, for a task that runs at the same time.
    #[must_use]
    pub const fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// A number below `end`, which is not 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    /// One of them.
    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// One of those words.
    pub fn word<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
