//! The values in a file or pattern, each with its position, so that every error can name its line.

use crate::{span::parse_span, spelling::did_you_mean, value::OrderedValue};
use countersign_events::json::ExactDecimal;
use std::time::Duration;
use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

/// An error in a policy, with its position in bytes from the file's start.
#[derive(Debug)]
pub(crate) struct PolicyFault {
    pub(crate) at: usize,
    pub(crate) why: String,
}

/// A value and its position.
#[derive(Debug, Clone)]
pub(crate) struct TomlNode {
    pub(crate) at: usize,
    pub(crate) item: TomlItem,
}

/// Value content.
#[derive(Debug, Clone)]
pub(crate) enum TomlItem {
    Plain(OrderedValue),
    /// A date, or a number that JSON cannot represent.
    Strange(String),
    List(Vec<TomlNode>),
    Table(Vec<TomlEntry>),
}

/// A table key and its value.
#[derive(Debug, Clone)]
pub(crate) struct TomlEntry {
    pub(crate) key: String,
    pub(crate) at: usize,
    pub(crate) value: TomlNode,
}

impl TomlEntry {
    /// The key as a node.
    pub(crate) fn key_node(&self) -> TomlNode {
        TomlNode { at: self.at, item: TomlItem::Plain(OrderedValue::Text(self.key.clone())) }
    }
}

impl TomlNode {
    /// Converts TOML. The keys keep their order.
    pub(crate) fn from_toml(table: &Spanned<DeTable<'_>>) -> Self {
        Self { at: table.span().start, item: TomlItem::Table(entries(table.get_ref())) }
    }

    /// Converts JSON. All positions are 0.
    pub(crate) fn from_json(value: &OrderedValue) -> Self {
        let item = match value {
            OrderedValue::List(values) => TomlItem::List(values.iter().map(Self::from_json).collect()),
            OrderedValue::Map(members) => TomlItem::Table(
                members
                    .iter()
                    .map(|(key, value)| TomlEntry { key: key.clone(), at: 0, value: Self::from_json(value) })
                    .collect(),
            ),
            plain => TomlItem::Plain(plain.clone()),
        };
        Self { at: 0, item }
    }

    /// Converts the node to a JSON value.
    pub(crate) fn to_value(&self) -> Result<OrderedValue, PolicyFault> {
        match &self.item {
            TomlItem::Plain(value) => Ok(value.clone()),
            TomlItem::Strange(text) => {
                Err(self.fault(format!("{text} is not a JSON value, so no argument can equal it")))
            }
            TomlItem::List(nodes) => {
                nodes.iter().map(Self::to_value).collect::<Result<_, _>>().map(OrderedValue::List)
            }
            TomlItem::Table(entries) => {
                let member = |entry: &TomlEntry| Ok((entry.key.clone(), entry.value.to_value()?));
                entries.iter().map(member).collect::<Result<_, _>>().map(OrderedValue::Map)
            }
        }
    }

    /// The node for a file that starts at `start`.
    pub(super) fn moved_by(mut self, start: usize) -> Self {
        self.move_by(start);
        self
    }

    fn move_by(&mut self, start: usize) {
        self.at += start;
        match &mut self.item {
            TomlItem::List(nodes) => nodes.iter_mut().for_each(|node| node.move_by(start)),
            TomlItem::Table(entries) => {
                for entry in entries {
                    entry.at += start;
                    entry.value.move_by(start);
                }
            }
            TomlItem::Plain(_) | TomlItem::Strange(_) => {}
        }
    }

    pub(crate) fn fault(&self, why: impl Into<String>) -> PolicyFault {
        PolicyFault { at: self.at, why: why.into() }
    }

    pub(crate) fn text(&self, what: &str) -> Result<&str, PolicyFault> {
        match &self.item {
            TomlItem::Plain(OrderedValue::Text(text)) => Ok(text),
            _ => Err(self.fault(format!("{what} must be a string, not {}", self.kind()))),
        }
    }

    pub(crate) fn flag(&self, what: &str) -> Result<bool, PolicyFault> {
        match &self.item {
            TomlItem::Plain(OrderedValue::Bool(yes)) => Ok(*yes),
            _ => Err(self.fault(format!("{what} must be true or false, not {}", self.kind()))),
        }
    }

    pub(crate) fn number(&self, what: &str) -> Result<ExactDecimal, PolicyFault> {
        match &self.item {
            TomlItem::Plain(OrderedValue::Number(number)) => Ok(number.clone()),
            _ => Err(self.fault(format!("{what} must be a number, not {}", self.kind()))),
        }
    }

    /// Reads a number of people, which is at least one.
    pub(super) fn count(&self, what: &str) -> Result<u32, PolicyFault> {
        let count = self.number(what)?.to_i64().and_then(|count| u32::try_from(count).ok());
        count
            .filter(|count| *count > 0)
            .ok_or_else(|| self.fault(format!("{what} must be a whole number from 1 to {}", u32::MAX)))
    }

    /// Reads a duration such as `90s`, `15m`, `2h` or `1d`.
    pub(super) fn duration(&self, what: &str) -> Result<Duration, PolicyFault> {
        let text = self.text(what)?;
        parse_span(text).ok_or_else(|| {
            self.fault(format!(
                "{text:?} is not a duration; write one such as \"90s\", \"15m\", \"2h\" or \"1d\""
            ))
        })
    }

    /// Reads a value, or a list of at least one value.
    pub(crate) fn one_or_more(&self, what: &str) -> Result<&[Self], PolicyFault> {
        match &self.item {
            TomlItem::List(nodes) if nodes.is_empty() => {
                Err(self.fault(format!("the list of {what} is empty, so it can never match")))
            }
            TomlItem::List(nodes) => Ok(nodes),
            _ => Ok(std::slice::from_ref(self)),
        }
    }

    /// Reads a string, or a list of at least one string.
    pub(crate) fn texts(&self, what: &str) -> Result<Vec<(&str, &Self)>, PolicyFault> {
        self.one_or_more(what)?.iter().map(|node| Ok((node.text(what)?, node))).collect()
    }

    pub(crate) fn keys(&self, what: &'static str) -> Result<TableKeys<'_>, PolicyFault> {
        match &self.item {
            TomlItem::Table(entries) => Ok(TableKeys { what, at: self.at, entries, known: Vec::new() }),
            _ => Err(self.fault(format!("{what} must be a table, not {}", self.kind()))),
        }
    }

    pub(crate) fn kind(&self) -> &'static str {
        match &self.item {
            TomlItem::Plain(value) => value.kind(),
            TomlItem::Strange(_) => "a date or a number without a value",
            TomlItem::List(_) => "a list",
            TomlItem::Table(_) => "a table",
        }
    }

    /// A string that is equal for values with the same meaning.
    pub(crate) fn canonical_text(&self) -> String {
        let mut out = String::new();
        self.write_canonical(&mut out);
        out
    }

    fn write_canonical(&self, out: &mut String) {
        match &self.item {
            TomlItem::Plain(value) => out.push_str(&value.render()),
            TomlItem::Strange(text) => out.push_str(text),
            TomlItem::List(nodes) => {
                out.push('[');
                for node in nodes {
                    node.write_canonical(out);
                    out.push(',');
                }
                out.push(']');
            }
            TomlItem::Table(entries) => {
                let mut sorted: Vec<_> = entries.iter().collect();
                sorted.sort_by(|a, b| a.key.cmp(&b.key));
                out.push('{');
                for entry in sorted {
                    out.push_str(&OrderedValue::Text(entry.key.clone()).render());
                    out.push(':');
                    entry.value.write_canonical(out);
                    out.push(',');
                }
                out.push('}');
            }
        }
    }
}

/// Table keys. A key that is not read before [`Self::reject_unknown`] is an error.
pub(crate) struct TableKeys<'a> {
    what: &'static str,
    at: usize,
    entries: &'a [TomlEntry],
    known: Vec<&'static str>,
}

impl<'a> TableKeys<'a> {
    pub(crate) fn optional(&mut self, key: &'static str) -> Option<&'a TomlNode> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    pub(crate) fn required(&mut self, key: &'static str) -> Result<&'a TomlNode, PolicyFault> {
        let (at, what) = (self.at, self.what);
        self.optional(key).ok_or_else(|| PolicyFault { at, why: format!("{what} needs a `{key}`") })
    }

    /// All entries, for tables whose keys the operator chooses.
    pub(crate) fn entries(&self) -> &'a [TomlEntry] {
        self.entries
    }

    pub(crate) fn fault(&self, why: impl Into<String>) -> PolicyFault {
        PolicyFault { at: self.at, why: why.into() }
    }

    /// Returns an error if the table has a key that was not read.
    pub(crate) fn reject_unknown(self) -> Result<(), PolicyFault> {
        let Some(entry) = self.entries.iter().find(|entry| !self.known.contains(&entry.key.as_str())) else {
            return Ok(());
        };
        let hint = did_you_mean(&entry.key, &self.known);
        Err(PolicyFault { at: entry.at, why: format!("{} has no key `{}`{hint}", self.what, entry.key) })
    }
}

fn entries(table: &DeTable<'_>) -> Vec<TomlEntry> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
        let text: &std::borrow::Cow<'_, str> = key.get_ref();
        TomlEntry { key: text.to_string(), at: key.span().start, value: node(value) }
    };
    let mut entries: Vec<_> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.at);
    entries
}

fn node(value: &Spanned<DeValue<'_>>) -> TomlNode {
    let item = match value.get_ref() {
        DeValue::String(text) => TomlItem::Plain(OrderedValue::Text(text.to_string())),
        DeValue::Boolean(yes) => TomlItem::Plain(OrderedValue::Bool(*yes)),
        DeValue::Integer(number) => integer(number),
        DeValue::Float(number) => decimal(number.as_str()),
        DeValue::Datetime(date) => TomlItem::Strange(date.to_string()),
        DeValue::Array(values) => TomlItem::List(values.iter().map(node).collect()),
        DeValue::Table(table) => TomlItem::Table(entries(table)),
    };
    TomlNode { at: value.span().start, item }
}

fn integer(number: &DeInteger<'_>) -> TomlItem {
    match i128::from_str_radix(number.as_str(), number.radix()) {
        Ok(whole) => decimal(&whole.to_string()),
        Err(_) => decimal(number.as_str()),
    }
}

fn decimal(text: &str) -> TomlItem {
    match ExactDecimal::parse(text.strip_prefix('+').unwrap_or(text)) {
        Some(number) => TomlItem::Plain(OrderedValue::Number(number)),
        None => TomlItem::Strange(text.to_owned()),
    }
}
