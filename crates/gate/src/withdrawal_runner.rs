//! Withdraws calls whose proposers are gone, so that dead requests fill neither the inbox nor the limits. Each process has a
//! runner. All runners try to write the same events, and the log accepts them once.

use crate::{active_policy::ActivePolicy, call_metrics::CallMetrics, presence_keeper::PresenceKeeper};
use countersign_approvals::{
    CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, Refused, decide::is_withdrawal_due,
};
use countersign_events::{Principal, Sha256};
use countersign_policy::SHORTEST_WITHDRAWAL;
use countersign_store::{ProposerPresence, Store, StoreError};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The time between two looks. A call is withdrawn if its proposer is absent in two looks, one after the other: after a machine
/// has slept, each proposer that lives is seen again in between, because presence is written more often.
const INTERVAL: Duration = Duration::from_secs(30);

/// The most calls of one look. The others follow with the next ones.
const MOST_CALLS: usize = 256;

pub(crate) struct WithdrawalRunner {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) presence: PresenceKeeper,
}

impl WithdrawalRunner {
    /// Withdraws calls until `stop` is cancelled.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let work = async {
            let mut absent = Vec::new();
            loop {
                self.store.clock().sleep(INTERVAL).await;
                match self.withdraw_absent(&absent).await {
                    Ok(found) => absent = found,
                    Err(error) => {
                        tracing::warn!(%error, "calls of agents that are gone cannot be withdrawn; trying again");
                        absent.clear();
                    }
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }

    /// Withdraws the calls whose proposers were absent in the look before, too. Returns the absent ones.
    async fn withdraw_absent(
        &self,
        before: &[ProposerPresence],
    ) -> Result<Vec<ProposerPresence>, StoreError> {
        let seen_before = self.store.clock().now().before(SHORTEST_WITHDRAWAL);
        let absent = self.store.absent_proposers(seen_before, MOST_CALLS).await?;
        let still = absent.iter().filter(|gone| before.contains(gone));
        join_all(still.map(|gone| self.withdraw(gone))).await.into_iter().collect::<Result<(), _>>()?;
        Ok(absent)
    }

    /// Withdraws a call if its request says so. A call that cannot be withdrawn is skipped, so that it does not hold up the
    /// others.
    async fn withdraw(&self, gone: &ProposerPresence) -> Result<(), StoreError> {
        let ProposerPresence { thread_id, call_id, seen_at } = gone;
        let now = self.store.clock().now();
        // This process may have seen the proposer since it last wrote so.
        let last_seen = self.presence.last_seen(thread_id, call_id).max(Some(*seen_at)).unwrap_or(*seen_at);
        let call = self.store.call(thread_id, call_id).await?;
        let is_due = call.is_some_and(|call| is_withdrawal_due(&call, last_seen, now));
        let Ok(policy) = self.policy.policy() else { return Ok(()) };
        if !is_due {
            return Ok(());
        }
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(thread_id.clone(), call_id.clone()),
            command: CallCommand::Withdraw { last_seen }.into(),
            by: Principal::system("presence").into(),
            now,
            policy,
            evidence: CommandEvidence::NotNeeded,
            log: Sha256::ZERO,
        };
        match self.store.execute(envelope).await {
            Ok(outcome) => self.metrics.record(&outcome),
            // The next look uses the policy that is active then.
            Err(StoreError::Refused(Refused::PolicyChanged { .. })) => {
                self.policy.reload(&self.store).await?;
            }
            Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                let (thread, call) = (thread_id.as_str(), call_id.as_str());
                tracing::warn!(thread, call, %error, "a call whose agent is gone cannot be withdrawn");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
