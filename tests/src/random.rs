//! Seeded random numbers: the same seed gives the same numbers on every machine.

/// A random number generator (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator with this seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates a generator with the seed in `COUNTERSIGN_TEST_SEED`, or else with `default_seed`. Prints the seed,
    /// which the test runner shows when the test fails.
    #[expect(clippy::print_stderr, reason = "the reader of a failure needs the seed")]
    #[must_use]
    pub fn seeded_from_environment(default_seed: u64) -> Self {
        let configured = std::env::var("COUNTERSIGN_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = configured.unwrap_or(default_seed);
        eprintln!("COUNTERSIGN_TEST_SEED={seed}");
        Self(seed)
    }

    /// Creates another generator from the next number, for a concurrent task.
    #[must_use]
    pub const fn fork(&mut self) -> Self {
        Self(self.next())
    }

    /// Returns a number below `end`. Panics if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).expect("it is below a usize")
    }

    /// Returns a random element of `all`.
    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns a random word from `all`.
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
