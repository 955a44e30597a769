//! The events that the inbox receives, and the actions that it returns.

use countersign_api as api;
use countersign_events::{CallId, Decision, GrantLimits, Json, Principal, Sha256, ThreadId};

/// The thread and the id, which together identify a call.
pub(crate) type InboxCallKey = (ThreadId, CallId);

pub(crate) fn call_key(call: &api::Call) -> InboxCallKey {
    (call.thread_id.clone(), call.id.clone())
}

/// An event that changes the inbox.
#[derive(Debug)]
pub(crate) enum InboxEvent {
    /// All pending calls.
    Loaded(Vec<api::Call>),
    /// New pending calls.
    Arrived(Vec<api::Call>),
    /// A call was decided.
    Decided(InboxCallKey, DecisionSummary),
    /// A call ended: `success`, `error`, and so on.
    Ended(InboxCallKey, &'static str),
    /// A pending call changed: a vote, another level. The flag says whether the bell rings.
    Changed(Box<api::Call>, bool),
    /// A pending call was read again, to see if its agent still waits.
    Seen(Box<api::Call>),
    /// The editor's result. `None` means no change.
    Edited(InboxCallKey, Result<Option<Json>, String>),
    /// The answer to a decision from this inbox.
    Answered(SentDecision, Result<Box<api::Call>, DecisionFailure>),
    /// The answer to a take-back from this inbox. The error says why the approval stays.
    TakenBack(InboxCallKey, Result<(), String>),
    /// Previews of the scopes that a call offers.
    Previewed(InboxCallKey, Vec<api::ScopePreview>),
    /// The log is unreachable. The feed retries.
    Lost(String),
    /// Text for the status line.
    Notice(String),
}

/// A decision in words, such as `denied by user:ben`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecisionSummary {
    pub(crate) text: String,
    pub(crate) by: Principal,
}

/// The reason why a decision from this inbox is not in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecisionFailure {
    pub(crate) why: String,
    /// The decision of another person, if there is one.
    pub(crate) gone: Option<DecisionSummary>,
}

/// A decision on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentDecision {
    pub(crate) key: InboxCallKey,
    pub(crate) decision: Decision,
    pub(crate) comment: Option<String>,
    /// The hash of the shown arguments. The gate refuses the decision if they changed.
    pub(crate) about: Sha256,
    /// The edited arguments.
    pub(crate) arguments: Option<Json>,
    /// The scope in which the decision is remembered.
    pub(crate) scope: Option<Json>,
    pub(crate) level: Option<String>,
    /// Whether the decision also decides the waiting calls that its scope covers.
    pub(crate) and_waiting: bool,
    /// How long the decision is remembered, and for how many calls.
    pub(crate) limits: GrantLimits,
}

/// An action that the session performs for the inbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InboxAction {
    Decide(SentDecision),
    /// Take back the approval of a call.
    TakeBack(InboxCallKey),
    /// Open call arguments in an editor.
    Edit(InboxCallKey, Json),
    /// Read a call again, to see if its agent still waits.
    ReadPresence(InboxCallKey),
    /// Ask the gate for the previews of these scopes, for a decision at this level.
    Preview(InboxCallKey, Vec<Json>, Option<String>),
    Reload,
    Ring,
    Suspend,
    Quit,
    Interrupt,
}
