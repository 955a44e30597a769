//! Conditions in [CEL](https://cel.dev): a parser, and an evaluator that pays for each step from a budget.
//!
//! The language is the part of CEL that a condition over JSON needs: all literals and operators, the standard macros,
//! timestamps and durations, types, and the functions of [`FUNCTION_NAMES`]. It has no messages, optional values or
//! named time zones. `conformance/refused.txt` lists what it refuses.

mod arithmetic;
mod budget;
mod call;
mod comparison;
mod conversion;
mod error;
mod evaluator;
mod expression;
mod format;
mod function;
mod lexer;
mod literal;
mod moment;
mod moment_part;
mod moment_text;
mod parser;
mod strings;
mod type_name;
mod value;

#[cfg(test)]
mod tests;

pub use budget::EvaluationBudget;
pub use error::{EvaluationError, ParseError};
pub use evaluator::{CelVariables, evaluate};
pub use expression::{BinaryOperator, Expression, LoopExpression, LoopKind, UnaryOperator};
pub use function::{CelFunction, FUNCTION_NAMES};
pub use moment::{CelDuration, CelTimestamp};
pub use parser::parse;
pub use value::{CelValue, MapKey};
