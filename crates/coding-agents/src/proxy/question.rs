//! Questions for permission, and agent lines as the proxy understands them.

use super::user_prompt::UserPrompt;
use countersign_api::{Json, ProposeRequest, ResultRequest, ThreadId};

/// A question for permission, as a call.
#[derive(Debug, Clone)]
pub struct PermissionQuestion {
    pub(crate) thread: ThreadId,
    pub(crate) request: ProposeRequest,
    /// The item id with which the agent reports the result.
    pub(crate) item: String,
    /// The agent's turn to which the question belongs, if turns have ids.
    pub(crate) turn: Option<String>,
    /// The question's parameters.
    pub(crate) params: Json,
    pub(crate) method: String,
    /// What an approval does.
    pub(crate) approval: ApprovalEffect,
}

/// What approving a question does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ApprovalEffect {
    /// The agent gets the answer that it may go on.
    Answers,
    /// The request passes to the client, which does the work and answers the agent.
    PassesOn,
}

/// The outcome of a question.
#[derive(Debug)]
pub enum PermissionOutcome {
    Allowed,
    Refused,
    /// The turn ended before the decision.
    Cancelled,
}

/// What an agent line means to the proxy.
#[derive(Debug)]
pub enum AgentLine {
    /// It passes.
    Pass,
    /// It is a question, which is answered here.
    Ask(Box<PermissionQuestion>),
    /// It passes, and is a question for the client's user, which people may answer, too.
    AskUser(Box<UserPrompt>),
    /// It is a question that cannot be put to people. The agent gets this result.
    Refuse { result: Json, why: String },
    /// It passes, and reports the result for an item in a thread.
    Result { thread: String, item: String, result: ResultRequest },
}

/// A turn that the client ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedTurn {
    pub(crate) thread: String,
    pub(crate) turn: Option<String>,
}
