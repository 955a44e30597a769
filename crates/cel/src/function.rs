//! The functions of conditions: their names, and how they are called.

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

/// How a function is called.
struct FunctionShape {
    function: CelFunction,
    name: &'static str,
    usage: &'static str,
    /// The possible argument counts after `target.function(`.
    after_target: &'static [usize],
    /// The possible argument counts without a target.
    alone: &'static [usize],
}

const fn method(
    function: CelFunction,
    name: &'static str,
    usage: &'static str,
    after_target: &'static [usize],
) -> FunctionShape {
    FunctionShape { function, name, usage, after_target, alone: &[] }
}

const fn conversion(function: CelFunction, name: &'static str, usage: &'static str) -> FunctionShape {
    FunctionShape { function, name, usage, after_target: &[], alone: &[1] }
}

/// All functions, in the order of [`CelFunction`].
const SHAPES: &[FunctionShape] = &[
    FunctionShape {
        function: CelFunction::Size,
        name: "size",
        usage: "size(x) or x.size()",
        after_target: &[0],
        alone: &[1],
    },
    method(CelFunction::Contains, "contains", "text.contains(part)", &[1]),
    method(CelFunction::StartsWith, "startsWith", "text.startsWith(part)", &[1]),
    method(CelFunction::EndsWith, "endsWith", "text.endsWith(part)", &[1]),
    FunctionShape {
        function: CelFunction::Matches,
        name: "matches",
        usage: "text.matches('pattern') or matches(text, 'pattern')",
        after_target: &[1],
        alone: &[2],
    },
    conversion(CelFunction::Text, "string", "string(x)"),
    conversion(CelFunction::Int, "int", "int(x)"),
    conversion(CelFunction::Uint, "uint", "uint(x)"),
    conversion(CelFunction::Double, "double", "double(x)"),
    conversion(CelFunction::Bool, "bool", "bool(x)"),
    conversion(CelFunction::Bytes, "bytes", "bytes(x)"),
    conversion(CelFunction::Type, "type", "type(x)"),
    conversion(CelFunction::Dyn, "dyn", "dyn(x)"),
];

const NAMES: [&str; SHAPES.len()] = {
    let mut names = [""; SHAPES.len()];
    let mut next = 0;
    while next < names.len() {
        names[next] = SHAPES[next].name;
        next += 1;
    }
    names
};

/// The functions' names.
pub const FUNCTION_NAMES: &[&str] = &NAMES;

impl CelFunction {
    /// The function with a name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        SHAPES.iter().find(|shape| shape.name == name).map(|shape| shape.function)
    }

    /// The function's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        SHAPES[self as usize].name
    }

    /// How the function is called, if it cannot be called as described.
    pub(crate) fn correct_usage(self, has_target: bool, arguments: usize) -> Option<&'static str> {
        let shape = &SHAPES[self as usize];
        let counts = if has_target { shape.after_target } else { shape.alone };
        (!counts.contains(&arguments)).then_some(shape.usage)
    }
}

#[cfg(test)]
mod tests {
    use super::SHAPES;

    #[test]
    fn shapes_have_the_order_of_functions() {
        for (place, shape) in SHAPES.iter().enumerate() {
            assert_eq!(shape.function as usize, place, "{}", shape.name);
        }
    }
}
