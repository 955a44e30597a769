//! Delegations: list, set and end.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, LogCommand, Refused,
    access::{DelegationRecord, VisibleThreads},
};
use countersign_events::{Body, DelegationEnded, DelegationSet, ThreadId, Timestamp};
use std::time::Duration;

impl EmbeddedService {
    /// Lists the active delegations: all of them for a caller who sees the events about the whole log, and otherwise the caller's own.
    pub(crate) fn delegations(&self, by: &CommandCaller, threads: &VisibleThreads) -> api::DelegationList {
        let (now, sees_all) = (self.store.clock().now(), threads.admits(&ThreadId::whole_log()));
        let is_shown =
            |record: &DelegationRecord| sees_all || [&record.from, &record.set.to].contains(&&by.principal);
        let delegations = self.tokens.with(|directory| {
            let active = directory.delegations().active(now).filter(|record| is_shown(record));
            active.map(|record| view_delegation(record)).collect()
        });
        api::DelegationList { delegations }
    }

    /// Hands the caller's queue to another person. Returns the delegation, also if the log has it already.
    pub(crate) async fn set_delegation(
        &self,
        by: &CommandCaller,
        request: &api::DelegationRequest,
    ) -> Result<api::Delegation, GateFailure> {
        let now = self.store.clock().now();
        let until = read_end(request, now)?;
        let set = DelegationSet { to: request.to.clone(), until, comment: request.comment.clone() };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::DelegationSet(set.clone())])).await?;
        let found = self.tokens.with(|directory| {
            let mut active = directory.delegations().active(now);
            active
                .find(|record| record.from == by.principal && record.set == set)
                .map(|record| view_delegation(record))
        });
        found.ok_or_else(|| Refused::UnknownDelegation.into())
    }

    /// Ends a delegation before its time, and returns it as it was. Only an admin ends one between other people.
    pub(crate) async fn end_delegation(
        &self,
        by: &CommandCaller,
        seq: i64,
        request: &api::EndDelegationRequest,
        as_admin: bool,
    ) -> Result<api::Delegation, GateFailure> {
        let found = self
            .tokens
            .with(|directory| directory.delegations().find(seq).map(|record| view_delegation(record)));
        let ended = DelegationEnded { delegation: seq, comment: request.comment.clone() };
        self.execute_on_tokens(by, LogCommand::EndDelegation { ended, as_admin }).await?;
        found.ok_or_else(|| Refused::UnknownDelegation.into())
    }
}

/// The moment at which it ends. Fails unless the request says it in one of the two ways.
fn read_end(request: &api::DelegationRequest, now: Timestamp) -> Result<Timestamp, GateFailure> {
    match (request.until, request.expires_in_seconds) {
        (Some(until), None) => Ok(until),
        (None, Some(seconds)) => Ok(now.after(Duration::from_secs(seconds.into()))),
        _ => Err(GateFailure::invalid("until", &"name the end, with either until or expiresInSeconds")),
    }
}

fn view_delegation(record: &DelegationRecord) -> api::Delegation {
    let DelegationRecord { seq, at, from, set } = record;
    let DelegationSet { to, until, comment } = set.clone();
    api::Delegation { seq: *seq, from: from.clone(), to, at: *at, until, comment }
}
