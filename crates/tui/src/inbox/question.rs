//! The questions about the scope in which a decision is remembered.

use countersign_events::{CallId, Decision, Json};

/// The scope that the person chose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenScope {
    pub(crate) scope: Json,
    /// The scope in words, with its preview.
    pub(crate) says: String,
    /// The other calls that wait and that the decision can decide too.
    pub(crate) waiting: Vec<CallId>,
    /// Whether the decision decides them too.
    pub(crate) and_waiting: bool,
}

/// A question about the decision scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScopeQuestion {
    pub(crate) decision: Decision,
    pub(crate) step: ScopeStep,
}

/// The questions about a scope, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ScopeStep {
    /// Exact arguments, a pattern or the whole tool?
    Kind,
    /// Which of several patterns?
    Pattern,
    /// Really the whole tool?
    WholeTool(ChosenScope),
    /// Also the calls that wait?
    Waiting(ChosenScope),
}
