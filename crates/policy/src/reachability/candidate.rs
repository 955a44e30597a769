//! A call that the search tries.

use super::report::ReachForm;
use serde_json::{Value, json};

/// A call that the search tries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) form: ReachForm,
    /// Whether it does what the question is about by its construction.
    pub(crate) is_certain: bool,
    /// The thread and the MCP server that a rule needs.
    pub(crate) thread: Option<String>,
    pub(crate) server: Option<String>,
}

impl Candidate {
    pub(crate) fn new(tool: &str, arguments: Value) -> Self {
        let form = if tool.contains("__") { ReachForm::McpTool } else { ReachForm::Tool };
        Self { tool: tool.to_owned(), arguments, form, is_certain: false, thread: None, server: None }
    }

    /// A command in a shell tool.
    pub(crate) fn command(tool: &str, line: &str) -> Self {
        Self { form: ReachForm::Command, ..Self::new(tool, json!({ "command": line })) }
    }

    pub(crate) fn certain(self) -> Self {
        Self { is_certain: true, ..self }
    }
}
