//! What a tool's schema says about its arguments. The tool's server has written it, so it only adds effects.

use super::word_list::has_word;
use crate::value::OrderedValue;
use countersign_events::ToolDefinition;

/// The longest schema that is read, in bytes. What a longer one says is unknown, like what none says.
const MAX_BYTES: usize = 128 * 1024;
/// The most references that are followed for one argument.
const MAX_REFERENCES: usize = 8;

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a reference may be a path and an address")]
pub(super) struct ArgumentRoles {
    pub(super) is_path: bool,
    /// Whether the words that describe it say that it may be a path.
    pub(super) may_be_path: bool,
    pub(super) is_host: bool,
    pub(super) is_branch: bool,
    pub(super) is_sql: bool,
    pub(super) is_table: bool,
}

/// The schema of a tool's arguments.
pub(super) struct ArgumentSchema {
    root: Option<OrderedValue>,
}

impl ArgumentSchema {
    pub(super) fn read(definition: Option<&ToolDefinition>) -> Self {
        let schema = definition.and_then(|definition| definition.input_schema.as_ref());
        let text = schema.map(countersign_events::Json::as_str).filter(|text| text.len() <= MAX_BYTES);
        Self { root: text.and_then(OrderedValue::read) }
    }

    /// What the argument at the path is.
    pub(super) fn roles(&self, path: &[String]) -> ArgumentRoles {
        let Some(root) = &self.root else { return ArgumentRoles::default() };
        let mut roles = ArgumentRoles::default();
        let mut node = self.resolve(root);
        for step in path {
            let is_index = step.bytes().all(|byte| byte.is_ascii_digit());
            let below = node.get("properties").and_then(|properties| properties.get(step));
            let below = below.or_else(|| node.get("items").filter(|_| is_index));
            let Some(below) = below.or_else(|| node.get("additionalProperties")) else { break };
            node = self.resolve(below);
            // What a list or an object is, its elements are, too.
            roles.add(node);
        }
        roles
    }

    /// The part to which a chain of references leads, or the last one that can be read.
    fn resolve<'a>(&'a self, mut node: &'a OrderedValue) -> &'a OrderedValue {
        for _ in 0..MAX_REFERENCES {
            let Some(pointer) =
                node.get("$ref").and_then(OrderedValue::text).and_then(|text| text.strip_prefix("#/"))
            else {
                break;
            };
            let start = self.root.as_ref();
            let found = pointer.split('/').fold(start, |at, step| at.and_then(|at| at.get(step)));
            let Some(found) = found else { break };
            node = found;
        }
        node
    }
}

impl ArgumentRoles {
    fn add(&mut self, node: &OrderedValue) {
        let text = |key: &str| node.get(key).and_then(OrderedValue::text);
        self.add_word(text("format").unwrap_or_default());
        if text("contentMediaType").is_some_and(|kind| kind.to_lowercase().contains("sql")) {
            self.is_sql = true;
        }
        if let OrderedValue::Map(members) = node {
            let hints = members.iter().filter(|(key, _)| key.starts_with("x-"));
            hints.filter_map(|(_, value)| value.text()).for_each(|word| self.add_word(word));
        }
        for words in [text("title"), text("description")].into_iter().flatten() {
            self.add_description(words);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let Some(OrderedValue::List(parts)) = node.get(key) else { continue };
            for part in parts.iter().take(MAX_REFERENCES) {
                self.add_word(part.get("format").and_then(OrderedValue::text).unwrap_or_default());
            }
        }
    }

    /// A format, or a hint of an extension.
    fn add_word(&mut self, word: &str) {
        let word = word.to_lowercase().replace('_', "-");
        let is = |list: &str| has_word(list, &word);
        self.is_path |= is(
            "path file file-path filepath filename directory directory-path dir folder uri-reference iri-reference file-uri",
        );
        self.is_host |= is(
            "uri url iri uri-reference iri-reference hostname idn-hostname host ipv4 ipv6 domain endpoint",
        );
        self.is_branch |= is("branch git-branch git-ref ref");
        self.is_sql |= is("sql query-sql sql-query");
        self.is_table |= is("table table-name collection");
    }

    /// The words for people, which may also speak of something else.
    fn add_description(&mut self, words: &str) {
        for word in words.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase) {
            let is = |list: &str| has_word(list, &word);
            self.may_be_path |= is("path paths filepath file files filename directory folder");
            self.is_host |= is("host hostname url uri endpoint");
            self.is_branch |= is("branch");
            self.is_sql |= is("sql");
            self.is_table |= is("table");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_events::Json;

    fn roles(schema: &serde_json::Value, path: &[&str]) -> ArgumentRoles {
        let input_schema = Some(Json::encode(schema).expect("JSON"));
        let definition = ToolDefinition { input_schema, ..ToolDefinition::default() };
        let path: Vec<_> = path.iter().map(|step| (*step).to_owned()).collect();
        ArgumentSchema::read(Some(&definition)).roles(&path)
    }

    #[test]
    fn formats_hints_and_words_give_roles() {
        let schema = serde_json::json!({
            "properties": {
                "where": { "type": "string", "format": "uri-reference" },
                "what": { "type": "array", "items": { "$ref": "#/$defs/doc" } },
                "into": { "description": "The branch to change" },
                "ask": { "x-type": "sql" },
                "deep": { "properties": { "to": { "anyOf": [{ "format": "hostname" }, { "type": "null" }] } } },
                "note": { "description": "Words" },
                "loop": { "$ref": "#/properties/loop" },
            },
            "$defs": { "doc": { "title": "File to open" } },
        });
        let found = |path: &[&str]| roles(&schema, path);
        assert!(found(&["where"]).is_path && found(&["where"]).is_host);
        assert!(found(&["what", "0"]).may_be_path && !found(&["what", "0"]).is_path);
        assert!(found(&["into"]).is_branch);
        assert!(found(&["ask"]).is_sql);
        assert!(found(&["deep", "to"]).is_host);
        for path in [&["note"][..], &["loop"], &["missing"]] {
            assert_eq!(found(path), ArgumentRoles::default(), "{path:?}");
        }
    }
}
