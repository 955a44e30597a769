//! Proxies between a client, such as an editor, and its agent: JSON-RPC, one message per line, on stdin and stdout.
//!
//! Each line passes unchanged in both directions, except the agent's questions for permission. They become calls, and this
//! answers the agent. The client does not see them: only an authenticated side of Countersign decides.

mod acp;
mod client_request;
mod codex;
mod frame;
mod lace;
mod question;
mod recent_map;
mod relay;

pub use acp::AcpProtocol;
pub use codex::CodexProtocol;
pub use relay::{LineStream, ProxyTerms, relay_lines};

use countersign_api::{GateError, Json, Place, ProposeRequest};
use frame::{JsonRpcFrame, encode};
use question::{AgentLine, EndedTurn, PermissionOutcome, PermissionQuestion};
use serde_json::Value;

/// An agent protocol.
pub trait AgentProtocol: Send {
    /// Reads an agent line.
    fn read_agent(&mut self, frame: &JsonRpcFrame) -> Result<AgentLine, GateError>;

    /// Reads a client line. Returns the thread whose questions end, with the turn if the client names it.
    fn read_client(&mut self, frame: &JsonRpcFrame) -> Option<EndedTurn>;

    /// Notes that a question was approved.
    fn note_approval(&mut self, _question: &PermissionQuestion) {}

    /// What the agent gets as the answer to a question.
    fn answer(&self, question: &PermissionQuestion, outcome: &PermissionOutcome) -> Json;

    /// Returns true if an agent request with this method asks for permission.
    fn is_question(&self, method: &str) -> bool;
}

/// What a question asks for.
pub(crate) struct ProposedTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: serde_json::Value,
    pub(crate) description: Option<String>,
    /// The folder in which the tool runs, if the agent says so.
    pub(crate) folder: Option<String>,
}

/// The call proposal for a question.
pub(crate) fn new_request(id: &str, tool: ProposedTool<'_>) -> Result<ProposeRequest, GateError> {
    let ProposedTool { name, arguments, description, folder } = tool;
    Ok(ProposeRequest {
        id: countersign_api::parse_call_id(id)?,
        description,
        place: folder.filter(|folder| !folder.is_empty()).map(Place::folder),
        ..ProposeRequest::new("call", name, encode(&arguments).as_str())?
    })
}

/// Adds an object's fields that are not in `known`. They may change what runs, so they belong to the call: people see
/// them, and a rule that does not name them does not allow it.
pub(crate) fn add_other_fields(arguments: &mut Value, object: &Value, known: &[&str]) {
    for (name, value) in object.as_object().into_iter().flatten() {
        if !known.contains(&name.as_str()) && !value.is_null() {
            arguments[name] = value.clone();
        }
    }
}
