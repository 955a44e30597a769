//! The syntax tree for conditions.

use crate::value::CelValue;
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

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CelFunction {
    /// The number of characters, bytes, elements or members.
    Size,
    /// `text.contains(part)`
    Contains,
    /// `text.startsWith(part)`
    StartsWith,
    /// `text.endsWith(part)`
    EndsWith,
    /// `text.matches(pattern)`
    Matches,
    /// Converts to a string.
    Text,
    /// Converts to a signed integer.
    Int,
    /// Converts to an unsigned integer.
    Uint,
    /// Converts to a floating-point number.
    Double,
    /// Converts to a bool.
    Bool,
    /// Converts to a byte string.
    Bytes,
    /// A value type.
    Type,
    /// The value itself.
    Dyn,
}

/// The functions' names.
pub const FUNCTION_NAMES: &[&str] = &[
    "size",
    "contains",
    "startsWith",
    "endsWith",
    "matches",
    "string",
    "int",
    "uint",
    "double",
    "bool",
    "bytes",
    "type",
    "dyn",
];

/// The functions in the order of their names in [`FUNCTION_NAMES`].
const FUNCTIONS: [CelFunction; 13] = [
    CelFunction::Size,
    CelFunction::Contains,
    CelFunction::StartsWith,
    CelFunction::EndsWith,
    CelFunction::Matches,
    CelFunction::Text,
    CelFunction::Int,
    CelFunction::Uint,
    CelFunction::Double,
    CelFunction::Bool,
    CelFunction::Bytes,
    CelFunction::Type,
    CelFunction::Dyn,
];

impl CelFunction {
    /// The function with a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        FUNCTION_NAMES.iter().zip(FUNCTIONS).find(|(known, _)| **known == name).map(|(_, function)| function)
    }

    /// The function's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        FUNCTION_NAMES[self as usize]
    }

    /// How the function is called, if it cannot be called as described.
    pub(crate) const fn correct_usage(self, has_target: bool, arguments: usize) -> Option<&'static str> {
        let (usage, fits) = match self {
            Self::Size => ("size(x) or x.size()", arguments == if has_target { 0 } else { 1 }),
            Self::Matches => (
                "text.matches('pattern') or matches(text, 'pattern')",
                arguments == if has_target { 1 } else { 2 },
            ),
            Self::Contains => ("text.contains(part)", has_target && arguments == 1),
            Self::StartsWith => ("text.startsWith(part)", has_target && arguments == 1),
            Self::EndsWith => ("text.endsWith(part)", has_target && arguments == 1),
            Self::Text => ("string(x)", !has_target && arguments == 1),
            Self::Int => ("int(x)", !has_target && arguments == 1),
            Self::Uint => ("uint(x)", !has_target && arguments == 1),
            Self::Double => ("double(x)", !has_target && arguments == 1),
            Self::Bool => ("bool(x)", !has_target && arguments == 1),
            Self::Bytes => ("bytes(x)", !has_target && arguments == 1),
            Self::Type => ("type(x)", !has_target && arguments == 1),
            Self::Dyn => ("dyn(x)", !has_target && arguments == 1),
        };
        if fits { None } else { Some(usage) }
    }
}
