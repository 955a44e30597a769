//! What became of a call, as a replay looks at it.

use countersign_approvals::Call;
use countersign_events::{
    Principal, Sha256, Timestamp,
    event::{Decision, Source},
};

/// How a call was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PastAnswer {
    /// People were asked.
    Asked,
    /// The policy allowed it.
    Allowed,
    /// The policy blocked it.
    Blocked,
    /// The thread answered: a grant, a remembered denial, its mode, its own policy.
    Answered,
    /// Nothing was said of it, as of a row inserted by hand, or it was withdrawn before anything was.
    Unsettled,
}

impl PastAnswer {
    pub(super) fn of(call: &Call) -> Self {
        if call.request().is_some() {
            return Self::Asked;
        }
        let Some(response) = call.response() else { return Self::Unsettled };
        match response.what.source {
            Source::Policy if is_of_thread(&response.by) => Self::Answered,
            Source::Policy if response.what.decision.allows() => Self::Allowed,
            Source::Policy => Self::Blocked,
            Source::Grant | Source::Mode => Self::Answered,
            _ => Self::Unsettled,
        }
    }
}

fn is_of_thread(by: &Principal) -> bool {
    *by == Principal::policy("thread")
}

/// Whether the thread's own policy denies the tool, which no verdict but a block is stricter than.
pub(super) fn thread_denied(call: &Call) -> bool {
    call.response().is_some_and(|response| is_of_thread(&response.by) && !response.what.decision.allows())
}

/// Whether the thread has a person asked each time: then "for the session" was not offered.
pub(super) fn thread_asked(call: &Call) -> bool {
    call.request().is_some_and(|request| !request.what.options.contains(&Decision::AllowSession))
}

/// Whether anybody ran it, or was lost over it.
pub(super) fn ran(call: &Call) -> bool {
    call.claim().is_some() || !call.course.lost.is_empty()
}

/// The policy that judged it, if the log says.
pub(super) fn judged_by(call: &Call) -> Option<Sha256> {
    let asked = call.request().map(|request| request.what.policy);
    asked.or_else(|| call.response().and_then(|response| response.what.policy))
}

/// That somebody did not want a call to run as it was proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RecordedObjection {
    pub(super) by: Principal,
    pub(super) source: Source,
    pub(super) comment: Option<String>,
    /// Whether it was allowed with other arguments instead.
    pub(super) changed: bool,
    pub(super) at: Timestamp,
}

/// The decision against it, if there is one; else what a single approver held against it. One that was
/// withdrawn nobody objected to.
pub(super) fn objection(call: &Call) -> Option<RecordedObjection> {
    let decided = call.response().and_then(|response| {
        let said = &response.what;
        let changed = said.decision.allows() && said.arguments.is_some();
        let denied = !said.decision.allows() && said.source != Source::Cancellation;
        (changed || denied).then(|| RecordedObjection {
            by: response.by.clone(),
            source: said.source,
            comment: said.comment.clone(),
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
