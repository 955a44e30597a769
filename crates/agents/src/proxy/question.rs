//! Questions for permission, and the lines of an agent as the proxy understands them.

use countersign_api::{Json, ProposeRequest, ResultRequest, ThreadId};

/// A question for permission, as a call.
#[derive(Debug, Clone)]
pub struct PermissionQuestion {
    pub(crate) thread: ThreadId,
    pub(crate) request: ProposeRequest,
    /// The identity of the agent's item, with which it reports the result.
    pub(crate) item: String,
    /// The turn of the agent to which the question belongs, if turns have ids.
    pub(crate) turn: Option<String>,
    /// The parameters of the question.
    pub(crate) params: Json,
    pub(crate) method: String,
    /// What an approval does.
    pub(crate) approval: ApprovalEffect,
}

/// What the approval of a question does.
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

/// The meaning of a line of the agent for the proxy.
#[derive(Debug)]
pub enum AgentLine {
    /// It passes.
    Pass,
    /// It is a question, which is answered here.
    Ask(Box<PermissionQuestion>),
    /// It is a question that cannot be put to people. The agent gets this result.
    Refuse { result: Json, why: String },
    /// It passes, and reports the result of an item of a thread.
    Result { thread: String, item: String, result: ResultRequest },
}

/// A turn that the client ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedTurn {
    pub(crate) thread: String,
    pub(crate) turn: Option<String>,
}
