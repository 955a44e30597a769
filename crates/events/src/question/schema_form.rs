//! A form of an MCP server: `elicitation/create` in form mode (MCP 2025-06-18 to 2026-07-28), whose `requestedSchema` is a flat
//! object of strings, numbers, booleans and choices.

use super::form::{
    NumberKind, Question, QuestionAnswer, QuestionForm, QuestionKind, QuestionOption, has_only,
};
use crate::json::JsonTree;

const YES: &str = "yes";
const NO: &str = "no";

/// The members that the form shows.
const KNOWN: &[&str] = &["message", "requestedSchema", "server"];
const KNOWN_SCHEMA: &[&str] = &["type", "properties", "required", "$schema"];
const KNOWN_PROPERTY: &[&str] = &[
    "type",
    "title",
    "description",
    "enum",
    "enumNames",
    "oneOf",
    "anyOf",
    "items",
    "default",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

pub(super) fn read(arguments: &JsonTree) -> Option<QuestionForm> {
    let schema = arguments.get("requestedSchema")?;
    let required: Vec<&str> = schema.list_of("required").iter().filter_map(JsonTree::as_text).collect();
    let properties = properties_of(schema)?;
    let questions = properties
        .iter()
        .map(|(name, property)| read_property(name, property, required.contains(&name.as_str())))
        .collect::<Option<Vec<_>>>()?;
    let is_complete = has_only(arguments, KNOWN)
        && has_only(schema, KNOWN_SCHEMA)
        && properties.iter().all(|(_, property)| has_only(property, KNOWN_PROPERTY));
    let message = arguments.text_of("message").map(str::to_owned);
    let source = arguments.text_of("server").map(str::to_owned);
    Some(QuestionForm { kind: QuestionKind::Questions, message, source, questions, is_complete })
}

fn properties_of(schema: &JsonTree) -> Option<&[(String, JsonTree)]> {
    match schema.get("properties")? {
        JsonTree::Object(members) => Some(members),
        _ => None,
    }
}

fn read_property(name: &str, property: &JsonTree, required: bool) -> Option<Question> {
    let title = property.text_of("title").filter(|title| !title.is_empty() && *title != name);
    let kind = property.text_of("type")?;
    let options: Vec<QuestionOption> =
        choices_of(property).into_iter().map(|(label, _)| option(&label)).collect();
    let number = number_of(kind);
    let hint = [hint_of(property, number), property.text_of("description").map(str::to_owned)];
    let hint: Vec<String> = hint.into_iter().flatten().collect();
    let has_known_type = matches!(kind, "string" | "number" | "integer" | "boolean" | "array");
    has_known_type.then(|| Question {
        text: title.map_or_else(|| name.to_owned(), |title| format!("{title} ({name})")),
        header: None,
        hint: (!hint.is_empty()).then(|| hint.join("; ")),
        multiple: kind == "array",
        free_text: options.is_empty(),
        options,
        number,
        required,
        preset: preset_of(property),
    })
}

fn option(label: &str) -> QuestionOption {
    QuestionOption { label: label.to_owned(), description: None, preview: None }
}

/// The labels of a property, and the values that they stand for.
fn choices_of(property: &JsonTree) -> Vec<(String, JsonTree)> {
    match property.text_of("type") {
        Some("boolean") => vec![(YES.to_owned(), true.into()), (NO.to_owned(), false.into())],
        Some("array") => property.get("items").map(choices_of_texts).unwrap_or_default(),
        _ => choices_of_texts(property),
    }
}

/// A list of values, with their names beside it, or a list of constants that have titles.
fn choices_of_texts(property: &JsonTree) -> Vec<(String, JsonTree)> {
    let names = property.list_of("enumNames");
    let values = property.list_of("enum").iter().enumerate().filter_map(|(index, value)| {
        let name = names.get(index).and_then(JsonTree::as_text).or(value.as_text())?;
        Some((name.to_owned(), value.clone()))
    });
    let titled = ["oneOf", "anyOf"].into_iter().flat_map(|key| property.list_of(key)).filter_map(|one| {
        let value = one.get("const")?;
        Some((one.text_of("title").or(value.as_text())?.to_owned(), value.clone()))
    });
    values.chain(titled).collect()
}

fn number_of(kind: &str) -> Option<NumberKind> {
    match kind {
        "integer" => Some(NumberKind::Integer),
        "number" => Some(NumberKind::Number),
        _ => None,
    }
}

/// What an answer must be like.
fn hint_of(property: &JsonTree, number: Option<NumberKind>) -> Option<String> {
    let Some(number) = number else { return property.text_of("format").map(str::to_owned) };
    let limit = |key: &str, words: &str| property.get(key).map(|limit| format!("{words} {limit}"));
    let parts =
        [Some(number.describe().to_owned()), limit("minimum", "at least"), limit("maximum", "at most")];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn preset_of(property: &JsonTree) -> Vec<String> {
    let choices = choices_of(property);
    let label_of = |value: &JsonTree| {
        let choice = choices.iter().find(|(_, own)| own == value).map(|(label, _)| label.clone());
        choice.or_else(|| match value {
            JsonTree::Text(text) => Some(text.clone()),
            JsonTree::Number(digits) => Some(digits.clone()),
            _ => None,
        })
    };
    match property.get("default") {
        Some(JsonTree::List(list)) => list.iter().filter_map(label_of).collect(),
        Some(value) => label_of(value).into_iter().collect(),
        None => Vec::new(),
    }
}

/// `content`: the name of each property that has an answer, and its value.
pub(super) fn write(arguments: JsonTree, _form: &QuestionForm, answers: &[QuestionAnswer]) -> JsonTree {
    let mut content = JsonTree::empty_object();
    let properties = arguments.get("requestedSchema").and_then(properties_of).unwrap_or_default();
    for ((name, property), answer) in properties.iter().zip(answers) {
        let choices = choices_of(property);
        let mut values = answer.iter().filter(|part| !part.is_empty()).map(|part| {
            let choice = choices.iter().find(|(label, _)| label == part);
            choice.map_or_else(|| value_of_text(property, part), |(_, value)| value.clone())
        });
        let value = match property.text_of("type") {
            Some("array") => {
                Some(JsonTree::List(values.collect())).filter(|list| list.as_list() != Some(&[]))
            }
            _ => values.next(),
        };
        if let Some(value) = value {
            content.set(name, value);
        }
    }
    arguments.with("content", content)
}

fn value_of_text(property: &JsonTree, text: &str) -> JsonTree {
    match property.text_of("type") {
        Some("number" | "integer") => JsonTree::Number(text.trim().to_owned()),
        _ => text.into(),
    }
}
