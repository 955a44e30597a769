//! Proxies between a client, such as an editor, and its agent: JSON-RPC, one message per line, on stdin and stdout.
//!
//! Each line passes unchanged in both directions, except the agent's questions for permission. They become calls, and this
//! answers the agent. The client does not see them: only an authenticated side of Countersign decides. Questions for the client's
//! user pass to the client, and after a while they are in the inbox, too.

mod acp;
mod client_request;
mod codex;
mod frame;
mod lace;
mod proposed_tool;
mod question;
mod recent_map;
mod relay;
mod terms;
mod user_prompt;
mod user_prompts;

pub use acp::AcpProtocol;
pub use codex::CodexProtocol;
pub use relay::{LineStream, relay_lines};
pub use terms::ProxyTerms;

use countersign_api::{GateError, Json};
use frame::JsonRpcFrame;
use question::{AgentLine, EndedTurn, PermissionOutcome, PermissionQuestion};
use user_prompt::UserPrompt;

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

/// A question for the client's user. It only passes if people cannot answer it in the inbox.
pub(crate) fn ask_user(prompt: Option<UserPrompt>) -> AgentLine {
    prompt.map_or(AgentLine::Pass, |prompt| AgentLine::AskUser(Box::new(prompt)))
}
