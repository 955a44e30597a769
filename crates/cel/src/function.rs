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
    /// Reads a timestamp.
    Timestamp,
    /// Reads a duration.
    Duration,
    /// The year.
    FullYear,
    /// The month; January is 0.
    Month,
    /// The day of the month, from 1.
    Date,
    /// The day of the month, from 0.
    DayOfMonth,
    /// The weekday; Sunday is 0.
    DayOfWeek,
    /// The day of the year, from 0.
    DayOfYear,
    /// The hour, or a duration in hours.
    Hours,
    /// The minute, or a duration in minutes.
    Minutes,
    /// The second, or a duration in seconds.
    Seconds,
    /// The milliseconds after the last whole second.
    Milliseconds,
    /// The character at an index.
    CharAt,
    /// The index of the first occurrence, or -1.
    IndexOf,
    /// The index of the last occurrence, or -1.
    LastIndexOf,
    /// Joins a list of strings.
    Join,
    /// Changes the letters A to Z to lower case.
    LowerAscii,
    /// Changes the letters a to z to upper case.
    UpperAscii,
    /// Replaces occurrences.
    Replace,
    /// Splits at a separator.
    Split,
    /// The characters between two indexes.
    Substring,
    /// Removes white space at both ends.
    Trim,
    /// Reverses the characters.
    Reverse,
    /// Fills in a template.
    Format,
    /// Writes a string as a literal.
    Quote,
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
    conversion(CelFunction::Timestamp, "timestamp", "timestamp('2024-05-01T12:00:00Z')"),
    conversion(CelFunction::Duration, "duration", "duration('1h30m')"),
    method(CelFunction::FullYear, "getFullYear", "timestamp.getFullYear()", &[0, 1]),
    method(CelFunction::Month, "getMonth", "timestamp.getMonth()", &[0, 1]),
    method(CelFunction::Date, "getDate", "timestamp.getDate()", &[0, 1]),
    method(CelFunction::DayOfMonth, "getDayOfMonth", "timestamp.getDayOfMonth()", &[0, 1]),
    method(CelFunction::DayOfWeek, "getDayOfWeek", "timestamp.getDayOfWeek()", &[0, 1]),
    method(CelFunction::DayOfYear, "getDayOfYear", "timestamp.getDayOfYear()", &[0, 1]),
    method(CelFunction::Hours, "getHours", "timestamp.getHours() or timestamp.getHours('+02:00')", &[0, 1]),
    method(CelFunction::Minutes, "getMinutes", "timestamp.getMinutes()", &[0, 1]),
    method(CelFunction::Seconds, "getSeconds", "timestamp.getSeconds()", &[0, 1]),
    method(CelFunction::Milliseconds, "getMilliseconds", "timestamp.getMilliseconds()", &[0, 1]),
    method(CelFunction::CharAt, "charAt", "text.charAt(index)", &[1]),
    method(CelFunction::IndexOf, "indexOf", "text.indexOf(part) or text.indexOf(part, start)", &[1, 2]),
    method(
        CelFunction::LastIndexOf,
        "lastIndexOf",
        "text.lastIndexOf(part) or text.lastIndexOf(part, start)",
        &[1, 2],
    ),
    method(CelFunction::Join, "join", "list.join() or list.join(separator)", &[0, 1]),
    method(CelFunction::LowerAscii, "lowerAscii", "text.lowerAscii()", &[0]),
    method(CelFunction::UpperAscii, "upperAscii", "text.upperAscii()", &[0]),
    method(
        CelFunction::Replace,
        "replace",
        "text.replace(old, new) or text.replace(old, new, limit)",
        &[2, 3],
    ),
    method(CelFunction::Split, "split", "text.split(separator) or text.split(separator, limit)", &[1, 2]),
    method(
        CelFunction::Substring,
        "substring",
        "text.substring(start) or text.substring(start, end)",
        &[1, 2],
    ),
    method(CelFunction::Trim, "trim", "text.trim()", &[0]),
    method(CelFunction::Reverse, "reverse", "text.reverse()", &[0]),
    method(CelFunction::Format, "format", "text.format([value, …])", &[1]),
    conversion(CelFunction::Quote, "strings.quote", "strings.quote(text)"),
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

    /// Returns true if the function converts to the type that it names.
    pub(crate) const fn converts(self) -> bool {
        let place = self as usize;
        Self::Text as usize <= place && place <= Self::Duration as usize
    }

    /// Returns true if the function reads a part of a timestamp, in a time zone if one is given.
    pub(crate) const fn reads_time_zone(self) -> bool {
        let place = self as usize;
        Self::FullYear as usize <= place && place <= Self::Milliseconds as usize
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
