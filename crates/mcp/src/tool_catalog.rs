//! A server's tool definitions, as it declares them in `tools/list`.

use countersign_api::ProposedDefinition;
use countersign_events::{Json, Sha256};
use countersign_json_rpc::JsonObject;
use std::collections::HashMap;

/// The most tools that are remembered of one server.
const MAX_TOOLS: usize = 10_000;

/// The definition of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CatalogTool {
    pub(crate) definition: ProposedDefinition,
    pub(crate) annotations: Option<Json>,
}

impl CatalogTool {
    /// The hash by which a claim compares the definition with the approved one.
    pub(crate) fn hash(&self) -> Option<Sha256> {
        let definition = countersign_events::ToolDefinition::from(self.definition.clone());
        countersign_events::ToolDefinition::hash(Some(&definition), self.annotations.as_ref())
    }
}

/// The server tools that are known so far.
#[derive(Debug, Default)]
pub(crate) struct ToolCatalog {
    tools: HashMap<String, CatalogTool>,
    /// Whether the whole list was read, so that a missing tool does not exist.
    pub(crate) is_complete: bool,
}

impl ToolCatalog {
    /// The tools in a `tools/list` answer, each with its name and its source.
    pub(crate) fn tools_of(answer: &str) -> Vec<(String, &str)> {
        let result = JsonObject::read(answer).and_then(|frame| frame.get("result"));
        let result = result.and_then(JsonObject::read);
        let tools = result.and_then(|result| result.get_as::<Vec<&serde_json::value::RawValue>>("tools"));
        let name = |tool| JsonObject::read(tool)?.get_as::<String>("name");
        let tools = tools.unwrap_or_default().into_iter().map(serde_json::value::RawValue::get);
        tools.filter_map(|tool| Some((name(tool)?, tool))).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&CatalogTool> {
        self.tools.get(name)
    }

    /// Forgets everything, because the server says that its tools have changed.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds the tools from a `tools/list` answer, and returns the cursor for the next page.
    pub(crate) fn add_page(&mut self, answer: &str, trust_hints: bool) -> Option<String> {
        let result = JsonObject::read(answer).and_then(|frame| frame.get("result"));
        let result = result.and_then(JsonObject::read)?;
        for tool in result.get_as::<Vec<&serde_json::value::RawValue>>("tools").unwrap_or_default() {
            if self.tools.len() < MAX_TOOLS
                && let Some((name, tool)) = read_tool(tool.get(), trust_hints)
            {
                self.tools.insert(name, tool);
            }
        }
        result.get_as("nextCursor")
    }
}

fn read_tool(text: &str, trust_hints: bool) -> Option<(String, CatalogTool)> {
    let tool = JsonObject::read(text)?;
    let annotations = tool.get("annotations").and_then(|text| Json::parse(text).ok());
    let annotations = if trust_hints { annotations } else { annotations.and_then(|json| distrust(&json)) };
    let definition = ProposedDefinition {
        description: tool.get_as("description"),
        input_schema: tool.get("inputSchema").and_then(|text| Json::parse(text).ok()),
        needs_approval: None,
    };
    Some((tool.get_as("name")?, CatalogTool { definition, annotations }))
}

/// The annotations without the hints that make a tool look harmless. The others can only make a verdict stricter.
fn distrust(annotations: &Json) -> Option<Json> {
    let is_harmless = |key: &str, value: &Json| {
        matches!(
            (key, value.as_str()),
            ("readOnlyHint" | "idempotentHint", "true") | ("destructiveHint" | "openWorldHint", "false")
        )
    };
    let kept = annotations.members()?.into_iter().filter(|(key, value)| !is_harmless(key, value));
    let members: Vec<_> =
        kept.map(|(key, value)| format!("{}:{}", Json::string(&key).as_str(), value.as_str())).collect();
    if members.is_empty() { None } else { Json::parse(&format!("{{{}}}", members.join(","))).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"{"id":1,"result":{"tools":[{"name":"add","description":"Adds","inputSchema":{"type":"object"},"annotations":{"title":"Add","readOnlyHint":true,"destructiveHint":true}},{"noName":1}],"nextCursor":"c"}}"#;

    #[test]
    fn untrusted_hints_can_only_warn() {
        let mut catalog = ToolCatalog::default();
        assert_eq!(catalog.add_page(PAGE, false).as_deref(), Some("c"));
        let tool = catalog.get("add").expect("known");
        assert_eq!(tool.definition.description.as_deref(), Some("Adds"));
        let annotations = tool.annotations.as_ref().map(Json::as_str);
        assert_eq!(annotations, Some(r#"{"title":"Add","destructiveHint":true}"#));
    }

    #[test]
    fn trusted_hints_are_kept() {
        let mut catalog = ToolCatalog::default();
        catalog.add_page(PAGE, true);
        let annotations = catalog.get("add").and_then(|tool| tool.annotations.clone());
        assert!(annotations.is_some_and(|json| json.as_str().contains("readOnlyHint")));
    }

    #[test]
    fn changed_definition_has_another_hash() {
        let mut catalog = ToolCatalog::default();
        catalog.add_page(PAGE, false);
        let first = catalog.get("add").and_then(CatalogTool::hash);
        catalog.clear();
        catalog.add_page(&PAGE.replace("Adds", "Adds all"), false);
        assert!(first.is_some());
        assert_ne!(catalog.get("add").and_then(CatalogTool::hash), first);
    }
}
