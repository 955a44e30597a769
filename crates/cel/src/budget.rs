//! The budget of conditions: each value that an operator, a function or a loop handles costs units. Unlike a time limit,
//! it gives the same result on a busy machine.

use crate::{error::EvaluationError, value::CelValue};
use std::cell::Cell;

/// The number of string bytes that cost one unit. A budget therefore also limits the memory for strings that conditions
/// build.
const BYTES_PER_UNIT: usize = 64;

/// The units that evaluations may still use.
#[derive(Debug)]
pub struct EvaluationBudget {
    left: Cell<i64>,
}

impl EvaluationBudget {
    /// A budget of so many units.
    #[must_use]
    pub const fn new(units: i64) -> Self {
        Self { left: Cell::new(units) }
    }

    /// Fails if no units are left.
    pub(crate) const fn check(&self) -> Result<(), EvaluationError> {
        if self.left.get() < 0 { Err(EvaluationError::BudgetExhausted) } else { Ok(()) }
    }

    /// Pays for strings and lists before they are built.
    pub(crate) fn pay_output(&self, bytes: usize, values: usize) -> Result<(), EvaluationError> {
        let units = i64::try_from(values.saturating_add(bytes / BYTES_PER_UNIT)).unwrap_or(i64::MAX);
        self.left.set(self.left.get().saturating_sub(units));
        self.check()
    }

    /// Pays for a value and all values in it.
    pub(crate) fn pay(&self, value: &CelValue) -> Result<(), EvaluationError> {
        let mut left = self.left.get();
        pay_for(value, &mut left);
        self.left.set(left);
        self.check()
    }
}

/// Subtracts the units for a value. Stops when none are left, because a value that refers to the same list many times
/// is larger than the memory that it takes.
fn pay_for(value: &CelValue, left: &mut i64) {
    let bytes = match value {
        CelValue::Text(text) => text.len(),
        CelValue::Bytes(bytes) => bytes.len(),
        _ => 0,
    };
    *left = left.saturating_sub(i64::try_from(1 + bytes / BYTES_PER_UNIT).unwrap_or(i64::MAX));
    let mut pay = |inner| {
        if *left >= 0 {
            pay_for(inner, left);
        }
    };
    match value {
        CelValue::List(values) => values.iter().for_each(pay),
        CelValue::Map(members) => members.values().for_each(&mut pay),
        _ => {}
    }
}
