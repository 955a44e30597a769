//! Where a call stands: an enum whose variants hold exactly the facts that exist then.

use crate::{
    Body, CallId, Damaged, Event, Principal, ThreadId, Timestamp,
    event::{ExecutionStarted, Request, Response, Source, Status, ToolCall, ToolResult, UnknownWord},
    json::{Json, Sha256},
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

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
}

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

/// Where a call stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// People are asked.
    Pending,
    /// It may run.
    Allowed,
    /// It may not run.
    Denied,
    /// An executor runs it.
    Running,
    /// It ran.
    Finished,
    /// Its executor's lease lapsed without a result: whether it ran, nobody here can know.
    Unknown,
    /// It was withdrawn.
    Cancelled,
}

impl State {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Pending,
        Self::Allowed,
        Self::Denied,
        Self::Running,
        Self::Finished,
        Self::Unknown,
        Self::Cancelled,
    ];

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Unknown => "unknown",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for State {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|state| state.as_str() == text);
        found.copied().ok_or_else(|| UnknownWord {
            given: text.to_owned(),
            known: Self::ALL.iter().map(|state| state.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

impl Call {
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

    /// What runs if it runs: the arguments as proposed, or as the approver changed them.
    #[must_use]
    pub fn arguments(&self) -> &Json {
        let edited = self.response().and_then(|response| response.what.arguments.as_ref());
        edited.unwrap_or(&self.proposal.what.arguments)
    }

    /// The hash of what was approved, or of what was proposed while nothing is decided.
    #[must_use]
    pub fn arguments_hash(&self) -> Sha256 {
        self.response().map_or(self.proposal.what.arguments_hash, |response| response.what.arguments_hash)
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
                })),
                _ => Err(damaged("it speaks of a call that its thread does not have")),
            };
        };
        let Self { thread_id, proposal, standing } = call;
        let standing = standing
            .evolve(event, body)
            .ok_or_else(|| damaged("it cannot follow what the call's other events say"))?;
        Ok(Some(Self { thread_id, proposal, standing }))
    }
}

fn lapsed(claim: &Fact<ExecutionStarted>, now: Timestamp) -> bool {
    claim.what.lease_expires_at.is_some_and(|end| end <= now)
}

impl Standing {
    fn evolve(self, event: &Event, body: Body) -> Option<Self> {
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
            // A vote changes nothing until the response that counts it.
            (standing, Body::ApprovalVote(_)) => Some(standing),
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
