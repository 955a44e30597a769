//! Log status: the agents, executors and approvers that its newest calls show, and the pending calls. The number of
//! rows that it reads has a limit, so it stays fast in a long log.

use super::{EmbeddedService, lists::store_filter};
use crate::{GateFailure, view::view_call};
use countersign_api as api;
use countersign_api::LogFilter;
use countersign_approvals::{
    Call,
    access::{Right, VisibleThreads},
};
use countersign_events::{CallState, Principal, Role, Source, ThreadId, Timestamp, TokenKind};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
};

/// The newest calls that show who is active.
const EXAMINED: usize = 200;

/// The most running calls that are listed.
const MOST_RUNNING: usize = 200;

impl EmbeddedService {
    /// The log status. The server adds what only it knows.
    pub(crate) async fn status(&self, threads: &VisibleThreads) -> Result<api::StatusReport, GateFailure> {
        let now = self.store.clock().now();
        let all = store_filter(&LogFilter::default(), threads);
        let pending = self.store.pending(&all, 0, api::MAX_PAGE).await?;
        let is_complete = pending.next.is_none();
        let pending = self.viewed(&pending.items).await?;
        let mut running = self.store.running(now, MOST_RUNNING).await?;
        running.retain(|call| threads.admits(&call.thread_id));
        let running = self.viewed(&running).await?;
        let recent = self.store.calls(&all, None, now, 0, EXAMINED).await?.items;
        let recent = self.viewed(&recent).await?;
        let open = self.open_now().await?;
        let webhooks = self.webhooks().await?.webhooks.iter().map(summarize_delivery).collect();
        Ok(api::StatusReport {
            service: None,
            examined_calls: recent.len(),
            agents: summarize_agents(&pending, &running, &recent),
            executors: running.iter().filter_map(view_claim).collect(),
            approvers: self.summarize_approvers(&recent),
            clients: None,
            webhooks,
            pending: api::PendingOverview {
                count: open.open,
                oldest_at: open.oldest,
                threads: count_threads(&pending),
                complete: is_complete,
            },
        })
    }

    /// The calls without what only a person who decides needs, which costs more.
    async fn viewed(&self, calls: &[Call]) -> Result<Vec<api::Call>, GateFailure> {
        let now = self.store.clock().now();
        self.all_with_presence(calls.iter().map(|call| view_call(call, now)).collect()).await
    }

    fn summarize_approvers(&self, recent: &[api::Call]) -> Vec<api::ApproverActivity> {
        let now = self.store.clock().now();
        let mut found: BTreeMap<Principal, (usize, Option<Timestamp>)> = BTreeMap::new();
        let responses = recent.iter().filter_map(|call| call.response.as_ref());
        for response in responses.filter(|response| response.source == Source::Approver) {
            let (_, last) = found.entry(response.principal.clone()).or_default();
            *last = Some(response.at).max(*last);
        }
        self.tokens.with(|directory| {
            for record in directory.records() {
                let is_browser =
                    record.created.kind == TokenKind::Session && record.created.role == Role::Approver;
                if is_browser && directory.check(record, now).is_ok() {
                    found.entry(record.holder.principal(Right::Decide)).or_default().0 += 1;
                }
            }
        });
        let view = |(principal, (sessions, last_decision_at))| api::ApproverActivity {
            principal,
            sessions,
            last_decision_at,
        };
        found.into_iter().map(view).collect()
    }
}

/// The agents, those that were seen last first.
fn summarize_agents(
    pending: &[api::Call],
    running: &[api::Call],
    recent: &[api::Call],
) -> Vec<api::AgentActivity> {
    let mut found: BTreeMap<&Principal, api::AgentActivity> = BTreeMap::new();
    let mut counted = HashSet::new();
    for call in pending.iter().chain(running).chain(recent) {
        let seen_at = Some(call.proposal.at).max(call.proposer_last_seen_at).unwrap_or(call.proposal.at);
        let principal = &call.proposal.principal;
        let agent = found.entry(principal).or_insert_with(|| api::AgentActivity {
            principal: principal.clone(),
            last_seen_at: seen_at,
            pending: 0,
            gone: 0,
            running: 0,
        });
        agent.last_seen_at = agent.last_seen_at.max(seen_at);
        // The lists are read one after the other, so a call may be in several.
        if counted.insert(call.proposal.seq) {
            agent.pending += usize::from(call.state == CallState::Pending);
            agent.gone += usize::from(call.state == CallState::Pending && call.proposer_gone);
            agent.running += usize::from(call.state == CallState::Running);
        }
    }
    let mut agents: Vec<_> = found.into_values().collect();
    agents.sort_by_key(|agent| Reverse(agent.last_seen_at));
    agents
}

fn view_claim(call: &api::Call) -> Option<api::ExecutorClaim> {
    let execution = call.execution.as_ref()?;
    Some(api::ExecutorClaim {
        executor: execution.executor.clone(),
        principal: execution.principal.clone(),
        thread_id: call.thread_id.clone(),
        id: call.id.clone(),
        name: call.name.clone(),
        started_at: execution.started_at,
        lease_expires_at: execution.lease_expires_at,
    })
}

/// The threads with pending calls, those with the most first.
fn count_threads(pending: &[api::Call]) -> Vec<api::ThreadPendingCount> {
    let mut counts: BTreeMap<&ThreadId, usize> = BTreeMap::new();
    for call in pending {
        *counts.entry(&call.thread_id).or_default() += 1;
    }
    let view =
        |(thread, count): (&ThreadId, usize)| api::ThreadPendingCount { thread_id: thread.clone(), count };
    let mut threads: Vec<_> = counts.into_iter().map(view).collect();
    threads.sort_by_key(|thread| Reverse(thread.count));
    threads
}

fn summarize_delivery(webhook: &api::Webhook) -> api::WebhookDeliveryStatus {
    api::WebhookDeliveryStatus {
        name: webhook.name.clone(),
        host: webhook.host.clone(),
        failing: webhook.failing.len(),
        parked: webhook.parked_count,
    }
}
