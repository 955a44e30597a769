//! A thread's own settings: its mode, and its policies for single tools. They can answer an `ask`, so only people
//! set them. They never lift a block.

use super::{DecisionContext, NewEvent, eligible};
use crate::{
    Body, Refused, ToolName,
    event::{Mode, ThreadMode, ToolPolicy, ToolPolicySet},
};

pub(super) fn set_mode(mode: Mode, context: &DecisionContext<'_>) -> Result<Vec<NewEvent>, Refused> {
    check_may_set(context)?;
    if mode == Mode::Other {
        return Err(Refused::Invalid { field: "mode", why: "this mode does not exist".to_owned() });
    }
    let own = context.thread.mode.as_ref().is_none_or(|set| set.by == *context.by);
    // Which calls `approve_all` and `allow` answer depends on the person who set them.
    if context.thread.mode() == mode && (own || mode != Mode::ApproveAll) {
        return Ok(Vec::new());
    }
    Ok(vec![NewEvent::new(context.by, Body::ThreadModeSet(ThreadMode { mode }))])
}

/// Tools that are not named keep their policy.
pub(super) fn set_policies(
    policies: &[(ToolName, ToolPolicy)],
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
    let set = |(tool, policy): &(ToolName, ToolPolicy)| ToolPolicySet { tool: tool.clone(), policy: *policy };
    Ok(changed.map(|one| NewEvent::new(context.by, Body::ToolPolicySet(set(one)))).collect())
}

fn check_may_set(context: &DecisionContext<'_>) -> Result<(), Refused> {
    eligible::check_is_person(context.by)?;
    match &context.thread.closed {
        Some(closed) => Err(Refused::ThreadClosed { at: closed.at }),
        None => Ok(()),
    }
}
