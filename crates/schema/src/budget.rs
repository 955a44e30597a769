//! Check limits. A schema of a few hundred bytes could otherwise take exponential time, memory or stack.

use crate::error::UnusableSchema;

/// The maximum number of steps in a check: one for each schema that is applied to each value, and for each element that
/// is compared.
const MAX_STEPS: usize = 1_000_000;
/// How deep schemas may apply each other. The validator recurses over them.
const MAX_NESTING: usize = 200;
/// How many bytes of a string a pattern examines in one step.
const BYTES_PER_STEP: usize = 64;

/// The steps that a check may still take.
pub(crate) struct StepBudget {
    left: usize,
    nesting: usize,
}

impl StepBudget {
    pub(crate) const fn new() -> Self {
        Self { left: MAX_STEPS, nesting: 0 }
    }

    /// Takes a number of steps.
    pub(crate) fn take(&mut self, steps: usize) -> Result<(), UnusableSchema> {
        self.left = self.left.checked_sub(steps).ok_or(UnusableSchema::TooManySteps(MAX_STEPS))?;
        Ok(())
    }

    /// Takes the steps for examining a string.
    pub(crate) fn take_for_text(&mut self, text: &str) -> Result<(), UnusableSchema> {
        self.take(1 + text.len() / BYTES_PER_STEP)
    }

    /// Enters a schema that another schema applies.
    pub(crate) fn enter(&mut self) -> Result<(), UnusableSchema> {
        self.take(1)?;
        self.nesting += 1;
        if self.nesting > MAX_NESTING { Err(UnusableSchema::TooDeep) } else { Ok(()) }
    }

    /// Leaves the schema that was entered last.
    pub(crate) const fn leave(&mut self) {
        self.nesting -= 1;
    }
}
