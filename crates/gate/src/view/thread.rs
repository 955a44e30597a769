//! Thread settings and thread summaries, as the API shows them.

use countersign_api::{self as api, MAX_PAGE, SelectionQuery};
use countersign_approvals::{Thread, scope::GrantScope, thread::Grant};
use countersign_events::{Decision, Principal, ThreadId, ToolPolicy};
use countersign_store::ThreadOutline;

pub(crate) fn view_thread(thread: ThreadOutline) -> api::ThreadSummary {
    let ThreadOutline { thread_id, last_seq, first_event_at, last_event_at, calls, pending, mode, closed_at } =
        thread;
    api::ThreadSummary { thread_id, first_event_at, last_event_at, last_seq, calls, pending, mode, closed_at }
}

pub(crate) fn grant_page(thread: &Thread, query: SelectionQuery) -> api::GrantPage {
    let SelectionQuery { all, page } = query;
    let limit = page.limit.min(MAX_PAGE);
    let after = thread.grants.iter().filter(|grant| grant.seq > page.after);
    let mut selected =
        after.map(|grant| (grant, grant_end(thread, grant))).filter(|(_, end)| all || end.is_none());
    let grants: Vec<_> = selected.by_ref().take(limit).map(|(grant, end)| view_grant(grant, end)).collect();
    let next = selected.next().and_then(|_| grants.last().map(|grant| grant.seq));
    api::GrantPage { grants, next }
}

/// The end of a grant: its revocation, or else the closing of its thread.
fn grant_end(thread: &Thread, grant: &Grant) -> Option<api::GrantEnd> {
    let end = |seq, at, by: &Principal, cause| api::GrantEnd { cause, principal: by.clone(), at, seq };
    let revoked = thread.revocation(grant.seq);
    let revoked = revoked.map(|fact| end(fact.seq, fact.at, &fact.by, api::GrantEndCause::Revoked));
    let closed = thread.closed.as_ref();
    revoked.or_else(|| closed.map(|fact| end(fact.seq, fact.at, &fact.by, api::GrantEndCause::ThreadClosed)))
}

fn view_grant(grant: &Grant, end: Option<api::GrantEnd>) -> api::Grant {
    let Grant { seq, at, by, tool_call_id, tool, place, agent, allows, scope, comment, given, .. } =
        grant.clone();
    let decision = if allows { Decision::AllowSession } else { Decision::Deny };
    // The API has no scope that this version does not know, so such a grant is shown with the whole-tool scope.
    let says = scope.as_ref().map_or("a scope that this version does not know".to_owned(), |scope| {
        scope.describe_in(place.as_ref())
    });
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
        end,
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
