//! The reasons why a condition cannot be read or evaluated.

use crate::value::CelValue;

/// The maximum number of operators, calls and brackets in an expression. The parser and the evaluator recurse over
/// them, so the limit protects the stack.
pub(crate) const MAX_OPERATIONS: usize = 250;

/// The reason why a condition cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The string is not an expression.
    #[error("the condition cannot be parsed: column {column}: {why}")]
    Syntax {
        /// The error position in characters; the first is 1.
        column: usize,
        /// What was expected.
        why: String,
    },
    /// The function does not exist.
    #[error("unknown function `{0}`")]
    UnknownFunction(String),
    /// The function takes other arguments.
    #[error("`{name}` cannot be called like this; write {usage}")]
    WrongCall {
        /// The function's name.
        name: &'static str,
        /// How it is called.
        usage: &'static str,
    },
    /// The pattern of `matches` is not a literal.
    #[error("the pattern of `matches` must be a string literal")]
    PatternNotLiteral,
    /// The pattern of `matches` is invalid.
    #[error("the pattern of `matches` is invalid: {0}")]
    InvalidPattern(String),
    /// A time zone is neither `UTC` nor an offset.
    #[error(
        "unknown time zone `{0}`; write 'UTC' or an offset such as '+02:00', because the rules of names change"
    )]
    UnknownTimeZone(String),
    /// The expression creates an object.
    #[error("a condition cannot create objects")]
    CreatesObject,
    /// The expression is too large.
    #[error("a condition may have at most {MAX_OPERATIONS} operators, calls and brackets")]
    TooLarge,
}

/// The reason why an evaluation has no result. It contains no values, because they may be secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// The steps cost more than the budget has.
    #[error("the budget is used up")]
    BudgetExhausted,
    /// The variable does not exist.
    #[error("unknown variable `{0}`")]
    UnknownVariable(String),
    /// The map has no such key, which the condition contains.
    #[error("no such key: {0}")]
    NoSuchKey(String),
    /// The map does not have the key that the condition computes.
    #[error("no such key")]
    NoSuchComputedKey,
    /// A map literal has a key twice.
    #[error("a map has the same key twice")]
    DuplicateKey,
    /// The operator or the function does not take these types.
    #[error("`{operation}` does not accept ({types})")]
    NoOverload {
        /// The operator or the function.
        operation: &'static str,
        /// The operands' types.
        types: String,
    },
    /// A loop does not take a value of this type, as its range or as the result of its condition.
    #[error("a loop does not take ({0})")]
    InvalidLoop(&'static str),
    /// A number is divided by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An operator result has more than 64 bits.
    #[error("a number is too large")]
    NumberOverflow,
    /// A timestamp is outside the years 1 to 9999, or a duration is longer than 292 years.
    #[error("a timestamp or a duration is out of range")]
    TimeOverflow,
    /// A computed time zone is neither `UTC` nor an offset.
    #[error("a time zone is not 'UTC' or an offset such as '+02:00'")]
    UnknownTimeZone,
    /// The list has fewer elements.
    #[error("an index is out of bounds")]
    OutOfBounds,
    /// The function has no result for this value.
    #[error("`{0}` fails")]
    FunctionFails(&'static str),
}

impl EvaluationError {
    pub(crate) const fn not_loopable(value: &CelValue) -> Self {
        Self::InvalidLoop(value.type_name())
    }

    pub(crate) fn no_overload(operation: &'static str, operands: &[&CelValue]) -> Self {
        let types: Vec<_> = operands.iter().map(|operand| operand.type_name()).collect();
        Self::NoOverload { operation, types: types.join(", ") }
    }
}
