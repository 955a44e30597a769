//! Restrictions of a thread that hold back a call after people were asked about it: denials for the session, the mode
//! `auto_deny`, and the thread's own policy for the tool.

use super::{
    DecisionContext,
    ruling::{self, RulingAnswer},
};
use crate::{Call, Refused};
use countersign_events::{Mode, Principal, Sha256, Source, ToolPolicy};
use countersign_policy::{CallReading, JudgedCall};

const AUTO_DENY: &str = "the thread denies every call that needs approval (auto_deny)";
const REQUIRED: &str = "the thread requires a person's approval for this tool";
const REVOKED: &str = "the decision for the session that allowed it was revoked";

/// The restriction that keeps people, silence or an earlier decision from letting an asked call run. `hash` is the hash
/// of the arguments that would run.
pub(super) fn find_restriction(
    call: &Call,
    subject: &JudgedCall<'_>,
    hash: Sha256,
    context: &DecisionContext<'_>,
) -> Option<RulingAnswer> {
    if let Some(block) = ruling::find_block(None, subject, context) {
        return Some(block);
    }
    find_denial(call, subject, hash, context).or_else(|| {
        (context.thread.mode() == Mode::AutoDeny).then(|| RulingAnswer::from_mode(AUTO_DENY, context.thread))
    })
}

/// The denial for the session that covers the call. Denials before the proposal were weighed with the unmasked
/// arguments then, so they count again only if an approver edited the arguments.
fn find_denial(
    call: &Call,
    subject: &JudgedCall<'_>,
    hash: Sha256,
    context: &DecisionContext<'_>,
) -> Option<RulingAnswer> {
    let since = if hash == call.proposal.what.arguments_hash { call.proposal.seq } else { 0 };
    let look = CallReading::new(context.policy, subject);
    let origin = call.made().with_arguments(hash);
    let mut denials = ruling::matching_denials(context, origin, &look);
    denials.find(|denial| denial.seq > since).map(RulingAnswer::from_grant)
}

/// Checks at the claim that the thread was not restricted after the call was allowed.
pub(super) fn check_still_allowed(
    call: &Call,
    subject: &JudgedCall<'_>,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    let Some(response) = call.response() else { return Ok(()) };
    if context.thread.mode() == Mode::Stopped {
        return Err(blocked(&RulingAnswer::from_mode(ruling::STOPPED, context.thread), context));
    }
    let source = response.what.source;
    let giver = response.what.grant.unwrap_or(response.seq);
    if context.thread.revocation(giver).is_some() {
        return Err(blocked(&RulingAnswer::from_grant_state(REVOKED), context));
    }
    let is_by_person = source == Source::Approver || response.what.is_moved();
    let own = context.thread.policy_for(subject.tool);
    if own == ToolPolicy::RequireApproval && !is_by_person {
        return Err(blocked(&RulingAnswer::from_thread(REQUIRED), context));
    }
    // The policy allowed the call without asking, so nothing that answers an `ask` concerns it.
    let is_by_thread = source == Source::Policy && response.by == Principal::policy("thread");
    if source == Source::Policy && !is_by_thread {
        return Ok(());
    }
    let hash = call.arguments_hash();
    let held = if is_by_thread {
        // An `allow` of the thread itself takes precedence over its mode.
        find_denial(call, subject, hash, context)
    } else {
        find_restriction(call, subject, hash, context)
    };
    held.map_or(Ok(()), |held| Err(blocked(&held, context)))
}

/// The restriction that keeps a request from lapsing into an approval, in words.
pub(super) fn find_obstacle_to_silence(call: &Call, context: &DecisionContext<'_>) -> Option<String> {
    let subject = call.subject();
    if context.thread.policy_for(subject.tool) == ToolPolicy::RequireApproval {
        return Some(REQUIRED.to_owned());
    }
    let held = find_restriction(call, &subject, call.arguments_hash(), context)?;
    Some(context.mask(&held.reason))
}

/// The refusal by a restriction.
pub(super) fn blocked(held: &RulingAnswer, context: &DecisionContext<'_>) -> Refused {
    Refused::Blocked { rule: held.by.to_string(), reason: context.mask(&held.reason) }
}
