//! Thread settings and thread summaries, as the API shows them.

use countersign_api::{self as api, MAX_PAGE, SelectionQuery};
use countersign_approvals::{
    Thread,
    scope::GrantScope,
    thread::{Grant, RecentDecision},
};
use countersign_events::{Decision, GrantLimit, Principal, ThreadId, Timestamp, ToolPolicy};
use countersign_store::ThreadOutline;
use std::{collections::HashSet, time::Duration};

pub(crate) fn view_thread(thread: ThreadOutline) -> api::ThreadSummary {
    let ThreadOutline { thread_id, last_seq, first_event_at, last_event_at, calls, pending, mode, closed_at } =
        thread;
    api::ThreadSummary { thread_id, first_event_at, last_event_at, last_seq, calls, pending, mode, closed_at }
}

/// For how long the denial of a single call answers the same call, and the present time.
#[derive(Clone, Copy)]
pub(crate) struct DenialMemory {
    pub(crate) span: Duration,
    pub(crate) now: Timestamp,
}

/// The thread's grants, its denials for the session, and its denials of single calls while they are remembered.
pub(crate) fn grant_page(thread: &Thread, memory: DenialMemory, query: SelectionQuery) -> api::GrantPage {
    let SelectionQuery { all, page } = query;
    let limit = page.limit.min(MAX_PAGE);
    let active: HashSet<_> = thread.standing(memory.now).map(|grant| grant.seq).collect();
    let lasting = thread.grants.iter().filter(|grant| all || active.contains(&grant.seq));
    let lasting = lasting.map(|grant| view_grant(grant, grant_end(thread, grant.seq)));
    let denials = thread.remembered_denials(memory.span, memory.now);
    let denials = denials.map(|denial| view_denial(denial, memory, grant_end(thread, denial.seq)));
    let mut grants: Vec<_> = lasting
        .chain(denials)
        .filter(|grant| grant.seq > page.after && (all || grant.end.is_none()))
        .collect();
    grants.sort_by_key(|grant| grant.seq);
    let has_more = grants.len() > limit;
    grants.truncate(limit);
    let next = grants.last().map(|grant| grant.seq).filter(|_| has_more);
    api::GrantPage { grants, next }
}

/// The first end of a grant: at one of its limits, its revocation, or the closing of its thread.
fn grant_end(thread: &Thread, grant: i64) -> Option<api::GrantEnd> {
    let end = |seq, at, by: &Principal, cause| api::GrantEnd { cause, principal: by.clone(), at, seq };
    let given = thread.grants.iter().find(|given| given.seq == grant);
    let reached = given.and_then(|given| given.ended.as_ref()).map(|fact| {
        let cause = match fact.what.limit {
            GrantLimit::Time => api::GrantEndCause::Expired,
            GrantLimit::Uses => api::GrantEndCause::UsedUp,
            GrantLimit::Other => api::GrantEndCause::Other,
        };
        end(fact.seq, fact.at, &fact.by, cause)
    });
    let revoked = thread.revocation(grant);
    let revoked = revoked.map(|fact| end(fact.seq, fact.at, &fact.by, api::GrantEndCause::Revoked));
    let closed = thread.closed.as_ref();
    let closed = closed.map(|fact| end(fact.seq, fact.at, &fact.by, api::GrantEndCause::ThreadClosed));
    [reached, revoked, closed].into_iter().flatten().min_by_key(|end| end.seq)
}

fn view_grant(grant: &Grant, end: Option<api::GrantEnd>) -> api::Grant {
    let Grant { seq, at, by, tool_call_id, tool, place, agent, allows, scope, comment, given, .. } =
        grant.clone();
    let (until, uses) = (grant.expires_at, grant.uses);
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
        until,
        uses,
        used: uses.map(|_| grant.used),
        end,
    }
}

fn view_denial(denial: &RecentDecision, memory: DenialMemory, end: Option<api::GrantEnd>) -> api::Grant {
    let RecentDecision { seq, at, by, tool_call_id, tool, place, comment, given, .. } = denial.clone();
    api::Grant {
        seq,
        tool,
        principal: by,
        at,
        tool_call_id,
        decision: Decision::Deny,
        scope: GrantScope::Exact.json(),
        says: GrantScope::Exact.describe_in(place.as_ref()),
        agent: None,
        level: given.level,
        comment,
        until: Some(at.after(memory.span)),
        uses: None,
        used: None,
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
