//! The settings and the summary of a thread as the API shows them.

use countersign_api::{self as api, MAX_PAGE, PageQuery};
use countersign_approvals::{Thread, scope::GrantScope, thread::Grant};
use countersign_events::{
    ThreadId,
    event::{Decision, ToolPolicy},
};
use countersign_store::ThreadOutline;

pub(crate) fn view_thread(thread: ThreadOutline) -> api::ThreadSummary {
    let ThreadOutline { thread_id, last_seq, first_event_at, last_event_at, calls, pending, mode, closed_at } =
        thread;
    api::ThreadSummary { thread_id, first_event_at, last_event_at, last_seq, calls, pending, mode, closed_at }
}

pub(crate) fn grant_page(thread: &Thread, page: PageQuery) -> api::GrantPage {
    let limit = page.limit.min(MAX_PAGE);
    let mut active = thread.standing().filter(|grant| grant.seq > page.after);
    let grants: Vec<_> = active.by_ref().take(limit).map(view_grant).collect();
    let next = active.next().and_then(|_| grants.last().map(|grant| grant.seq));
    api::GrantPage { grants, next }
}

fn view_grant(grant: &Grant) -> api::Grant {
    let Grant { seq, at, by, tool_call_id, tool, agent, allows, scope, comment, given, .. } = grant.clone();
    let decision = if allows { Decision::AllowSession } else { Decision::Deny };
    // The API has no scope that this version does not know, so such a grant is shown with the scope of the whole tool.
    let says =
        scope.as_ref().map_or("a scope that this version does not know".to_owned(), GrantScope::to_string);
    let scope = scope.unwrap_or(GrantScope::Tool).json();
    api::Grant {
        seq,
        tool,
        principal: by,
        at,
        tool_call_id,
        decision,
        scope,
        says,
        agent,
        level: given.level,
        comment,
    }
}

pub(crate) fn view_mode(thread_id: &ThreadId, thread: &Thread) -> api::ThreadMode {
    let set = thread.mode.as_ref();
    api::ThreadMode {
        thread_id: thread_id.clone(),
        mode: thread.mode(),
        principal: set.map(|set| set.by.clone()),
        at: set.map(|set| set.at),
        seq: set.map(|set| set.seq),
    }
}

pub(crate) fn view_policies(thread_id: &ThreadId, thread: &Thread) -> api::ThreadPolicies {
    let own = thread.policies.iter().filter(|(_, set)| set.what.policy != ToolPolicy::Default);
    let tools = own.map(|(tool, set)| api::ThreadToolPolicy {
        tool: tool.clone(),
        policy: set.what.policy,
        principal: set.by.clone(),
        at: set.at,
        seq: set.seq,
    });
    api::ThreadPolicies { thread_id: thread_id.clone(), tools: tools.collect() }
}
