//! The presence of proposers, as the API shows it.

use super::EmbeddedService;
use crate::{
    GateFailure,
    presence_keeper::{GONE_AFTER, SETTLE},
};
use countersign_api as api;
use countersign_approvals::{CommandCaller, access::SOLO_MARK};
use countersign_events::{CallId, CallState, Principal, ThreadId, Timestamp};
use std::collections::HashMap;

/// When call proposers were last seen.
pub(super) type LastSeen = HashMap<(ThreadId, CallId), Timestamp>;

impl EmbeddedService {
    /// Whether the caller proposed the call. A caller without a credential, in solo mode, reads as a person what it proposed as an
    /// agent.
    pub(super) fn is_proposer(by: &CommandCaller, proposer: &Principal) -> bool {
        by.principal == *proposer
            || by.principal.actor_name().ends_with(SOLO_MARK)
                && by.principal.actor_name() == proposer.actor_name()
    }

    /// When any process last saw the proposers of these calls.
    pub(super) async fn last_seen(&self, calls: &[(&ThreadId, &CallId)]) -> Result<LastSeen, GateFailure> {
        // Before the table is read: once the table has it, this process forgets it.
        let here = |(thread, id): &(&ThreadId, &CallId)| {
            Some((((*thread).clone(), (*id).clone()), self.presence.last_seen(thread, id)?))
        };
        let mut seen: LastSeen = calls.iter().filter_map(here).collect();
        for recorded in self.store.presence(calls).await? {
            let latest = seen.entry((recorded.thread_id, recorded.call_id)).or_insert(recorded.seen_at);
            *latest = recorded.seen_at.max(*latest);
        }
        Ok(seen)
    }

    /// Completes the presence of their proposers in calls that were just decided. Each has the last time at which this
    /// process saw its proposer before the decision. A failure leaves the rest out, because the caller must learn of the
    /// decisions.
    pub(super) async fn complete_presence(&self, decided: Vec<&mut api::Call>) {
        // Other processes write the presence after a moment, so there is nothing to read about a younger call.
        let settled = |call: &&api::Call| self.store.clock().now().since(call.proposal.at) >= SETTLE;
        let matters = |call: &api::Call| matches!(call.state, CallState::Pending | CallState::Allowed);
        let looked_up = decided.iter().map(|call| &**call).filter(|call| matters(call)).filter(settled);
        let keys: Vec<_> = looked_up.map(|call| (&call.thread_id, &call.id)).collect();
        let recorded =
            if keys.is_empty() { LastSeen::new() } else { self.last_seen(&keys).await.unwrap_or_default() };
        for call in decided {
            let recorded = recorded.get(&(call.thread_id.clone(), call.id.clone())).copied();
            let last = recorded.max(call.proposer_last_seen_at).filter(|_| matters(call));
            (call.proposer_last_seen_at, call.proposer_gone) = (last, self.is_gone(last));
        }
    }

    /// Adds the last time at which the call's proposer was seen.
    pub(super) fn with_last_seen(&self, call: api::Call, last: Option<Timestamp>) -> api::Call {
        api::Call { proposer_last_seen_at: last, proposer_gone: self.is_gone(last), ..call }
    }

    fn is_gone(&self, last_seen: Option<Timestamp>) -> bool {
        last_seen.is_some_and(|last| self.store.clock().now().since(last) >= GONE_AFTER)
    }

    /// Adds the presence of their proposers to the pending calls of a list.
    pub(super) async fn all_with_presence(
        &self,
        calls: Vec<api::Call>,
    ) -> Result<Vec<api::Call>, GateFailure> {
        let waiting = calls.iter().filter(|call| call.is_pending());
        let seen =
            self.last_seen(&waiting.map(|call| (&call.thread_id, &call.id)).collect::<Vec<_>>()).await?;
        let with = |call: api::Call| {
            let last = seen.get(&(call.thread_id.clone(), call.id.clone())).copied();
            if call.is_pending() { self.with_last_seen(call, last) } else { call }
        };
        Ok(calls.into_iter().map(with).collect())
    }

    /// Counts an identical proposal of the same agent as a sign of life: it still waits for its call.
    pub(super) fn note_repeated_proposal(
        &self,
        by: &CommandCaller,
        call: &api::Call,
        proposed_at: Timestamp,
    ) {
        if call.is_pending()
            && Self::is_proposer(by, &call.proposal.principal)
            && call.proposal.at < proposed_at
        {
            self.presence.note_sign_of_life(&call.thread_id, &call.id);
        }
    }
}
