//! The call standing: an enum whose variants hold exactly the facts that exist in that state.

use super::RecordedFact;
use countersign_events::{
    ApprovalRequest, ApprovalResponse, Body, Decision, Event, ExecutionStarted, Source, Status, ToolResult,
};

/// The call standing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallStanding {
    /// Proposed, without a request or a response. Only a `TOOL_CALL` that was inserted by hand is left so.
    Proposed,
    /// People were asked and have not decided.
    Pending {
        /// The request.
        request: RecordedFact<ApprovalRequest>,
    },
    /// It may run, and no executor has claimed it.
    Allowed {
        /// The request, if people were asked.
        request: Option<RecordedFact<ApprovalRequest>>,
        /// The decision.
        response: RecordedFact<ApprovalResponse>,
    },
    /// It may not run.
    Denied {
        /// The request, if people were asked.
        request: Option<RecordedFact<ApprovalRequest>>,
        /// The decision.
        response: RecordedFact<ApprovalResponse>,
        /// The result with the message for the model. Absent only between two inserts by hand.
        result: Option<RecordedFact<ToolResult>>,
    },
    /// It was withdrawn before an executor claimed it. Its response may be one that allowed it.
    Cancelled {
        /// The request, if people were asked.
        request: Option<RecordedFact<ApprovalRequest>>,
        /// The decision, which may be the cancellation itself.
        response: RecordedFact<ApprovalResponse>,
        /// The result with the message for the model.
        result: Option<RecordedFact<ToolResult>>,
    },
    /// An executor runs it.
    Running {
        /// The request, if people were asked.
        request: Option<RecordedFact<ApprovalRequest>>,
        /// The decision.
        response: RecordedFact<ApprovalResponse>,
        /// The claim, with the current end of its lease.
        claim: RecordedFact<ExecutionStarted>,
    },
    /// It ran.
    Finished {
        /// The request, if people were asked.
        request: Option<RecordedFact<ApprovalRequest>>,
        /// The decision.
        response: RecordedFact<ApprovalResponse>,
        /// The claim.
        claim: RecordedFact<ExecutionStarted>,
        /// The result.
        result: RecordedFact<ToolResult>,
    },
}

impl CallStanding {
    /// The standing after an event that changes it; `None` if the event cannot follow.
    pub(super) fn evolve(self, event: &Event, body: Body) -> Option<Self> {
        match (self, body) {
            (Self::Proposed, Body::ApprovalRequest(request)) => {
                Some(Self::Pending { request: RecordedFact::from_event(event, request) })
            }
            (Self::Proposed, Body::ApprovalResponse(response)) => {
                Some(Self::decided(None, RecordedFact::from_event(event, response)))
            }
            (Self::Pending { request }, Body::ApprovalResponse(response)) => {
                Some(Self::decided(Some(request), RecordedFact::from_event(event, response)))
            }
            (Self::Allowed { request, response }, Body::ExecutionStarted(claim)) => {
                Some(Self::Running { request, response, claim: RecordedFact::from_event(event, claim) })
            }
            // A newer version may allow by a word that this one does not know, and its executor then starts the call. Here,
            // the word allows nothing: this version refuses such a claim.
            (Self::Denied { request, response, result: None }, Body::ExecutionStarted(claim))
                if response.what.decision == Decision::Other =>
            {
                Some(Self::Running { request, response, claim: RecordedFact::from_event(event, claim) })
            }
            (Self::Allowed { request, response }, Body::ApprovalTakenBack(_)) => {
                Some(Self::Cancelled { request, response, result: None })
            }
            (standing, Body::ToolResult(result)) => standing.ended(RecordedFact::from_event(event, result)),
            (Self::Running { request, response, .. }, Body::ExecutionTakenOver(taken)) => {
                Some(Self::Running {
                    request,
                    response,
                    claim: RecordedFact::from_event(event, taken.started),
                })
            }
            (Self::Running { request, response, mut claim }, Body::ExecutionRenewed(renewed)) => {
                claim.what.lease_expires_at = Some(renewed.lease_expires_at);
                Some(Self::Running { request, response, claim })
            }
            _ => None,
        }
    }

    pub(super) fn was_allowed(&self) -> bool {
        match self {
            Self::Proposed | Self::Pending { .. } => false,
            Self::Allowed { response, .. }
            | Self::Denied { response, .. }
            | Self::Cancelled { response, .. }
            | Self::Running { response, .. }
            | Self::Finished { response, .. } => response.what.decision.allows(),
        }
    }

    pub(super) const fn has_ended(&self) -> bool {
        matches!(
            self,
            Self::Denied { result: Some(_), .. }
                | Self::Cancelled { result: Some(_), .. }
                | Self::Finished { .. }
        )
    }

    fn decided(
        request: Option<RecordedFact<ApprovalRequest>>,
        response: RecordedFact<ApprovalResponse>,
    ) -> Self {
        if response.what.decision.allows() {
            Self::Allowed { request, response }
        } else if response.what.source == Source::Cancellation {
            Self::Cancelled { request, response, result: None }
        } else {
            Self::Denied { request, response, result: None }
        }
    }

    fn ended(self, ended: RecordedFact<ToolResult>) -> Option<Self> {
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
