//! A configuration as a tree of values with their byte ranges, the same for JSON and TOML.

use super::error::BadClientConfig;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use std::{ops::Range, path::Path};
use toml_edit::{Document, Item, Table, TableLike};

/// A configuration syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigSyntax {
    /// JSON, also with comments and trailing commas.
    Json,
    /// TOML.
    Toml,
    /// YAML, which is not changed.
    Yaml,
}

impl ConfigSyntax {
    /// The file syntax, by file name.
    #[must_use]
    pub fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }
}

/// A configuration value with its byte range.
#[derive(Debug)]
pub(super) struct ConfigNode {
    pub(super) at: Range<usize>,
    pub(super) value: ConfigValue,
}

#[derive(Debug)]
pub(super) enum ConfigValue {
    Object(ObjectStyle, Vec<ConfigMember>),
    List(Vec<ConfigNode>),
    Text(String),
    /// A number, a date, null, or true or false.
    Other,
}

/// How an object's members are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectStyle {
    /// `"key": value`, with commas.
    Json,
    /// `key = value`, with commas.
    Inline,
    /// `key = value`, in lines.
    Lines,
    /// A table without a place of its own, such as that of a dotted key. Nothing can be added to it.
    Scattered,
}

/// An object member.
#[derive(Debug)]
pub(super) struct ConfigMember {
    pub(super) key: String,
    pub(super) key_at: Range<usize>,
    pub(super) node: ConfigNode,
}

impl ConfigNode {
    pub(super) fn read(text: &str, syntax: ConfigSyntax) -> Result<Self, BadClientConfig> {
        match syntax {
            ConfigSyntax::Json => read_json(text),
            ConfigSyntax::Toml => read_toml(text),
            ConfigSyntax::Yaml => Err(BadClientConfig::Yaml),
        }
    }

    pub(super) fn members(&self) -> &[ConfigMember] {
        match &self.value {
            ConfigValue::Object(_, members) => members,
            _ => &[],
        }
    }

    pub(super) const fn style(&self) -> Option<ObjectStyle> {
        match self.value {
            ConfigValue::Object(style, _) => Some(style),
            _ => None,
        }
    }

    pub(super) fn member(&self, key: &str) -> Option<&ConfigMember> {
        self.members().iter().find(|member| member.key == key)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.member(key).map(|member| &member.node)
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            ConfigValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The strings of a string list, with their byte ranges.
    pub(super) fn words(&self) -> Option<Vec<(&str, Range<usize>)>> {
        match &self.value {
            ConfigValue::List(items) => {
                items.iter().map(|item| item.text().map(|text| (text, item.at.clone()))).collect()
            }
            _ => None,
        }
    }
}

fn read_json(text: &str) -> Result<ConfigNode, BadClientConfig> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let parsed = parsed.map_err(|why| BadClientConfig::Syntax(why.to_string()))?;
    parsed.value.map(json_node).ok_or_else(|| BadClientConfig::Syntax("it is empty".to_owned()))
}

fn json_node(value: ast::Value<'_>) -> ConfigNode {
    let range = jsonc_parser::common::Ranged::range(&value);
    let value = match value {
        ast::Value::Object(object) => {
            let members = object.properties.into_iter().map(|property| {
                let at = jsonc_parser::common::Ranged::range(&property.name);
                ConfigMember {
                    key_at: at.start..at.end,
                    key: property.name.into_string(),
                    node: json_node(property.value),
                }
            });
            ConfigValue::Object(ObjectStyle::Json, members.collect())
        }
        ast::Value::Array(list) => ConfigValue::List(list.elements.into_iter().map(json_node).collect()),
        ast::Value::StringLit(text) => ConfigValue::Text(text.value.into_owned()),
        ast::Value::BooleanLit(_) | ast::Value::NumberLit(_) | ast::Value::NullKeyword(_) => {
            ConfigValue::Other
        }
    };
    ConfigNode { at: range.start..range.end, value }
}

fn read_toml(text: &str) -> Result<ConfigNode, BadClientConfig> {
    let document = Document::parse(text).map_err(|why| BadClientConfig::Syntax(why.to_string()))?;
    Ok(table_node(document.as_table()))
}

fn table_node(table: &Table) -> ConfigNode {
    let is_scattered = table.is_dotted() || table.is_implicit();
    let style = if is_scattered { ObjectStyle::Scattered } else { ObjectStyle::Lines };
    ConfigNode { at: table.span().unwrap_or(0..0), value: ConfigValue::Object(style, toml_members(table)) }
}

fn toml_members(table: &dyn TableLike) -> Vec<ConfigMember> {
    let members = table.iter().filter_map(|(name, item)| {
        let key_at = table.key(name).and_then(toml_edit::Key::span).unwrap_or(0..0);
        Some(ConfigMember { key: name.to_owned(), key_at, node: item_node(item)? })
    });
    members.collect()
}

fn item_node(item: &Item) -> Option<ConfigNode> {
    match item {
        Item::Value(value) => value_node(value),
        Item::Table(table) => Some(table_node(table)),
        Item::ArrayOfTables(_) | Item::None => None,
    }
}

fn value_node(value: &toml_edit::Value) -> Option<ConfigNode> {
    let node = match value {
        toml_edit::Value::String(text) => ConfigValue::Text(text.value().clone()),
        toml_edit::Value::Array(list) => ConfigValue::List(list.iter().filter_map(value_node).collect()),
        toml_edit::Value::InlineTable(table) => {
            let style = if table.is_dotted() { ObjectStyle::Scattered } else { ObjectStyle::Inline };
            ConfigValue::Object(style, toml_members(table))
        }
        toml_edit::Value::Boolean(_)
        | toml_edit::Value::Integer(_)
        | toml_edit::Value::Float(_)
        | toml_edit::Value::Datetime(_) => ConfigValue::Other,
    };
    Some(ConfigNode { at: value.span()?, value: node })
}
