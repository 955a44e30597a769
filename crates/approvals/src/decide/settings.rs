//! A thread's own settings: its mode, and its policies for single tools. They answer what is asked, so
//! only people set them, and nothing that is set lifts a block.

use super::{Context, Draft, eligible};
use crate::Refused;
use countersign_events::{
    Body, ToolName,
    event::{Mode, ThreadMode, ToolPolicy, ToolPolicySet},
};

pub(super) fn set_mode(mode: Mode, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    check(context)?;
    if mode == Mode::Other {
        return Err(Refused::Invalid { field: "mode", why: "there is no such mode".to_owned() });
    }
    let own = context.thread.mode.as_ref().is_none_or(|set| set.by == *context.by);
    // How far `approve_all` and `allow` reach depends on who says so.
    if context.thread.mode() == mode && (own || mode != Mode::ApproveAll) {
        return Ok(Vec::new());
    }
    Ok(vec![Draft::new(context.by, Body::ThreadModeSet(ThreadMode { mode }))])
}

/// Tools that are not named keep what they have.
pub(super) fn set_policies(
    policies: &[(ToolName, ToolPolicy)],
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    check(context)?;
    if policies.iter().any(|(_, policy)| *policy == ToolPolicy::Other) {
        return Err(Refused::Invalid { field: "policy", why: "there is no such policy".to_owned() });
    }
    let own = |tool: &ToolName| context.thread.policies.get(tool).is_none_or(|set| set.by == *context.by);
    let stands = |tool: &ToolName, policy: ToolPolicy| {
        context.thread.policy_for(tool) == policy && (own(tool) || policy != ToolPolicy::Allow)
    };
    let news = policies.iter().filter(|(tool, policy)| !stands(tool, *policy));
    let set = |(tool, policy): &(ToolName, ToolPolicy)| ToolPolicySet { tool: tool.clone(), policy: *policy };
    Ok(news.map(|one| Draft::new(context.by, Body::ToolPolicySet(set(one)))).collect())
}

fn check(context: &Context<'_>) -> Result<(), Refused> {
    eligible::is_person(context.by)?;
    match &context.thread.closed {
        Some(closed) => Err(Refused::ThreadClosed { at: closed.at }),
        None => Ok(()),
    }
}
