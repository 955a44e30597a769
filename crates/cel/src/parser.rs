//! Reads a condition.

use crate::{
    BinaryOperator, CelFunction, CelValue, Expression, LoopExpression, LoopKind, ParseError, UnaryOperator,
    error::MAX_OPERATIONS,
    lexer::{LexerToken, TokenKind, split_tokens},
    literal::read_number,
    moment_text::read_time_zone,
    type_name::resolve_type_names,
};
use regex::RegexBuilder;

/// The memory limit for a compiled pattern, in bytes.
const MAX_PATTERN_MEMORY: usize = 1024 * 1024;
/// Words that cannot be names of variables.
const RESERVED_WORDS: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];
/// Words that are values or operators.
const KEYWORDS: &[&str] = &["true", "false", "null", "in"];
/// The binary operators by precedence, loosest first.
const BINARY_OPERATORS: &[&[(&str, BinaryOperator)]] = &[
    &[("||", BinaryOperator::Or)],
    &[("&&", BinaryOperator::And)],
    &[
        ("==", BinaryOperator::Equal),
        ("!=", BinaryOperator::NotEqual),
        ("<", BinaryOperator::Less),
        ("<=", BinaryOperator::LessOrEqual),
        (">", BinaryOperator::Greater),
        (">=", BinaryOperator::GreaterOrEqual),
        ("in", BinaryOperator::In),
    ],
    &[("+", BinaryOperator::Add), ("-", BinaryOperator::Subtract)],
    &[("*", BinaryOperator::Multiply), ("/", BinaryOperator::Divide), ("%", BinaryOperator::Remainder)],
];

/// Reads an expression.
pub fn parse(source: &str) -> Result<Expression, ParseError> {
    let tokens = split_tokens(source)?;
    let mut parser = ExpressionParser { source, tokens, next: 0, operations: 0 };
    let mut expression = parser.read_expression()?;
    match parser.peek() {
        TokenKind::End => {
            resolve_type_names(&mut expression);
            Ok(expression)
        }
        _ => Err(parser.syntax_error("an operator or the end was expected")),
    }
}

struct ExpressionParser<'a> {
    source: &'a str,
    tokens: Vec<LexerToken>,
    next: usize,
    operations: usize,
}

impl ExpressionParser<'_> {
    fn peek(&self) -> &TokenKind {
        &self.tokens[self.next].kind
    }

    /// The next token, which is then consumed. The end is never consumed.
    fn advance(&mut self) -> TokenKind {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn syntax_error(&self, why: &str) -> ParseError {
        let at = self.tokens[self.next].at;
        ParseError::Syntax { column: self.source[..at].chars().count() + 1, why: why.to_owned() }
    }

    fn count_operation(&mut self) -> Result<(), ParseError> {
        self.operations += 1;
        if self.operations > MAX_OPERATIONS { Err(ParseError::TooLarge) } else { Ok(()) }
    }

    /// Consumes the symbol if it is next.
    fn accept(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Symbol(next) if *next == symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.accept(symbol) {
            return Ok(());
        }
        Err(self.syntax_error(&format!("`{symbol}` was expected")))
    }

    fn read_expression(&mut self) -> Result<Expression, ParseError> {
        self.count_operation()?;
        let condition = self.read_binary(0)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let then = self.read_binary(0)?;
        self.expect(":")?;
        let otherwise = self.read_expression()?;
        Ok(Expression::Conditional(Box::new([condition, then, otherwise])))
    }

    /// Reads operators of at least a precedence. All of them associate to the left.
    fn read_binary(&mut self, lowest: usize) -> Result<Expression, ParseError> {
        let mut left = self.read_unary()?;
        while let Some((precedence, operator)) = self.peek_binary_operator().filter(|(p, _)| *p >= lowest) {
            self.count_operation()?;
            self.advance();
            let right = self.read_binary(precedence + 1)?;
            left = Expression::Binary(operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn peek_binary_operator(&self) -> Option<(usize, BinaryOperator)> {
        let written = match self.peek() {
            TokenKind::Symbol(symbol) => symbol,
            TokenKind::Word(word) => word.as_str(),
            _ => return None,
        };
        BINARY_OPERATORS.iter().enumerate().find_map(|(precedence, operators)| {
            let found = operators.iter().find(|(symbol, _)| *symbol == written);
            found.map(|(_, operator)| (precedence, *operator))
        })
    }

    fn read_unary(&mut self) -> Result<Expression, ParseError> {
        let operator = match self.peek() {
            TokenKind::Symbol("!") => UnaryOperator::Not,
            TokenKind::Symbol("-") => UnaryOperator::Negate,
            _ => return self.read_member(),
        };
        self.count_operation()?;
        self.advance();
        // The smallest integer has no positive counterpart, so its sign belongs to the literal.
        if let (UnaryOperator::Negate, TokenKind::Number(digits)) = (operator, self.peek()) {
            let number = read_number(digits, true).map_err(|why| self.syntax_error(why))?;
            self.advance();
            return self.read_suffixes(Expression::Literal(number));
        }
        Ok(Expression::Unary(operator, Box::new(self.read_unary()?)))
    }

    fn read_member(&mut self) -> Result<Expression, ParseError> {
        let primary = self.read_primary()?;
        self.read_suffixes(primary)
    }

    /// Reads the fields, calls and indexes after a value.
    fn read_suffixes(&mut self, mut operand: Expression) -> Result<Expression, ParseError> {
        loop {
            if self.accept(".") {
                self.count_operation()?;
                operand = self.read_field(operand)?;
            } else if self.accept("[") {
                self.reject_optional()?;
                let index = self.read_expression()?;
                self.expect("]")?;
                operand = Expression::Binary(BinaryOperator::Index, Box::new([operand, index]));
            } else if matches!(self.peek(), TokenKind::Symbol("{")) {
                return Err(ParseError::CreatesObject);
            } else {
                return Ok(operand);
            }
        }
    }

    fn read_field(&mut self, operand: Expression) -> Result<Expression, ParseError> {
        self.reject_optional()?;
        let name = match self.peek() {
            TokenKind::Word(word) if !KEYWORDS.contains(&word.as_str()) => word.clone(),
            TokenKind::Backquoted(field) => {
                let field = field.as_str().into();
                self.advance();
                return Ok(Expression::Select { operand: Box::new(operand), field });
            }
            _ => return Err(self.syntax_error("a name was expected; write ['…'] for any other key")),
        };
        self.advance();
        if self.accept("(") {
            let arguments = self.read_list(")")?;
            return self.build_call(&name, Some(operand), arguments);
        }
        Ok(Expression::Select { operand: Box::new(operand), field: name.into() })
    }

    fn reject_optional(&self) -> Result<(), ParseError> {
        match self.peek() {
            TokenKind::Symbol("?") => Err(self.syntax_error("optional values are not supported; use has()")),
            _ => Ok(()),
        }
    }

    fn read_primary(&mut self) -> Result<Expression, ParseError> {
        let at_start = self.syntax_error("a value was expected");
        match self.peek().clone() {
            TokenKind::Quoted(value) => {
                self.advance();
                Ok(Expression::Literal(value))
            }
            TokenKind::Number(digits) => {
                let number = read_number(&digits, false).map_err(|why| self.syntax_error(why))?;
                self.advance();
                Ok(Expression::Literal(number))
            }
            TokenKind::Word(word) => self.read_word(&word),
            TokenKind::Symbol("(") => {
                self.advance();
                let inner = self.read_expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Symbol("[") => {
                self.advance();
                self.read_list("]").map(Expression::List)
            }
            TokenKind::Symbol("{") => {
                self.advance();
                self.read_map()
            }
            _ => Err(at_start),
        }
    }

    fn read_word(&mut self, word: &str) -> Result<Expression, ParseError> {
        let literal = match word {
            "true" => Some(CelValue::Bool(true)),
            "false" => Some(CelValue::Bool(false)),
            "null" => Some(CelValue::Null),
            "in" => return Err(self.syntax_error("a value was expected")),
            _ if RESERVED_WORDS.contains(&word) => {
                return Err(self.syntax_error(&format!("`{word}` is a reserved word")));
            }
            _ => None,
        };
        self.advance();
        if let Some(literal) = literal {
            return Ok(Expression::Literal(literal));
        }
        if self.accept("(") {
            let arguments = self.read_list(")")?;
            return self.build_call(word, None, arguments);
        }
        Ok(Expression::Variable(word.to_owned()))
    }

    /// Reads expressions and commas up to a closing bracket. A comma may follow the last expression.
    fn read_list(&mut self, end: &str) -> Result<Vec<Expression>, ParseError> {
        let mut elements = Vec::new();
        while !self.accept(end) {
            self.reject_optional()?;
            elements.push(self.read_expression()?);
            if !self.accept(",") {
                self.expect(end)?;
                break;
            }
        }
        Ok(elements)
    }

    fn read_map(&mut self) -> Result<Expression, ParseError> {
        let mut entries = Vec::new();
        while !self.accept("}") {
            self.reject_optional()?;
            let key = self.read_expression()?;
            self.expect(":")?;
            entries.push([key, self.read_expression()?]);
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Expression::Map(entries))
    }

    fn build_call(
        &self,
        name: &str,
        target: Option<Expression>,
        mut arguments: Vec<Expression>,
    ) -> Result<Expression, ParseError> {
        if name == "has" && target.is_none() && arguments.len() == 1 {
            return match arguments.remove(0) {
                Expression::Select { operand, field } => Ok(Expression::Has { operand, field }),
                _ => Err(ParseError::WrongCall { name: "has", usage: "has(map.field)" }),
            };
        }
        let target = match (target, loop_kind(name, arguments.len())) {
            (Some(range), Some(kind)) => return self.build_loop(kind, range, arguments),
            (target, _) => target,
        };
        let (function, target) = find_function(name, target)?;
        if let Some(usage) = function.correct_usage(target.is_some(), arguments.len()) {
            return Err(ParseError::WrongCall { name: function.name(), usage });
        }
        arguments.splice(0..0, target);
        match (function, arguments.as_slice()) {
            (CelFunction::Matches, _) => build_matches(arguments),
            (_, [_, Expression::Literal(CelValue::Text(zone))])
                if function.reads_time_zone() && read_time_zone(zone).is_none() =>
            {
                Err(ParseError::UnknownTimeZone(zone.as_ref().to_owned()))
            }
            _ => Ok(Expression::Call(function, arguments)),
        }
    }

    fn build_loop(
        &self,
        kind: LoopKind,
        range: Expression,
        arguments: Vec<Expression>,
    ) -> Result<Expression, ParseError> {
        let mut arguments = arguments.into_iter();
        let (Some(Expression::Variable(variable)), Some(second)) = (arguments.next(), arguments.next())
        else {
            return Err(self.syntax_error("the first argument of the loop before must be a name"));
        };
        let (filter, body) = match arguments.next() {
            Some(body) => (Some(second), body),
            None => (None, second),
        };
        Ok(Expression::Loop(Box::new(LoopExpression { kind, range, variable, filter, body })))
    }
}

/// The function with a name. A prefix such as `strings.` belongs to the name and is no target.
fn find_function(
    name: &str,
    target: Option<Expression>,
) -> Result<(CelFunction, Option<Expression>), ParseError> {
    if let Some(Expression::Variable(prefix)) = &target
        && let Some(function) = CelFunction::from_name(&format!("{prefix}.{name}"))
    {
        return Ok((function, None));
    }
    let function = CelFunction::from_name(name);
    function.map(|function| (function, target)).ok_or_else(|| ParseError::UnknownFunction(name.to_owned()))
}

/// The loop with this name and argument count.
fn loop_kind(name: &str, arguments: usize) -> Option<LoopKind> {
    Some(match (name, arguments) {
        ("all", 2) => LoopKind::All,
        ("exists", 2) => LoopKind::Exists,
        ("exists_one" | "existsOne", 2) => LoopKind::ExistsOne,
        ("map", 2 | 3) => LoopKind::Map,
        ("filter", 2) => LoopKind::Filter,
        _ => return None,
    })
}

/// Compiles the pattern once, when the condition is read.
fn build_matches(arguments: Vec<Expression>) -> Result<Expression, ParseError> {
    let mut arguments = arguments.into_iter();
    let (Some(text), Some(Expression::Literal(CelValue::Text(pattern)))) =
        (arguments.next(), arguments.next())
    else {
        return Err(ParseError::PatternNotLiteral);
    };
    let regex = RegexBuilder::new(&pattern).size_limit(MAX_PATTERN_MEMORY).build();
    let regex = regex.map_err(|why| ParseError::InvalidPattern(why.to_string()))?;
    Ok(Expression::Matches(Box::new(text), regex))
}
