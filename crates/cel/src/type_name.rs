//! Names of types in expressions, such as `int` in `type(x) == int`.

use crate::{CelValue, Expression};

/// The names of types. A longer name is written with dots.
const TYPE_NAMES: &[&str] = &[
    "bool",
    "bytes",
    "double",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "int",
    "list",
    "map",
    "null_type",
    "string",
    "type",
    "uint",
];

/// Replaces the names of types by the types, except where a loop variable has the name.
pub(crate) fn resolve_type_names(expression: &mut Expression) {
    TypeResolver::default().resolve(expression);
}

#[derive(Default)]
struct TypeResolver {
    loop_variables: Vec<String>,
}

impl TypeResolver {
    fn resolve(&mut self, expression: &mut Expression) {
        if let Some(name) = self.find_type(expression) {
            *expression = Expression::Literal(CelValue::Type(name));
            return;
        }
        match expression {
            Expression::Literal(_) | Expression::Variable(_) => {}
            Expression::Select { operand, .. }
            | Expression::Has { operand, .. }
            | Expression::Unary(_, operand)
            | Expression::Matches(operand, _) => self.resolve(operand),
            Expression::Binary(_, operands) => self.resolve_all(&mut **operands),
            Expression::Conditional(parts) => self.resolve_all(&mut **parts),
            Expression::List(nodes) | Expression::Call(_, nodes) => self.resolve_all(nodes),
            Expression::Map(entries) => self.resolve_all(entries.as_flattened_mut()),
            Expression::Loop(details) => {
                self.resolve(&mut details.range);
                self.loop_variables.push(details.variable.clone());
                details.filter.iter_mut().chain([&mut details.body]).for_each(|part| self.resolve(part));
                self.loop_variables.pop();
            }
        }
    }

    fn resolve_all(&mut self, expressions: &mut [Expression]) {
        for expression in expressions {
            self.resolve(expression);
        }
    }

    fn find_type(&self, expression: &Expression) -> Option<&'static str> {
        let found = TYPE_NAMES.iter().find(|name| is_path(expression, name))?;
        let root = found.split('.').next()?;
        (!self.loop_variables.iter().any(|variable| variable == root)).then_some(found)
    }
}

/// Returns true if the expression is a variable and its fields, written like the path.
fn is_path(expression: &Expression, path: &str) -> bool {
    match (expression, path.rsplit_once('.')) {
        (Expression::Variable(name), None) => name == path,
        (Expression::Select { operand, field }, Some((before, last))) => {
            **field == *last && is_path(operand, before)
        }
        _ => false,
    }
}
