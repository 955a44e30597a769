//! Where a call stands: an enum whose variants hold exactly the facts that exist then.

use crate::{
    Body, CallId, Damaged, Event, Principal, ThreadId, Timestamp,
    event::{
        Escalated, ExecutionReleased, ExecutionStarted, Reminder, Request, Response, Source, Status,
        ToolCall, ToolResult, UnknownWord, Vote,
    },
    json::{Json, Sha256},
    policy::Subject,
    width::Made,
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
    /// What became of the question while it stood, and after.
    pub course: Course,
}

/// What happens beside a call's way: votes, reminders, lost executors. None of it changes where it stands by
/// itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Course {
    /// What approvers have said, where it takes several; oldest first.
    pub votes: Vec<Fact<Vote>>,
    /// That people were reminded.
    pub reminder: Option<Fact<Reminder>>,
    /// That it went to a higher level.
    pub escalation: Option<Fact<Escalated>>,
    /// The claims of executors that were lost, oldest first.
    pub lost: Vec<Fact<ExecutionStarted>>,
    /// That a person lets another executor take over.
    pub released: Option<Fact<ExecutionReleased>>,
}

impl Course {
    /// The round of votes that counts: the last.
    #[must_use]
    pub fn round(&self) -> u32 {
        self.votes.iter().map(|vote| vote.what.round).max().unwrap_or(0)
    }

    /// The votes that count.
    pub fn counting(&self) -> impl Iterator<Item = &Fact<Vote>> {
        let round = self.round();
        self.votes.iter().filter(move |vote| vote.what.round == round)
    }

    /// The arguments as an approver changed them, in the round that counts.
    #[must_use]
    pub fn edited(&self) -> Option<&Vote> {
        self.counting().map(|vote| &vote.what).find(|vote| vote.arguments.is_some())
    }

    fn evolve(&mut self, event: &Event, body: &Body, standing: &Standing) {
        match (body, standing) {
            (Body::ApprovalVote(vote), _) => self.votes.push(Fact::of(event, vote.clone())),
            (Body::ApprovalReminder(reminder), _) => {
                self.reminder = Some(Fact::of(event, reminder.clone()));
            }
            (Body::ApprovalEscalated(escalated), _) => {
                self.escalation = Some(Fact::of(event, escalated.clone()));
            }
            (Body::ExecutionReleased(released), _) => {
                self.released = Some(Fact::of(event, released.clone()));
            }
            (Body::ExecutionTakenOver(_), Standing::Running { claim, .. }) => self.lost.push(claim.clone()),
            _ => {}
        }
    }
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
