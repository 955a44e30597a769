//! Arguments as rules look at them: JSON with numbers by their exact decimal value, and JSON pointers.

use countersign_events::json::{ExactDecimal, JsonTokens};

/// A JSON value that keeps the order of its keys and every digit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OrderedValue {
    Null,
    Bool(bool),
    Number(ExactDecimal),
    Text(String),
    List(Vec<OrderedValue>),
    Map(Vec<(String, OrderedValue)>),
}

impl OrderedValue {
    /// Reads a text that is JSON already. `None` where it nests too deep, or holds a number or a string
    /// that nobody can hold: then nothing is known of it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        value(&mut JsonTokens::new(text))
    }

    /// The value under a key of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether it is a value of the same kind, so that the two can be compared at all.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Whether it means the same: the order of keys says nothing.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Self::Map(a), Self::Map(_)) => {
                let mine =
                    |(key, value): &(String, Self)| other.get(key).is_some_and(|theirs| value.same(theirs));
                other.members() == a.len() && a.iter().all(mine)
            }
            _ => self == other,
        }
    }

    /// Whether such a step may lead into it.
    fn has_steps_like(&self, step: &str) -> bool {
        match self {
            Self::Null => true,
            Self::Map(_) => step != "*",
            Self::List(_) => step == "*" || step.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        }
    }

    fn members(&self) -> usize {
        if let Self::Map(members) = self { members.len() } else { 0 }
    }

    /// What kind of value it is, for people.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
        }
    }

    /// As JSON, with every digit.
    pub(crate) fn render(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(yes) => yes.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => quoted(text),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::render).collect::<Vec<_>>().join(", "))
            }
            Self::Map(members) => {
                let member = |(key, value): &(String, Self)| format!("{}: {}", quoted(key), value.render());
                format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// A JSON pointer (RFC 6901) whose step `*` stands for each element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonPointer {
    text: String,
    steps: Vec<String>,
}

impl JsonPointer {
    /// Reads `/a/b`; the whole value is the empty pointer.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(format!("{text:?} is no JSON pointer; one begins with /, as \"/{text}\" does"));
        }
        let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
        Ok(Self { text: text.to_owned(), steps: text.split('/').skip(1).map(step).collect() })
    }

    /// As it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The value it leads to; none if there is none.
    pub(crate) fn find<'a>(&self, value: &'a OrderedValue) -> Option<&'a OrderedValue> {
        self.steps.iter().try_fold(value, |value, step| step_into(value, step))
    }

    /// Every value it leads to, where `*` stands for all elements of a list.
    pub(crate) fn find_all<'a>(&self, value: &'a OrderedValue) -> Vec<&'a OrderedValue> {
        self.steps.iter().fold(vec![value], |found, step| steps_into(found, step))
    }

    /// Whether it meets something on its way that it cannot go into, such as a text where a list should stand: what
    /// it leads to is then not absent, but somewhere else.
    pub(crate) fn strays(&self, value: &OrderedValue) -> bool {
        let mut found = vec![value];
        self.steps.iter().enumerate().any(|(at, step)| {
            let strays = at > 0 && found.iter().any(|value| !value.has_steps_like(step));
            found = steps_into(std::mem::take(&mut found), step);
            strays
        })
    }

    /// Whether one of the two pointers leads to, or into, what the other leads to.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        overlap(self.steps.iter().map(String::as_str), &other.steps)
    }

    /// The same for a path that is given step by step.
    pub(crate) fn touches_path(&self, path: &[String]) -> bool {
        overlap(path.iter().map(String::as_str), &self.steps)
    }
}

fn overlap<'a>(path: impl Iterator<Item = &'a str>, steps: &[String]) -> bool {
    path.zip(steps).all(|(a, b)| a == b || a == "*" || b == "*")
}

fn steps_into<'a>(found: Vec<&'a OrderedValue>, step: &str) -> Vec<&'a OrderedValue> {
    let each = |value: &'a OrderedValue| match value {
        OrderedValue::List(values) if step == "*" => values.iter().collect(),
        _ => step_into(value, step).into_iter().collect::<Vec<_>>(),
    };
    found.into_iter().flat_map(each).collect()
}

fn step_into<'a>(value: &'a OrderedValue, step: &str) -> Option<&'a OrderedValue> {
    match value {
        OrderedValue::Map(_) => value.get(step),
        // RFC 6901 knows no signs and no leading zeros.
        OrderedValue::List(_) if step.len() > 1 && step.starts_with('0') || step.starts_with('+') => None,
        OrderedValue::List(values) => values.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn value(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    match tokens.peek() {
        b'{' => tokens.nested(object)?,
        b'[' => tokens.nested(array)?,
        b'"' => tokens.string().ok().map(|text| OrderedValue::Text(text.into_owned())),
        _ => match tokens.scalar() {
            "null" => Some(OrderedValue::Null),
            "true" => Some(OrderedValue::Bool(true)),
            "false" => Some(OrderedValue::Bool(false)),
            number => ExactDecimal::parse(number).map(OrderedValue::Number),
        },
    }
}

fn array(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    let mut values = Vec::new();
    while !tokens.eat(b']') {
        tokens.eat(b',');
        values.push(value(tokens)?);
    }
    Some(OrderedValue::List(values))
}

fn object(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    let mut members = Vec::new();
    while !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        let key = tokens.string().ok()?.into_owned();
        tokens.eat(b':');
        members.push((key, value(tokens)?));
    }
    Some(OrderedValue::Map(members))
}
