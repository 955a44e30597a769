//! How far a call has come: an enum whose variants hold exactly the facts that exist then.

use super::Fact;
use countersign_events::{
    Body, Event,
    event::{ExecutionStarted, Request, Response, Source, Status, ToolResult},
};

/// How far a call has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Proposed, and neither asked about nor decided: the gate never leaves a call so, but somebody
    /// who inserts a `TOOL_CALL` by hand does.
    Proposed,
    /// People are asked.
    Pending {
        /// The question.
        request: Fact<Request>,
    },
    /// It may run, and nobody runs it yet.
    Allowed {
        /// The question, if there was one.
        request: Option<Fact<Request>>,
        /// The decision.
        response: Fact<Response>,
    },
    /// It may not run.
    Denied {
        /// The question, if there was one.
        request: Option<Fact<Request>>,
        /// The decision.
        response: Fact<Response>,
        /// What the model is told; absent only while somebody's own SQL is between two inserts.
        result: Option<Fact<ToolResult>>,
    },
    /// It was withdrawn before anybody ran it. The response may still be one that allowed it.
    Cancelled {
        /// The question, if there was one.
        request: Option<Fact<Request>>,
        /// The decision, which may be the cancellation itself.
        response: Fact<Response>,
        /// What the model is told.
        result: Option<Fact<ToolResult>>,
    },
    /// An executor runs it.
    Running {
        /// The question, if there was one.
        request: Option<Fact<Request>>,
        /// The decision.
        response: Fact<Response>,
        /// Who runs it.
        claim: Fact<ExecutionStarted>,
    },
    /// It ran.
    Finished {
        /// The question, if there was one.
        request: Option<Fact<Request>>,
        /// The decision.
        response: Fact<Response>,
        /// Who ran it.
        claim: Fact<ExecutionStarted>,
        /// What came of it.
        result: Fact<ToolResult>,
    },
}

impl Standing {
    pub(super) fn evolve(self, event: &Event, body: Body) -> Option<Self> {
        match (self, body) {
            (Self::Proposed, Body::ApprovalRequest(request)) => {
                Some(Self::Pending { request: Fact::of(event, request) })
            }
            (Self::Proposed, Body::ApprovalResponse(response)) => {
                Some(Self::decided(None, Fact::of(event, response)))
            }
            (Self::Pending { request }, Body::ApprovalResponse(response)) => {
                Some(Self::decided(Some(request), Fact::of(event, response)))
            }
            (Self::Allowed { request, response }, Body::ExecutionStarted(claim)) => {
                Some(Self::Running { request, response, claim: Fact::of(event, claim) })
            }
            (standing, Body::ToolResult(result)) => standing.ended(Fact::of(event, result)),
            (Self::Running { request, response, .. }, Body::ExecutionTakenOver(taken)) => {
                Some(Self::Running { request, response, claim: Fact::of(event, taken.started) })
            }
            // A vote changes nothing until the response that counts it, and no more does what happens beside.
            (standing @ Self::Running { .. }, Body::ExecutionReleased(_))
            | (standing @ (Self::Pending { .. } | Self::Proposed), Body::ApprovalVote(_))
            | (standing @ Self::Pending { .. }, Body::ApprovalReminder(_) | Body::ApprovalEscalated(_)) => {
                Some(standing)
            }
            _ => None,
        }
    }

    fn decided(request: Option<Fact<Request>>, response: Fact<Response>) -> Self {
        if response.what.decision.allows() {
            Self::Allowed { request, response }
        } else if response.what.source == Source::Cancellation {
            Self::Cancelled { request, response, result: None }
        } else {
            Self::Denied { request, response, result: None }
        }
    }

    fn ended(self, ended: Fact<ToolResult>) -> Option<Self> {
        match self {
            Self::Allowed { request, response } if ended.what.status == Status::Cancelled => {
                Some(Self::Cancelled { request, response, result: Some(ended) })
            }
            Self::Denied { request, response, result: None } => {
                Some(Self::Denied { request, response, result: Some(ended) })
            }
            Self::Cancelled { request, response, result: None } => {
                Some(Self::Cancelled { request, response, result: Some(ended) })
            }
            Self::Running { request, response, claim } => {
                Some(Self::Finished { request, response, claim, result: ended })
            }
            _ => None,
        }
    }
}
