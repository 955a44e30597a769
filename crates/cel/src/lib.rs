//! Conditions in [CEL](https://cel.dev): a parser, and an evaluator that pays for each step from a budget.
//!
//! The language is the part of CEL that a condition over JSON needs: all literals, operators and macros, and the
//! functions of [`FUNCTION_NAMES`]. It has no timestamps, durations, messages or optional values.

mod arithmetic;
mod budget;
mod call;
mod comparison;
mod conversion;
mod error;
mod evaluator;
mod expression;
mod function;
mod lexer;
mod literal;
mod parser;
mod value;

#[cfg(test)]
mod tests;

pub use budget::EvaluationBudget;
pub use error::{EvaluationError, ParseError};
pub use evaluator::{CelVariables, evaluate};
pub use expression::{BinaryOperator, Expression, LoopExpression, LoopKind, UnaryOperator};
pub use function::{CelFunction, FUNCTION_NAMES};
pub use parser::parse;
pub use value::{CelValue, MapKey};
