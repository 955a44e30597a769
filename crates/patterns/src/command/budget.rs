//! The limits on the work of reading a command line.

/// The work that a reader may do for one command line. Beyond it, the line is unclear.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadBudget {
    /// The maximum length of a command line, in bytes.
    pub bytes: usize,
    /// The maximum number of words and operators.
    pub tokens: usize,
    /// The maximum number of characters read. Nested scripts count again on each level.
    pub steps: usize,
    /// The maximum nesting depth of substitutions, groups and loops.
    pub depth: usize,
}

impl ReadBudget {
    /// The budget for a command line that an agent proposes.
    pub const COMMAND_LINE: Self =
        Self { bytes: 64 * 1024, tokens: 128 * 1024, steps: 512 * 1024, depth: 16 };
}

/// Counts the work done, and stops it at the budget.
#[derive(Debug, Clone)]
pub(super) struct WorkMeter {
    budget: ReadBudget,
    tokens: usize,
    steps: usize,
    exhausted: bool,
}

impl WorkMeter {
    pub(super) fn new(budget: ReadBudget) -> Self {
        Self { budget, tokens: 0, steps: 0, exhausted: false }
    }

    /// Returns true if the work went over the budget. It stays true.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// The number of characters read so far.
    pub(super) fn steps(&self) -> usize {
        self.steps
    }

    /// Counts characters. Returns false if they exceed the budget.
    pub(super) fn count_steps(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        self.exhausted |= self.steps > self.budget.steps;
        !self.exhausted
    }

    /// Counts one word or operator.
    pub(super) fn count_token(&mut self) {
        self.tokens += 1;
        self.exhausted |= self.tokens > self.budget.tokens;
    }

    /// Checks the command line length.
    pub(super) fn check_bytes(&mut self, bytes: usize) {
        self.exhausted |= bytes > self.budget.bytes;
    }

    /// Checks a nesting depth.
    pub(super) fn check_depth(&mut self, depth: usize) {
        self.exhausted |= depth > self.budget.depth;
    }
}
