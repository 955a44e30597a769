//! The syntax tree for conditions.

use crate::{function::CelFunction, value::CelValue};
use regex::Regex;
use std::sync::Arc;

/// An expression.
#[derive(Debug, Clone)]
pub enum Expression {
    /// A literal, such as `1u` or `'text'`.
    Literal(CelValue),
    /// A variable value.
    Variable(String),
    /// `operand.field`
    Select {
        /// The map.
        operand: Box<Expression>,
        /// The key.
        field: Arc<str>,
    },
    /// `has(operand.field)`
    Has {
        /// The map.
        operand: Box<Expression>,
        /// The key.
        field: Arc<str>,
    },
    /// `!operand` or `-operand`
    Unary(UnaryOperator, Box<Expression>),
    /// An operator between two operands.
    Binary(BinaryOperator, Box<[Expression; 2]>),
    /// `condition ? then : otherwise`
    Conditional(Box<[Expression; 3]>),
    /// `[element, …]`
    List(Vec<Expression>),
    /// `{key: value, …}`
    Map(Vec<[Expression; 2]>),
    /// A function and its arguments. The first argument may be written before the function: `argument.function()`.
    Call(CelFunction, Vec<Expression>),
    /// `text.matches('pattern')`
    Matches(Box<Expression>, Regex),
    /// A loop over a list, or over map keys.
    Loop(Box<LoopExpression>),
}

/// A loop.
#[derive(Debug, Clone)]
pub struct LoopExpression {
    /// What the loop computes.
    pub kind: LoopKind,
    /// The list or the map.
    pub range: Expression,
    /// The element name in `filter` and `body`.
    pub variable: String,
    /// The condition of `map` with three arguments, which selects elements.
    pub filter: Option<Expression>,
    /// The expression that is computed for each element.
    pub body: Expression,
}

/// The loop result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopKind {
    /// Whether the body is true for all elements.
    All,
    /// Whether the body is true for an element.
    Exists,
    /// Whether the body is true for exactly one element.
    ExistsOne,
    /// The body's results.
    Map,
    /// The elements for which the body is true.
    Filter,
}

/// An operator with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `!`
    Not,
    /// `-`
    Negate,
}

/// An operator with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `in`
    In,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `operand[index]`
    Index,
}

impl BinaryOperator {
    /// How the operator is written.
    #[must_use]
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::In => "in",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Index => "[]",
        }
    }
}
