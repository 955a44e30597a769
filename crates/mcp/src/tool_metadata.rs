//! The definitions that a server lists: recorded in the log, and passed on with what the policy says of each tool.

use crate::{gateway_core::GatewayCore, tool_catalog::ToolCatalog};
use countersign_api::{DefineToolsRequest, MetTool, SendOperation, ToolApproval, operations};
use countersign_events::{Json, ToolName};
use countersign_json_rpc::{JsonObject, range_of, splice};
use std::{collections::HashMap, time::Duration};

/// The longest time for which an answer to `tools/list` waits for the log.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The most tools that are recorded at once.
const MAX_AT_ONCE: usize = 1_000;

/// The `_meta` member of a tool that says where people decide.
const LOCATION: &str = "countersign/location";

/// The `_meta` member of a tool that says how the policy judges its calls.
const APPROVAL: &str = "countersign/approval";

impl GatewayCore {
    /// Records the tools in a `tools/list` answer, and returns the answer with metadata about their approval. If the
    /// log does not answer in time, the answer stays as it is: each call records its definition, too.
    pub(crate) async fn describe_tools(&self, answer: String) -> String {
        let described = tokio::time::timeout(LONGEST_WAIT, self.try_describe(&answer));
        match described.await {
            Ok(Some(described)) => described,
            _ => answer,
        }
    }

    async fn try_describe(&self, answer: &str) -> Option<String> {
        let tools = ToolCatalog::tools_of(answer);
        let met = self.met_tools(&tools);
        let mut approvals = HashMap::new();
        for part in met.chunks(MAX_AT_ONCE) {
            let thread_id = Some(self.calls.thread.clone());
            let request = DefineToolsRequest { thread_id, tools: part.to_vec() };
            let report = match self.calls.gate.send(operations::DefineTools { body: request }).await {
                Ok(report) => report,
                Err(error) => {
                    tracing::warn!(code = error.code(), %error, "the definitions of tools are not recorded");
                    return None;
                }
            };
            approvals.extend(part.iter().map(|tool| tool.name.clone()).zip(report.approvals));
        }
        let mut text = answer.to_owned();
        // From the last one on, so that the places of those before it stay.
        for (name, tool) in tools.iter().rev() {
            let name = ToolName::new(&self.options.tool_name(name)).ok();
            if let Some(approval) = name.and_then(|name| approvals.get(&name))
                && let Some(described) = add_metadata(tool, &self.options.tools_location, *approval)
            {
                text = splice(&text, range_of(answer, tool), &described);
            }
        }
        Some(text)
    }

    /// The definitions as they are recorded. A name that Countersign refuses has none: its calls are refused, too.
    fn met_tools(&self, tools: &[(String, &str)]) -> Vec<MetTool> {
        let catalog = self.catalog();
        let mut met: Vec<MetTool> = Vec::new();
        for (name, _) in tools {
            let known = catalog.get(name).zip(ToolName::new(&self.options.tool_name(name)).ok());
            if let Some((tool, name)) = known
                && met.iter().all(|other| other.name != name)
            {
                let (definition, annotations) = (tool.definition.clone(), tool.annotations.clone());
                met.push(MetTool { name, definition, annotations });
            }
        }
        met
    }
}

/// Adds the metadata to a tool definition, and leaves every other byte. `None` if its `_meta` is not an object.
fn add_metadata(tool: &str, location: &str, approval: ToolApproval) -> Option<String> {
    let own = [(LOCATION, location), (APPROVAL, approval.as_str())];
    let own =
        own.map(|(key, value)| format!("{}:{}", Json::string(key).as_str(), Json::string(value).as_str()));
    let object = JsonObject::read(tool)?;
    let Some(meta) = object.get("_meta") else {
        let end = tool.rfind('}')?;
        let comma = if object.members().next().is_some() { "," } else { "" };
        return Some(splice(tool, end..end, &format!("{comma}\"_meta\":{{{}}}", own.join(","))));
    };
    // A server must not speak in the name of Countersign.
    let members = JsonObject::read(meta)?;
    let kept = members.members().filter(|(key, _)| !key.starts_with("countersign/"));
    let kept = kept.map(|(key, value)| format!("{}:{value}", Json::string(key).as_str()));
    let all: Vec<_> = kept.chain(own).collect();
    Some(splice(tool, range_of(tool, meta), &format!("{{{}}}", all.join(","))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_changes_nothing_else() {
        let tool = r#"{ "name":"a" , "x": 1.50 }"#;
        assert_eq!(
            add_metadata(tool, "http://h/", ToolApproval::Ask).as_deref(),
            Some(
                r#"{ "name":"a" , "x": 1.50 ,"_meta":{"countersign/location":"http://h/","countersign/approval":"ask"}}"#
            )
        );
        let tool = r#"{"_meta":{ "b/c": [1.0] },"name":"a"}"#;
        assert_eq!(
            add_metadata(tool, "l", ToolApproval::Depends).as_deref(),
            Some(
                r#"{"_meta":{"b/c":[1.0],"countersign/location":"l","countersign/approval":"depends"},"name":"a"}"#
            )
        );
        assert_eq!(add_metadata(r#"{"_meta":1,"name":"a"}"#, "l", ToolApproval::Ask), None);
    }

    #[test]
    fn server_cannot_claim_an_approval() {
        let tool = r#"{"name":"a","_meta":{"countersign/approval":"allow"}}"#;
        let described = add_metadata(tool, "l", ToolApproval::Block).expect("an object");
        assert!(
            described.contains(r#""countersign/approval":"block""#) && !described.contains("allow"),
            "{described}"
        );
    }
}
