//! The recorded answer to a call, classified for a replay.

use countersign_approvals::Call;
use countersign_events::{Decision, Principal, Sha256, Source, Timestamp};

/// The kind of recorded answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PastAnswer {
    /// People were asked.
    Asked,
    /// The policy allowed the call.
    Allowed,
    /// The policy blocked the call.
    Blocked,
    /// The thread answered: by a grant, a remembered denial, its mode or its own policy.
    Answered,
    /// The call has no answer: the row was inserted by hand, or the call was withdrawn before an answer.
    Unsettled,
}

impl PastAnswer {
    pub(super) fn from_call(call: &Call) -> Self {
        if call.request().is_some() {
            return Self::Asked;
        }
        let Some(response) = call.response() else { return Self::Unsettled };
        match response.what.source {
            Source::Policy if is_thread_policy(&response.by) => Self::Answered,
            Source::Policy if response.what.decision.allows() => Self::Allowed,
            Source::Policy => Self::Blocked,
            Source::Grant | Source::Mode => Self::Answered,
            _ => Self::Unsettled,
        }
    }
}

fn is_thread_policy(by: &Principal) -> bool {
    *by == Principal::policy("thread")
}

/// Returns true if a thread policy denied the tool. Only a block is stricter than this denial.
pub(super) fn thread_denied(call: &Call) -> bool {
    call.response().is_some_and(|response| is_thread_policy(&response.by) && !response.what.decision.allows())
}

/// Returns true if the thread requires approval. In that case the request did not offer a grant for the session.
pub(super) fn thread_asked(call: &Call) -> bool {
    call.request().is_some_and(|request| !request.what.options.contains(&Decision::AllowSession))
}

/// Returns true if an executor claimed the call, including executors that were lost.
pub(super) fn has_run(call: &Call) -> bool {
    call.claim().is_some() || !call.course.lost.is_empty()
}

/// The policy that judged the call, if the log records it.
pub(super) fn judging_policy(call: &Call) -> Option<Sha256> {
    let asked = call.request().map(|request| request.what.policy);
    asked.or_else(|| call.response().and_then(|response| response.what.policy))
}

/// A recorded refusal to let a call run as proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordedObjection {
    pub(super) by: Principal,
    pub(super) source: Source,
    pub(super) comment: Option<String>,
    /// Whether the call was allowed with other arguments instead.
    pub(super) changed: bool,
    pub(super) at: Timestamp,
}

/// Finds the decision against the call or, without one, the first denying vote. A withdrawal is not an objection.
pub(super) fn find_objection(call: &Call) -> Option<RecordedObjection> {
    let decided = call.response().and_then(|response| {
        let decision = &response.what;
        let changed = decision.decision.allows() && decision.arguments.is_some();
        let denied = !decision.decision.allows() && decision.source != Source::Cancellation;
        (changed || denied).then(|| RecordedObjection {
            by: response.by.clone(),
            source: decision.source,
            comment: decision.comment.clone(),
            changed,
            at: response.at,
        })
    });
    decided.or_else(|| {
        let vote = call.course.votes.iter().find(|vote| !vote.what.decision.allows())?;
        Some(RecordedObjection {
            by: vote.by.clone(),
            source: Source::Approver,
            comment: vote.what.comment.clone(),
            changed: false,
            at: vote.at,
        })
    })
}
