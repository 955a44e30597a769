//! JSON values with exact decimal numbers, and JSON pointers.

use countersign_events::{
    is_same_spelling,
    json::{ExactDecimal, JsonTokens},
};
use std::borrow::Cow;

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
    /// Reads valid JSON. Returns `None` if it is nested too deep, or contains a number or a string that
    /// cannot be represented.
    pub(crate) fn read(text: &str) -> Option<Self> {
        read_value(&mut JsonTokens::new(text))
    }

    /// The value under an object key.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Map(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Object members or list elements, each with its pointer step.
    pub(crate) fn children(&self) -> impl Iterator<Item = (Cow<'_, str>, &Self)> {
        let (members, values): (&[_], &[_]) = match self {
            Self::Map(members) => (members, &[]),
            Self::List(values) => (&[], values),
            _ => (&[], &[]),
        };
        let members = members.iter().map(|(key, value)| (Cow::Borrowed(key.as_str()), value));
        members.chain(values.iter().enumerate().map(|(at, value)| (Cow::Owned(at.to_string()), value)))
    }

    /// String content.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns true if both values have the same type, so that they can be compared.
    pub(crate) fn is_same_type(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns true if the values are equal. The order of keys does not matter.
    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(a), Self::List(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_equal(b))
            }
            (Self::Map(a), Self::Map(_)) => {
                let mine = |(key, value): &(String, Self)| {
                    other.get(key).is_some_and(|theirs| value.is_equal(theirs))
                };
                other.member_count() == a.len() && a.iter().all(mine)
            }
            _ => self == other,
        }
    }

    /// Returns true if a value of this type can contain this pointer step.
    fn accepts_step(&self, step: &str) -> bool {
        match self {
            Self::Null => true,
            Self::Map(_) => step != "*",
            Self::List(_) => step == "*" || step.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        }
    }

    fn member_count(&self) -> usize {
        if let Self::Map(members) = self { members.len() } else { 0 }
    }

    /// The value's type, for messages.
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

    /// Formats the value as JSON, with every digit.
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

/// A JSON pointer (RFC 6901) whose step `*` matches each element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonPointer {
    text: String,
    steps: Vec<String>,
}

impl JsonPointer {
    /// Reads a pointer such as `/a/b`. The empty pointer refers to the whole value.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(format!("{text:?} is not a JSON pointer; write \"/{text}\""));
        }
        let step = |step: &str| step.replace("~1", "/").replace("~0", "~");
        Ok(Self { text: text.to_owned(), steps: text.split('/').skip(1).map(step).collect() })
    }

    /// The pointer as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Writes the pointer with these steps.
    pub(crate) fn write(steps: &[impl AsRef<str>]) -> String {
        let escape = |step: &str| step.replace('~', "~0").replace('/', "~1");
        steps.iter().flat_map(|step| ["/".to_owned(), escape(step.as_ref())]).collect()
    }

    /// The steps, unescaped.
    pub(crate) fn steps(&self) -> &[String] {
        &self.steps
    }

    /// The values at the pointer under another spelling of its keys, which some programs read as these keys: each with its
    /// own pointer.
    pub(crate) fn find_misspelled<'a>(&self, value: &'a OrderedValue) -> Vec<(Self, &'a OrderedValue)> {
        if let [step] = self.steps.as_slice() {
            return Self::find_misspelled_key(value, step);
        }
        let mut found = vec![(Vec::new(), value)];
        for step in &self.steps {
            let is_step = |key: &str| key == step || step == "*" || is_same_spelling(key, step);
            let inside = |(path, value): (Vec<String>, &'a OrderedValue)| {
                let extend = move |(key, value): (Cow<'_, str>, _)| {
                    ([path.as_slice(), &[key.into_owned()]].concat(), value)
                };
                value.children().filter(|(key, _)| is_step(key)).map(extend).collect::<Vec<_>>()
            };
            found = found.into_iter().flat_map(inside).collect();
        }
        let is_other =
            |path: &[String]| path.iter().zip(&self.steps).any(|(key, step)| key != step && step != "*");
        let others = found.into_iter().filter(|(path, _)| is_other(path));
        others.map(|(steps, value)| (Self { text: Self::write(&steps), steps }, value)).collect()
    }

    /// The same for a pointer to a key of the value itself, as most pointers are.
    fn find_misspelled_key<'a>(value: &'a OrderedValue, step: &str) -> Vec<(Self, &'a OrderedValue)> {
        let is_other = |key: &str| key != step && step != "*" && is_same_spelling(key, step);
        let others = value.children().filter(|(key, _)| is_other(key));
        others
            .map(|(key, value)| {
                let steps = vec![key.into_owned()];
                (Self { text: Self::write(&steps), steps }, value)
            })
            .collect()
    }

    /// The value at the pointer, or `None` if there is none.
    pub(crate) fn find<'a>(&self, value: &'a OrderedValue) -> Option<&'a OrderedValue> {
        self.steps.iter().try_fold(value, |value, step| step_into(value, step))
    }

    /// Every value at the pointer, where `*` matches all elements of a list, with the object or list that contains it.
    pub(crate) fn find_with_parents<'a>(
        &self,
        value: &'a OrderedValue,
    ) -> Vec<(Option<&'a OrderedValue>, &'a OrderedValue)> {
        let Some((last, before)) = self.steps.split_last() else { return vec![(None, value)] };
        let inside = |parent| each_at(parent, last).map(move |value| (Some(parent), value));
        if before.is_empty() {
            return inside(value).collect();
        }
        let parents = before.iter().fold(vec![value], |found, step| steps_into(found, step));
        parents.into_iter().flat_map(inside).collect()
    }

    /// The last step.
    pub(crate) fn last_step(&self) -> Option<&str> {
        self.steps.last().map(String::as_str)
    }

    /// The pointer to another key of the same object, or `None` for the empty pointer.
    pub(crate) fn sibling(&self, key: &str) -> Option<Self> {
        let (parent, _) = self.text.rsplit_once('/')?;
        Self::read(&format!("{parent}/{key}")).ok()
    }

    /// Returns true if the pointer passes through a value of the wrong type, such as a string instead of a list. The
    /// target may then be at another pointer, so it must not count as absent.
    pub(crate) fn meets_wrong_type(&self, value: &OrderedValue) -> bool {
        // The first step never does.
        if self.steps.len() < 2 {
            return false;
        }
        let mut found = vec![value];
        self.steps.iter().enumerate().any(|(at, step)| {
            let is_wrong = at > 0 && found.iter().any(|value| !value.accepts_step(step));
            found = steps_into(std::mem::take(&mut found), step);
            is_wrong
        })
    }

    /// Returns true if one pointer refers to the same value as the other, or to a part of it.
    pub(crate) fn touches(&self, other: &Self) -> bool {
        paths_overlap(self.steps.iter().map(String::as_str), &other.steps)
    }

    /// Like [`Self::touches`], for a path as a list of steps.
    pub(crate) fn touches_path(&self, path: &[String]) -> bool {
        paths_overlap(path.iter().map(String::as_str), &self.steps)
    }
}

fn paths_overlap<'a>(path: impl Iterator<Item = &'a str>, steps: &[String]) -> bool {
    path.zip(steps).all(|(a, b)| a == b || a == "*" || b == "*")
}

fn steps_into<'a>(found: Vec<&'a OrderedValue>, step: &str) -> Vec<&'a OrderedValue> {
    found.into_iter().flat_map(|value| each_at(value, step)).collect()
}

/// The values at a step, where `*` matches all elements of a list.
fn each_at<'a>(value: &'a OrderedValue, step: &str) -> impl Iterator<Item = &'a OrderedValue> + use<'a> {
    let (all, one): (&[_], _) = match value {
        OrderedValue::List(values) if step == "*" => (values, None),
        _ => (&[], step_into(value, step)),
    };
    all.iter().chain(one)
}

fn step_into<'a>(value: &'a OrderedValue, step: &str) -> Option<&'a OrderedValue> {
    match value {
        OrderedValue::Map(_) => value.get(step),
        // RFC 6901 allows neither signs nor leading zeros.
        OrderedValue::List(_) if step.len() > 1 && step.starts_with('0') || step.starts_with('+') => None,
        OrderedValue::List(values) => values.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

fn read_value(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    match tokens.peek() {
        b'{' => tokens.nested(read_object)?,
        b'[' => tokens.nested(read_array)?,
        b'"' => tokens.string().ok().map(|text| OrderedValue::Text(text.into_owned())),
        _ => match tokens.scalar() {
            "null" => Some(OrderedValue::Null),
            "true" => Some(OrderedValue::Bool(true)),
            "false" => Some(OrderedValue::Bool(false)),
            number => ExactDecimal::parse(number).map(OrderedValue::Number),
        },
    }
}

fn read_array(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    let mut values = Vec::new();
    while !tokens.eat(b']') {
        tokens.eat(b',');
        values.push(read_value(tokens)?);
    }
    Some(OrderedValue::List(values))
}

fn read_object(tokens: &mut JsonTokens<'_>) -> Option<OrderedValue> {
    let mut members = Vec::new();
    while !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        let key = tokens.string().ok()?.into_owned();
        tokens.eat(b':');
        members.push((key, read_value(tokens)?));
    }
    Some(OrderedValue::Map(members))
}
