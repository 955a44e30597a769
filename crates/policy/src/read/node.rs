//! What a file or a pattern holds, each value with the place it stands at, so that every complaint can
//! name its line.

use crate::{span::parse_span, spelling::did_you_mean, value::Value};
use countersign_events::json::Decimal;
use std::time::Duration;
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

/// What is wrong, and where: in bytes from the start of the file.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) why: String,
}

/// A value, and where it begins.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) item: Item,
}

/// What a value can be.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Plain(Value),
    /// A date or a number that no JSON holds.
    Strange(String),
    List(Vec<Node>),
    Table(Vec<Entry>),
}

/// A key of a table, and its value.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) at: usize,
    pub(crate) value: Node,
}

impl Entry {
    /// The key, as a value of its own.
    pub(crate) fn name(&self) -> Node {
        Node { at: self.at, item: Item::Plain(Value::Text(self.key.clone())) }
    }
}

impl Node {
    /// From TOML, keys in the order they stand in.
    pub(crate) fn of_toml(table: &Spanned<DeTable<'_>>) -> Self {
        Self { at: table.span().start, item: Item::Table(entries(table.get_ref())) }
    }

    /// From JSON, which has no places.
    pub(crate) fn of_json(value: &Value) -> Self {
        let item = match value {
            Value::List(values) => Item::List(values.iter().map(Self::of_json).collect()),
            Value::Map(members) => Item::Table(
                members
                    .iter()
                    .map(|(key, value)| Entry { key: key.clone(), at: 0, value: Self::of_json(value) })
                    .collect(),
            ),
            plain => Item::Plain(plain.clone()),
        };
        Self { at: 0, item }
    }

    /// As the JSON it would be.
    pub(crate) fn to_value(&self) -> Result<Value, Fault> {
        match &self.item {
            Item::Plain(value) => Ok(value.clone()),
            Item::Strange(text) => Err(self.fault(format!("{text} cannot be compared with any JSON value"))),
            Item::List(nodes) => nodes.iter().map(Self::to_value).collect::<Result<_, _>>().map(Value::List),
            Item::Table(entries) => {
                let member = |entry: &Entry| Ok((entry.key.clone(), entry.value.to_value()?));
                entries.iter().map(member).collect::<Result<_, _>>().map(Value::Map)
            }
        }
    }

    pub(crate) fn fault(&self, why: impl Into<String>) -> Fault {
        Fault { at: self.at, why: why.into() }
    }

    pub(crate) fn text(&self, what: &str) -> Result<&str, Fault> {
        match &self.item {
            Item::Plain(Value::Text(text)) => Ok(text),
            _ => Err(self.fault(format!("{what} takes a string, not {}", self.kind()))),
        }
    }

    pub(crate) fn flag(&self, what: &str) -> Result<bool, Fault> {
        match &self.item {
            Item::Plain(Value::Bool(yes)) => Ok(*yes),
            _ => Err(self.fault(format!("{what} takes true or false, not {}", self.kind()))),
        }
    }

    pub(crate) fn number(&self, what: &str) -> Result<Decimal, Fault> {
        match &self.item {
            Item::Plain(Value::Number(number)) => Ok(number.clone()),
            _ => Err(self.fault(format!("{what} takes a number, not {}", self.kind()))),
        }
    }

    /// A number of people: at least one.
    pub(super) fn count(&self, what: &str) -> Result<u32, Fault> {
        let count = self.number(what)?.to_i64().and_then(|count| u32::try_from(count).ok());
        count
            .filter(|count| *count > 0)
            .ok_or_else(|| self.fault(format!("{what} is a whole number from 1 to {}", u32::MAX)))
    }

    /// Reads `90s`, `15m`, `2h` or `1d`.
    pub(super) fn span(&self, what: &str) -> Result<Duration, Fault> {
        let text = self.text(what)?;
        parse_span(text).ok_or_else(|| {
            self.fault(format!("{text:?} is no span of time such as \"90s\", \"15m\", \"2h\" or \"1d\""))
        })
    }

    /// A value, or a list of at least one.
    pub(crate) fn one_or_more(&self, what: &str) -> Result<&[Self], Fault> {
        match &self.item {
            Item::List(nodes) if nodes.is_empty() => {
                Err(self.fault(format!("the list of {what} is empty, so nothing would ever match")))
            }
            Item::List(nodes) => Ok(nodes),
            _ => Ok(std::slice::from_ref(self)),
        }
    }

    /// A string, or a list of at least one of them.
    pub(crate) fn texts(&self, what: &str) -> Result<Vec<(&str, &Self)>, Fault> {
        self.one_or_more(what)?.iter().map(|node| Ok((node.text(what)?, node))).collect()
    }

    pub(crate) fn keys(&self, what: &'static str) -> Result<Keys<'_>, Fault> {
        match &self.item {
            Item::Table(entries) => Ok(Keys { what, at: self.at, entries, known: Vec::new() }),
            _ => Err(self.fault(format!("{what} is a table, not {}", self.kind()))),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match &self.item {
            Item::Plain(value) => value.kind(),
            Item::Strange(_) => "a date or a number without a value",
            Item::List(_) => "a list",
            Item::Table(_) => "a table",
        }
    }

    /// The same text for whatever means the same.
    pub(crate) fn plain(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match &self.item {
            Item::Plain(value) => out.push_str(&value.render()),
            Item::Strange(text) => out.push_str(text),
            Item::List(nodes) => {
                out.push('[');
                for node in nodes {
                    node.write(out);
                    out.push(',');
                }
                out.push(']');
            }
            Item::Table(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by(|a, b| a.key.cmp(&b.key));
                out.push('{');
                for entry in sorted {
                    out.push_str(&Value::Text(entry.key.clone()).render());
                    out.push(':');
                    entry.value.write(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

/// The keys of a table, taken one by one; what is left over at the end is an error.
pub(crate) struct Keys<'a> {
    what: &'static str,
    at: usize,
    entries: &'a [Entry],
    known: Vec<&'static str>,
}

impl<'a> Keys<'a> {
    pub(crate) fn take(&mut self, key: &'static str) -> Option<&'a Node> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn need(&mut self, key: &'static str) -> Result<&'a Node, Fault> {
        let (at, what) = (self.at, self.what);
        self.take(key).ok_or_else(|| Fault { at, why: format!("{what} has no `{key}`, and needs one") })
    }

    /// All entries, for tables whose keys are the operator's own names.
    pub(crate) fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    pub(crate) fn fault(&self, why: impl Into<String>) -> Fault {
        Fault { at: self.at, why: why.into() }
    }

    /// Fails on a key that nobody asked for.
    pub(crate) fn done(self) -> Result<(), Fault> {
        let Some(entry) = self.entries.iter().find(|entry| !self.known.contains(&entry.key.as_str())) else {
            return Ok(());
        };
        let hint = did_you_mean(&entry.key, &self.known);
        Err(Fault { at: entry.at, why: format!("{} knows no key `{}`{hint}", self.what, entry.key) })
    }
}

fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let text: &std::borrow::Cow<'_, str> = key.get_ref();
        Entry { key: text.to_string(), at: key.span().start, value: node(value) }
    };
    let mut entries: Vec<_> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let item = match value.get_ref() {
        DeValue::String(text) => Item::Plain(Value::Text(text.to_string())),
        DeValue::Boolean(yes) => Item::Plain(Value::Bool(*yes)),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => decimal(number.as_str()),
        DeValue::Datetime(date) => Item::Strange(date.to_string()),
        DeValue::Array(values) => Item::List(values.iter().map(node).collect()),
        DeValue::Table(table) => Item::Table(entries(table)),
    };
    Node { at: value.span().start, item }
}

fn integer(number: &DeInteger<'_>) -> Item {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(whole) => decimal(&whole.to_string()),
        Err(_) => decimal(number.as_str()),
    }
}

fn decimal(text: &str) -> Item {
    match Decimal::parse(text.strip_prefix('+').unwrap_or(text)) {
        Some(number) => Item::Plain(Value::Number(number)),
        None => Item::Strange(text.to_owned()),
    }
}
