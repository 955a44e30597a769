//! A call as its events tell it.

mod course;
mod standing;

pub use course::Course;
pub use standing::Standing;

use crate::width::Made;
use countersign_events::{
    Body, CallId, Damaged, Event, Principal, State, ThreadId, Timestamp,
    event::{ExecutionStarted, Request, Response, ToolCall, ToolResult},
    json::{Json, Sha256},
};
use countersign_policy::Subject;

/// What an event said, with its place in the log, its time and who caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<T> {
    /// The event's position in the log.
    pub seq: i64,
    /// When it was written.
    pub at: Timestamp,
    /// Who caused it.
    pub by: Principal,
    /// What it said.
    pub what: T,
}

impl<T> Fact<T> {
    /// What `event` said.
    #[must_use]
    pub fn of(event: &Event, what: T) -> Self {
        Self { seq: event.seq, at: event.timestamp, by: event.principal.clone(), what }
    }
}

/// A call as its events tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// What was proposed.
    pub proposal: Fact<ToolCall>,
    /// How far it has come.
    pub standing: Standing,
    /// What became of the question while it stood, and after.
    pub course: Course,
}

impl Call {
    /// What a decision on it is made on.
    #[must_use]
    pub fn made(&self) -> Made<'_> {
        let proposed = &self.proposal.what;
        Made { tool: &proposed.name, arguments_hash: proposed.arguments_hash }
    }

    /// The call's id.
    #[must_use]
    pub fn id(&self) -> &CallId {
        &self.proposal.what.id
    }

    /// Where it stands at `now`.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> State {
        match &self.standing {
            Standing::Proposed | Standing::Pending { .. } => State::Pending,
            Standing::Allowed { response, .. } if has_lapsed(response, now) => State::Cancelled,
            Standing::Allowed { .. } => State::Allowed,
            Standing::Denied { .. } => State::Denied,
            Standing::Cancelled { .. } => State::Cancelled,
            Standing::Running { claim, .. } if lapsed(claim, now) => State::Unknown,
            Standing::Running { .. } => State::Running,
            Standing::Finished { .. } => State::Finished,
        }
    }

    /// The question to people, if there was one.
    #[must_use]
    pub fn request(&self) -> Option<&Fact<Request>> {
        match &self.standing {
            Standing::Proposed => None,
            Standing::Pending { request } => Some(request),
            Standing::Allowed { request, .. }
            | Standing::Denied { request, .. }
            | Standing::Cancelled { request, .. }
            | Standing::Running { request, .. }
            | Standing::Finished { request, .. } => request.as_ref(),
        }
    }

    /// The decision, once there is one.
    #[must_use]
    pub fn response(&self) -> Option<&Fact<Response>> {
        match &self.standing {
            Standing::Proposed | Standing::Pending { .. } => None,
            Standing::Allowed { response, .. }
            | Standing::Denied { response, .. }
            | Standing::Cancelled { response, .. }
            | Standing::Running { response, .. }
            | Standing::Finished { response, .. } => Some(response),
        }
    }

    /// Who runs it or ran it.
    #[must_use]
    pub fn claim(&self) -> Option<&Fact<ExecutionStarted>> {
        match &self.standing {
            Standing::Running { claim, .. } | Standing::Finished { claim, .. } => Some(claim),
            _ => None,
        }
    }

    /// How it ended, once it has.
    #[must_use]
    pub fn result(&self) -> Option<&Fact<ToolResult>> {
        match &self.standing {
            Standing::Denied { result, .. } | Standing::Cancelled { result, .. } => result.as_ref(),
            Standing::Finished { result, .. } => Some(result),
            _ => None,
        }
    }

    /// What runs if it runs: the arguments as proposed, or as an approver changed them.
    #[must_use]
    pub fn arguments(&self) -> &Json {
        let edited = match self.response() {
            Some(response) => response.what.arguments.as_ref(),
            None => self.course.edited().and_then(|vote| vote.arguments.as_ref()),
        };
        edited.unwrap_or(&self.proposal.what.arguments)
    }

    /// The hash of what was approved, or of what people are asked about.
    #[must_use]
    pub fn arguments_hash(&self) -> Sha256 {
        let asked = || self.course.edited().and_then(|vote| vote.arguments_hash);
        match self.response() {
            Some(response) => response.what.arguments_hash,
            None => asked().unwrap_or(self.proposal.what.arguments_hash),
        }
    }

    /// Where `arguments` are masked. What an approver wrote never is.
    #[must_use]
    pub fn redacted(&self) -> &[String] {
        if self.arguments() == &self.proposal.what.arguments { &self.proposal.what.redacted } else { &[] }
    }

    /// The call as a policy looks at it, with the arguments that would run.
    #[must_use]
    pub fn subject(&self) -> Subject<'_> {
        self.subject_with(self.arguments(), self.redacted())
    }

    /// The call as a policy looks at it, with other arguments.
    #[must_use]
    pub fn subject_with<'a>(&'a self, arguments: &'a Json, redacted: &'a [String]) -> Subject<'a> {
        let proposed = &self.proposal.what;
        Subject {
            thread: &self.thread_id,
            principal: &self.proposal.by,
            tool: &proposed.name,
            arguments,
            redacted,
            annotations: proposed.annotations.as_ref(),
            impact: proposed.impact.as_ref(),
            definition: proposed.definition.as_ref(),
        }
    }

    /// The level that an approver needs by now.
    #[must_use]
    pub fn level(&self) -> Option<&str> {
        let escalated = self.course.escalation.as_ref().map(|escalation| escalation.what.level.as_str());
        escalated.or_else(|| self.request()?.what.level.as_deref())
    }

    /// The call after one more of its events. `None` before its `TOOL_CALL`, and for events that say
    /// nothing of a call.
    pub fn evolve(before: Option<Self>, event: &Event, body: Body) -> Result<Option<Self>, Damaged> {
        let damaged = |what: &str| Damaged { seq: event.seq, what: what.to_owned() };
        let Some(call) = before else {
            return match body {
                Body::ToolCall(proposal) => Ok(Some(Self {
                    thread_id: event.thread_id.clone(),
                    proposal: Fact::of(event, proposal),
                    standing: Standing::Proposed,
                    course: Course::default(),
                })),
                _ => Err(damaged("it speaks of a call that its thread does not have")),
            };
        };
        let Self { thread_id, proposal, standing, mut course } = call;
        course.evolve(event, &body, &standing);
        let standing = standing
            .evolve(event, body)
            .ok_or_else(|| damaged("it cannot follow what the call's other events say"))?;
        Ok(Some(Self { thread_id, proposal, standing, course }))
    }
}

/// Whether nobody used the approval while it held.
pub(crate) fn has_lapsed(response: &Fact<Response>, now: Timestamp) -> bool {
    response.what.lapses_at.is_some_and(|end| end <= now)
}

fn lapsed(claim: &Fact<ExecutionStarted>, now: Timestamp) -> bool {
    claim.what.lease_expires_at.is_some_and(|end| end <= now)
}
