//! Thread settings: the mode, and the policies for single tools. They can answer an `ask`, so only people set them.
//! They never lift a block. Loosening a restriction requires the level of the person who set it.

use super::{DecisionContext, NewEvent, eligible, lift};
use crate::{Call, Refused, call::RecordedFact};
use countersign_events::{Body, Mode, ThreadMode, ToolName, ToolPolicy, ToolPolicySet};

pub(super) fn set_mode<'a>(
    mode: Mode,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    check_may_set(context)?;
    if mode == Mode::Other {
        return Err(Refused::Invalid { field: "mode", why: "this mode does not exist".to_owned() });
    }
    let set = context.thread.mode.as_ref();
    let own = set.is_none_or(|set| set.by == *context.by);
    // Which calls `approve_all` and `allow` answer depends on the person who set them.
    if context.thread.mode() == mode && (own || mode != Mode::ApproveAll) {
        return Ok(Vec::new());
    }
    if let Some(set) = set.filter(|set| restricts_calls(set.what.mode)) {
        lift::check_level_to_lift(&set.by, set.what.level.as_deref(), context)?;
        lift::check_lifts_for_others(open, |_| true, context)?;
    }
    let level = restricts_calls(mode).then(|| own_level(context));
    Ok(vec![NewEvent::new(context.by, Body::ThreadModeSet(ThreadMode { mode, level }))])
}

/// Whether the mode holds calls back, so that it takes a level to end it.
const fn restricts_calls(mode: Mode) -> bool {
    matches!(mode, Mode::AutoDeny | Mode::Stopped)
}

/// Tools that are not named keep their policy.
pub(super) fn set_policies<'a>(
    policies: &[(ToolName, ToolPolicy)],
    open: &(impl Iterator<Item = &'a Call> + Clone),
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    check_may_set(context)?;
    if policies.iter().any(|(_, policy)| *policy == ToolPolicy::Other) {
        return Err(Refused::Invalid { field: "policy", why: "this policy does not exist".to_owned() });
    }
    let own = |tool: &ToolName| context.thread.policies.get(tool).is_none_or(|set| set.by == *context.by);
    let is_unchanged = |tool: &ToolName, policy: ToolPolicy| {
        context.thread.policy_for(tool) == policy && (own(tool) || policy != ToolPolicy::Allow)
    };
    let changed = policies.iter().filter(|(tool, policy)| !is_unchanged(tool, *policy));
    changed.map(|(tool, policy)| set_policy(tool, *policy, open.clone(), context)).collect()
}

fn set_policy<'a>(
    tool: &ToolName,
    policy: ToolPolicy,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Result<NewEvent, Refused> {
    let set = context.thread.policies.get(tool).filter(|set| restricts(set.what.policy));
    if let Some(set) = set.filter(|set| strictness(policy) < strictness(set.what.policy)) {
        lift::check_level_to_lift(&set.by, set.what.level.as_deref(), context)?;
        lift::check_lifts_for_others(open, |call| call.proposal.what.name == *tool, context)?;
    }
    let level = restricts(policy).then(|| level_to_loosen(set, context));
    let set = ToolPolicySet { tool: tool.clone(), policy, level };
    Ok(NewEvent::new(context.by, Body::ToolPolicySet(set)))
}

/// The level required to loosen a restriction that the caller sets: the caller's level, or the level of the previous
/// restriction, which could otherwise be lifted in two steps.
fn level_to_loosen(before: Option<&RecordedFact<ToolPolicySet>>, context: &DecisionContext<'_>) -> String {
    let approvers = context.policy.approvers();
    let own = own_level(context);
    let Some(before) = before else { return own };
    let recorded = before.what.level.as_deref().unwrap_or_else(|| approvers.level_of(&before.by));
    if approvers.rank(recorded).is_some_and(|rank| Some(rank) <= approvers.rank(&own)) {
        own
    } else {
        recorded.to_owned()
    }
}

fn own_level(context: &DecisionContext<'_>) -> String {
    eligible::level_of(context.by, context).to_owned()
}

const fn restricts(policy: ToolPolicy) -> bool {
    strictness(policy) >= strictness(ToolPolicy::RequireApproval)
}

/// A policy from a newer version requires approval.
const fn strictness(policy: ToolPolicy) -> u8 {
    match policy {
        ToolPolicy::Allow => 0,
        ToolPolicy::Default => 1,
        ToolPolicy::RequireApproval | ToolPolicy::Other => 2,
        ToolPolicy::Deny => 3,
    }
}

fn check_may_set(context: &DecisionContext<'_>) -> Result<(), Refused> {
    eligible::check_is_person(context.by)?;
    match &context.thread.closed {
        Some(closed) => Err(Refused::ThreadClosed { at: closed.at }),
        None => Ok(()),
    }
}
