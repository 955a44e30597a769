//! The duty of what is due: people are reminded, a higher level is asked, a request lapses. Whichever process is
//! there carries it out. All try; the log lets one through.

use crate::{active_policy::ActivePolicy, call_metrics::CallMetrics, policy_judge::PolicyJudge};
use countersign_approvals::{
    CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, decide::expiry_needs_judgement,
};
use countersign_events::{CallId, Principal, ThreadId, Timestamp};
use countersign_policy::Policy;
use countersign_store::{Clock, Store, StoreError};
use futures_util::future::join_all;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How often to look for requests that another process opened, and perhaps died over.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// How many calls are seen to at once: their orders share commits.
const AT_ONCE: usize = 256;

/// A call, by its thread and its id.
type CallName = (ThreadId, CallId);

pub(crate) struct DueTaskRunner {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) judge: PolicyJudge,
    /// Rung when this process opens a request on which something will be due.
    pub(crate) opened: Arc<Notify>,
}

impl DueTaskRunner {
    /// Carries out what is due, until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        loop {
            let work = async {
                match self.carry_out_due().await {
                    Ok(seen_to) => self.until_next(seen_to).await,
                    Err(error) => {
                        tracing::warn!(%error, "what is due cannot be carried out; trying again");
                        Clock::System.sleep(LOOK_AGAIN).await;
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = work => {}
            }
        }
    }

    /// Sees to all that is due, and gives the moment up to which it has. A call that cannot be read, or of which
    /// nothing comes, is skipped: it must not hold up the others.
    async fn carry_out_due(&self) -> Result<Timestamp, StoreError> {
        let mut passed_over: HashSet<CallName> = HashSet::new();
        loop {
            let now = self.store.clock().now();
            let most = i64::try_from(AT_ONCE + passed_over.len()).unwrap_or(i64::MAX);
            let mut due = self.store.due(now, most).await?;
            due.retain(|call| !passed_over.contains(call));
            if due.is_empty() {
                return Ok(now);
            }
            for (call, outcome) in join_all(due.into_iter().map(|call| self.see_to(call, now))).await {
                match outcome {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                        let (thread, id) = (call.0.as_str(), call.1.as_str());
                        tracing::warn!(thread, call = id, %error, "what is due on a call cannot be carried out");
                    }
                    Err(error) => return Err(error),
                }
                passed_over.insert(call);
            }
        }
    }

    /// True if anything was written: another process may have been there first.
    async fn see_to(&self, call: CallName, now: Timestamp) -> (CallName, Result<bool, StoreError>) {
        let policy = self.policy.policy();
        let evidence = match self.evidence_for_expiry(&call, &policy, now).await {
            Ok(evidence) => evidence,
            Err(error) => return (call, Err(error)),
        };
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(call.0.clone(), call.1.clone()),
            command: CallCommand::Due.into(),
            by: Principal::system("expiry"),
            now,
            policy,
            evidence,
        };
        let outcome = self.store.execute(envelope).await;
        let told = outcome.map(|done| {
            self.metrics.record(&done);
            !done.events.is_empty()
        });
        (call, told)
    }

    /// The judgement of a call that silence may allow, if another policy asked about it.
    async fn evidence_for_expiry(
        &self,
        (thread, id): &CallName,
        policy: &Arc<Policy>,
        now: Timestamp,
    ) -> Result<CommandEvidence, StoreError> {
        let call = self.store.call(thread, id).await?;
        match call.filter(|call| expiry_needs_judgement(call, policy.hash(), now)) {
            Some(call) => Ok(self.judge.judge_call(policy, call).await),
            None => Ok(CommandEvidence::NotNeeded),
        }
    }

    /// Waits for what is due after that moment. What was due by then and still is would be no sooner carried out
    /// for being asked about without end.
    async fn until_next(&self, seen_to: Timestamp) {
        let next = self.store.next_due().await.ok().flatten().filter(|moment| *moment > seen_to);
        let due = async {
            match next {
                Some(moment) => self.store.clock().sleep_until(moment).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = due => {}
            () = self.opened.notified() => {}
            () = Clock::System.sleep(LOOK_AGAIN) => {}
        }
    }
}
