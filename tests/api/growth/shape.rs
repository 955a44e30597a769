//! What a schema says, with its references, its parts and a variant `null` put together.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Keywords that forbid more if their number is smaller.
const UPPER_LIMITS: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];
/// Keywords that forbid more if their number is larger.
const LOWER_LIMITS: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];

#[derive(Debug, Default)]
pub(super) struct SchemaShape<'a> {
    /// Empty if any type is valid.
    pub(super) types: BTreeSet<&'a str>,
    pub(super) members: BTreeMap<&'a str, &'a Value>,
    pub(super) required: BTreeSet<&'a str>,
    pub(super) words: Option<BTreeSet<String>>,
    pub(super) upper_limits: BTreeMap<&'static str, f64>,
    pub(super) lower_limits: BTreeMap<&'static str, f64>,
    pub(super) format: Option<&'a str>,
    pub(super) pattern: Option<&'a str>,
    pub(super) default: Option<&'a Value>,
    /// Schemas of all items, of all other members and of their names.
    pub(super) inner: BTreeMap<&'static str, &'a Value>,
    /// Whether members without a name in the schema are forbidden.
    pub(super) is_closed: bool,
    /// The alternatives, each by the name of its schema or its position.
    pub(super) variants: BTreeMap<String, &'a Value>,
}

impl<'a> SchemaShape<'a> {
    pub(super) fn read(document: &'a Value, schema: &'a Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema);
        shape
    }

    fn add(&mut self, document: &'a Value, schema: &'a Value) {
        if let Some(name) = schema_name(schema) {
            let named = &document["components"]["schemas"][name];
            assert!(named.is_object(), "there is no schema {name}");
            self.add(document, named);
        }
        for part in list(schema, "allOf") {
            self.add(document, part);
        }
        self.add_variants(document, schema);
        match &schema["type"] {
            Value::String(name) => drop(self.types.insert(name)),
            names => self.types.extend(names.as_array().into_iter().flatten().filter_map(Value::as_str)),
        }
        self.members.extend(members(&schema["properties"]));
        self.required.extend(list(schema, "required").iter().filter_map(Value::as_str));
        if let Some(words) = schema["enum"].as_array() {
            self.words = Some(words.iter().map(Value::to_string).collect());
        }
        self.add_limits(schema);
        for keyword in ["items", "additionalProperties", "propertyNames"] {
            self.inner
                .extend(schema.get(keyword).filter(|inner| inner.is_object()).map(|inner| (keyword, inner)));
        }
        self.is_closed |= schema["additionalProperties"] == false;
    }

    fn add_limits(&mut self, schema: &'a Value) {
        let limit = |keyword: &'static str| Some((keyword, schema.get(keyword)?.as_f64()?));
        self.upper_limits.extend(UPPER_LIMITS.into_iter().filter_map(limit));
        self.lower_limits.extend(LOWER_LIMITS.into_iter().filter_map(limit));
        self.format = schema["format"].as_str().or(self.format);
        self.pattern = schema["pattern"].as_str().or(self.pattern);
        self.default = schema.get("default").or(self.default);
    }

    /// A schema or `null` is the schema with one more type. Other alternatives stay apart.
    fn add_variants(&mut self, document: &'a Value, schema: &'a Value) {
        let (nulls, others): (Vec<_>, Vec<_>) =
            alternatives(schema).enumerate().partition(|(_, variant)| variant["type"] == "null");
        if let [(_, only)] = others[..] {
            self.add(document, only);
            if !nulls.is_empty() && !self.types.is_empty() {
                self.types.insert("null");
            }
            return;
        }
        let named = others.into_iter().map(|(position, variant)| {
            (schema_name(variant).map_or_else(|| position.to_string(), str::to_owned), variant)
        });
        self.variants.extend(named);
    }
}

/// The name of the shared schema that a schema refers to, also as the only alternative to `null`.
pub(super) fn schema_name(schema: &Value) -> Option<&str> {
    let mut others = alternatives(schema).filter(|variant| variant["type"] != "null");
    let only = others.next().filter(|_| others.next().is_none()).unwrap_or(schema);
    only["$ref"].as_str()?.strip_prefix("#/components/schemas/")
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    list(schema, "oneOf").iter().chain(list(schema, "anyOf"))
}

fn list<'a>(schema: &'a Value, keyword: &str) -> &'a [Value] {
    schema[keyword].as_array().map_or(&[], Vec::as_slice)
}

/// The members of a JSON object, or none.
pub(super) fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(name, member)| (name.as_str(), member))
}
