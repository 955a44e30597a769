//! JSON as a tree that keeps the order of members and every digit of numbers, so that a message can be changed in one place
//! and stays as it was sent everywhere else.

use super::{Json, JsonTokens};
use std::fmt;

/// A JSON value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonTree {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// The digits as they were sent.
    Number(String),
    /// A string.
    Text(String),
    /// The elements of an array.
    List(Vec<Self>),
    /// The members in their order.
    Object(Vec<(String, Self)>),
}

impl JsonTree {
    /// Parses a valid JSON value; `None` if it nests too deeply or has a string that is not Unicode.
    #[must_use]
    pub fn parse(json: &Json) -> Option<Self> {
        read_value(&mut JsonTokens::new(json.as_str()))
    }

    /// Parses a JSON text inside of a string; `None` if it is not JSON within the limits.
    #[must_use]
    pub fn parse_text(text: &str) -> Option<Self> {
        Self::parse(&Json::parse(text).ok()?)
    }

    /// Creates an object with these members.
    #[must_use]
    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// Creates an object without members.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::Object(Vec::new())
    }

    /// The member with this name, unless it is null.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let (_, value) = members.iter().find(|(key, _)| key == name)?;
        (*value != Self::Null).then_some(value)
    }

    /// The string in the member with this name.
    #[must_use]
    pub fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// The first of these members that is a string.
    #[must_use]
    pub fn first_text_of(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.text_of(name))
    }

    /// The boolean in the member with this name.
    #[must_use]
    pub fn bool_of(&self, name: &str) -> Option<bool> {
        match self.get(name)? {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The elements of the list in the member with this name; none if it is not a list.
    #[must_use]
    pub fn list_of(&self, name: &str) -> &[Self] {
        self.get(name).and_then(Self::as_list).unwrap_or_default()
    }

    /// The string, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The elements, if it is an array.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        if let Self::List(list) = self { Some(list) } else { None }
    }

    /// Returns true for an object.
    #[must_use]
    pub const fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }

    /// Sets a member of an object, in its place if the object has it.
    pub fn set(&mut self, name: &str, value: impl Into<Self>) {
        let Self::Object(members) = self else { return };
        match members.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value.into(),
            None => members.push((name.to_owned(), value.into())),
        }
    }

    /// The same object with this member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Self>) -> Self {
        self.set(name, value);
        self
    }

    /// The same object with this member, if there is a value.
    #[must_use]
    pub fn with_optional(self, name: &str, value: Option<impl Into<Self>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same object without these members.
    #[must_use]
    pub fn without(mut self, names: &[&str]) -> Self {
        if let Self::Object(members) = &mut self {
            members.retain(|(key, _)| !names.contains(&key.as_str()));
        }
        self
    }

    /// The list in the member with this name, which is made if it is absent or of another kind.
    #[must_use]
    pub fn list_mut(&mut self, name: &str) -> Option<&mut Vec<Self>> {
        if self.get(name).and_then(Self::as_list).is_none() {
            self.set(name, Self::List(Vec::new()));
        }
        let Self::Object(members) = self else { return None };
        match &mut members.iter_mut().find(|(key, _)| key == name)?.1 {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The value as JSON text.
    #[must_use]
    pub fn to_json(&self) -> Json {
        // The text of a tree is always valid JSON, so the fallback is never reached.
        Json::stored(self.to_string()).unwrap_or_else(|_| Json::null())
    }
}

impl From<&str> for JsonTree {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for JsonTree {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for JsonTree {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Vec<Self>> for JsonTree {
    fn from(list: Vec<Self>) -> Self {
        Self::List(list)
    }
}

impl fmt::Display for JsonTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(digits) => f.write_str(digits),
            Self::Text(text) => write_string(f, text),
            Self::List(list) => {
                f.write_str("[")?;
                for (index, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (index, (key, value)) in members.iter().enumerate() {
                    f.write_str(if index > 0 { "," } else { "" })?;
                    write_string(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "{}", serde_json::Value::from(text))
}

fn read_value(tokens: &mut JsonTokens<'_>) -> Option<JsonTree> {
    match tokens.peek() {
        b'{' => tokens.nested(read_object)?,
        b'[' => tokens.nested(read_list)?,
        b'"' => Some(JsonTree::Text(tokens.string().ok()?.into_owned())),
        b'-' | b'0'..=b'9' => Some(JsonTree::Number(tokens.scalar().to_owned())),
        _ => match tokens.scalar() {
            "true" => Some(JsonTree::Bool(true)),
            "false" => Some(JsonTree::Bool(false)),
            "null" => Some(JsonTree::Null),
            _ => None,
        },
    }
}

fn read_list(tokens: &mut JsonTokens<'_>) -> Option<JsonTree> {
    let mut list = Vec::new();
    while !tokens.eat(b']') {
        tokens.eat(b',');
        list.push(read_value(tokens)?);
    }
    Some(JsonTree::List(list))
}

fn read_object(tokens: &mut JsonTokens<'_>) -> Option<JsonTree> {
    let mut members = Vec::new();
    while !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        let key = tokens.string().ok()?.into_owned();
        tokens.eat(b':');
        members.push((key, read_value(tokens)?));
    }
    Some(JsonTree::Object(members))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_and_digits_are_kept() {
        let text = r#"{"z":[1.50,9007199254740993,-0],"a":{"quote":"\"\\\n","e":"é"},"n":null,"t":true}"#;
        assert_eq!(JsonTree::parse_text(text).expect("valid").to_string(), text);
        assert_eq!(JsonTree::parse_text(" [ ] ").expect("valid").to_string(), "[]");
        assert_eq!(JsonTree::parse_text("{\"a\":1,\"a\":2}"), None, "a repeated key");
    }
}
