//! The call state, derived from the call events.

mod course;
mod recorded_fact;
mod standing;
mod unknown_fact;
mod voters;

pub use course::CallCourse;
pub use recorded_fact::RecordedFact;
pub use standing::CallStanding;
pub use unknown_fact::UnknownFact;
pub(crate) use voters::voters;

use crate::scope::ScopeOrigin;
use countersign_events::{
    ApprovalRequest, ApprovalResponse, Body, CallId, CallState, CallStateFilter, DamagedEvent, Event,
    ExecutionStarted, Source, Status, ThreadId, Timestamp, ToolCall, ToolResult,
    json::{Json, Sha256},
};
use countersign_policy::JudgedCall;

/// The call state, derived from the call events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// The proposal.
    pub proposal: RecordedFact<ToolCall>,
    /// The standing, with the facts that exist in it.
    pub standing: CallStanding,
    /// Votes, reminders and other side events.
    pub course: CallCourse,
}

impl Call {
    /// The tool and the arguments that a decision on this call is about.
    #[must_use]
    pub fn made(&self) -> ScopeOrigin<'_> {
        ScopeOrigin::of_call(&self.proposal.what)
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.proposal.what.id
    }

    /// The state at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> CallState {
        match &self.standing {
            CallStanding::Proposed | CallStanding::Pending { .. } => CallState::Pending,
            CallStanding::Allowed { response, .. } if has_lapsed(response, now) => CallState::Cancelled,
            CallStanding::Allowed { .. } => CallState::Allowed,
            CallStanding::Denied { .. } => CallState::Denied,
            CallStanding::Cancelled { .. } => CallState::Cancelled,
            CallStanding::Running { claim, .. } if lapsed(claim, now) => CallState::Unknown,
            CallStanding::Running { .. } => CallState::Running,
            CallStanding::Finished { .. } => CallState::Finished,
        }
    }

    /// Returns true if the filter selects the call at `now`.
    #[must_use]
    pub fn matches(&self, filter: CallStateFilter, now: Timestamp) -> bool {
        let is_by = |source: Source| self.response().is_some_and(|response| response.what.source == source);
        let denied_by = |source| matches!(self.standing, CallStanding::Denied { .. }) && is_by(source);
        let finished_as = |status: Status| matches!(&self.standing, CallStanding::Finished { result, .. } if result.what.status == status);
        match filter {
            CallStateFilter::State(state) => self.state(now) == state,
            CallStateFilter::Expired => is_by(Source::Expiry),
            CallStateFilter::Unanswered => {
                self.is_pending()
                    || self.request().is_some() && (is_by(Source::Expiry) || is_by(Source::Cancellation))
            }
            CallStateFilter::Blocked => denied_by(Source::Policy) || denied_by(Source::Mode),
            CallStateFilter::Lapsed => match &self.standing {
                CallStanding::Allowed { response, .. } => has_lapsed(response, now),
                _ => false,
            },
            CallStateFilter::Succeeded => finished_as(Status::Success),
            CallStateFilter::Failed => finished_as(Status::Error),
        }
    }

    /// Returns true if the call waits for a decision.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        matches!(self.standing, CallStanding::Pending { .. } | CallStanding::Proposed)
    }

    /// The request, if people were asked.
    #[must_use]
    pub fn request(&self) -> Option<&RecordedFact<ApprovalRequest>> {
        match &self.standing {
            CallStanding::Proposed => None,
            CallStanding::Pending { request } => Some(request),
            CallStanding::Allowed { request, .. }
            | CallStanding::Denied { request, .. }
            | CallStanding::Cancelled { request, .. }
            | CallStanding::Running { request, .. }
            | CallStanding::Finished { request, .. } => request.as_ref(),
        }
    }

    /// The decision, once it is made.
    #[must_use]
    pub fn response(&self) -> Option<&RecordedFact<ApprovalResponse>> {
        match &self.standing {
            CallStanding::Proposed | CallStanding::Pending { .. } => None,
            CallStanding::Allowed { response, .. }
            | CallStanding::Denied { response, .. }
            | CallStanding::Cancelled { response, .. }
            | CallStanding::Running { response, .. }
            | CallStanding::Finished { response, .. } => Some(response),
        }
    }

    /// The current or last claim.
    #[must_use]
    pub fn claim(&self) -> Option<&RecordedFact<ExecutionStarted>> {
        match &self.standing {
            CallStanding::Running { claim, .. } | CallStanding::Finished { claim, .. } => Some(claim),
            _ => None,
        }
    }

    /// The result, once the call has ended.
    #[must_use]
    pub fn result(&self) -> Option<&RecordedFact<ToolResult>> {
        match &self.standing {
            CallStanding::Denied { result, .. } | CallStanding::Cancelled { result, .. } => result.as_ref(),
            CallStanding::Finished { result, .. } => Some(result),
            _ => None,
        }
    }

    /// The arguments that would run: as proposed, or as an approver edited them.
    #[must_use]
    pub fn arguments(&self) -> &Json {
        let edited = match self.response() {
            // The edited ones are erased too.
            _ if !self.proposal.what.erased.is_empty() => None,
            Some(response) => response.what.arguments.as_ref(),
            None => self.course.edited().and_then(|vote| vote.arguments.as_ref()),
        };
        edited.unwrap_or(&self.proposal.what.arguments)
    }

    /// The hash of the approved arguments, or of the requested ones.
    #[must_use]
    pub fn arguments_hash(&self) -> Sha256 {
        let asked = || self.course.edited().and_then(|vote| vote.arguments_hash);
        match self.response() {
            Some(response) => response.what.arguments_hash,
            None => asked().unwrap_or(self.proposal.what.arguments_hash),
        }
    }

    /// The masked parts of `arguments`. Arguments that an approver edited have none.
    #[must_use]
    pub fn redacted(&self) -> &[String] {
        if self.arguments() == &self.proposal.what.arguments { &self.proposal.what.redacted } else { &[] }
    }

    /// The call in the form that a policy judges, with the arguments that would run.
    #[must_use]
    pub fn subject(&self) -> JudgedCall<'_> {
        self.subject_with(self.arguments(), self.redacted())
    }

    /// The call in the form that a policy judges, with other arguments.
    #[must_use]
    pub fn subject_with<'a>(&'a self, arguments: &'a Json, redacted: &'a [String]) -> JudgedCall<'a> {
        let proposed = &self.proposal.what;
        JudgedCall {
            thread: &self.thread_id,
            principal: &self.proposal.by,
            tool: &proposed.name,
            place: proposed.place.as_ref(),
            arguments,
            redacted,
            annotations: proposed.annotations.as_ref(),
            impact: proposed.impact.as_ref(),
            definition: proposed.definition.as_ref(),
        }
    }

    /// What only a newer version knows about the call and forbids decisions.
    #[must_use]
    pub fn restriction(&self) -> Option<&UnknownFact> {
        self.course.newer.as_deref().filter(|fact| !fact.is_harmless)
    }

    /// The level that an approver needs now, after an escalation perhaps.
    #[must_use]
    pub fn level(&self) -> Option<&str> {
        let escalated = self.course.escalation.as_ref().map(|escalation| escalation.what.level.as_str());
        escalated.or_else(|| self.request()?.what.level.as_deref())
    }

    /// The state after one more event of the call. Fails on an event that cannot follow the earlier ones.
    pub fn evolve(before: Option<Self>, event: &Event, body: Body) -> Result<Option<Self>, DamagedEvent> {
        let damaged = |what: &str| DamagedEvent { seq: event.seq, what: what.to_owned() };
        let Some(call) = before else {
            return match body {
                Body::ToolCall(proposal) => Ok(Some(Self {
                    thread_id: event.thread_id.clone(),
                    proposal: RecordedFact::from_event(event, proposal),
                    standing: CallStanding::Proposed,
                    course: CallCourse::default(),
                })),
                // A newer version may have events before a proposal.
                Body::Newer(_) => Ok(None),
                _ => Err(damaged("its thread does not have the call that it is about")),
            };
        };
        let Self { thread_id, proposal, standing, mut course } = call;
        let standing = if course.add(event, &body, &standing) {
            standing
        } else {
            standing
                .evolve(event, body)
                .ok_or_else(|| damaged("it cannot follow the earlier events of its call"))?
        };
        Ok(Some(Self { thread_id, proposal, standing, course }))
    }
}

/// Returns true if the approval lapsed without a claim.
pub(crate) fn has_lapsed(response: &RecordedFact<ApprovalResponse>, now: Timestamp) -> bool {
    response.what.lapses_at.is_some_and(|end| end <= now)
}

fn lapsed(claim: &RecordedFact<ExecutionStarted>, now: Timestamp) -> bool {
    claim.what.lease_expires_at.is_some_and(|end| end <= now)
}
