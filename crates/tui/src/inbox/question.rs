//! The questions about the scope in which a decision is remembered.

use countersign_console::LimitChoice;
use countersign_events::{CallId, Decision, GrantLimits, Json};

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
    /// How long the decision is remembered, and for how many calls.
    pub(crate) limits: GrantLimits,
}

/// A question about the decision scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScopeQuestion {
    pub(crate) decision: Decision,
    pub(crate) step: ScopeStep,
    /// The limits of an allowance. A denial holds while its thread is open.
    pub(crate) limits: LimitChoice,
}

impl ScopeQuestion {
    pub(crate) fn new(decision: Decision) -> Self {
        Self { decision, step: ScopeStep::Kind, limits: LimitChoice::default() }
    }

    /// The question after this one.
    pub(crate) fn with_step(self, step: ScopeStep) -> Self {
        Self { step, ..self }
    }
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
