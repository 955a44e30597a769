//! Writes overdue reminders, escalations and expiries of requests, and the ends of grants whose time has passed. Each process has a runner. All runners try to write
//! the same event, and the log accepts it once.

use crate::{active_policy::ActivePolicy, call_metrics::CallMetrics, policy_judge::PolicyJudge};
use countersign_approvals::{
    CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, Refused, ThreadCommand,
    decide::expiry_needs_judgement,
};
use countersign_events::{CallId, Principal, Sha256, ThreadId, Timestamp};
use countersign_policy::Policy;
use countersign_store::{Clock, Store, StoreError};
use futures_util::future::join_all;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// The interval between reads of the requests that other processes opened. A process may have ended before it executed
/// the overdue tasks of its requests.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// The number of calls whose overdue tasks are executed at the same time, so that their commands share commits.
const MAX_PARALLEL: usize = 256;

/// How long before the start of a process a grant may have ended whose end it writes: longer than any grant lasts. The end changes
/// nothing but the log, because a grant whose time has passed answers no call.
const LONGEST_ABSENCE: Duration = Duration::from_hours(31 * 24);

/// How far the clocks of the processes on a log may differ for the ends of grants.
const CLOCK_DIFFERENCE: Duration = Duration::from_mins(5);

/// A call's thread and id.
type CallName = (ThreadId, CallId);

/// A grant's thread, and its number.
type GrantName = (ThreadId, i64);

pub(crate) struct DueTaskRunner {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) judge: PolicyJudge,
    pub(crate) due_signal: Arc<DueSignal>,
}

/// Wakes the runner when this process opens a request of which something is due before the moment that the runner waits for.
#[derive(Debug)]
pub(crate) struct DueSignal {
    /// That moment, in milliseconds; the largest number if there is none.
    next: AtomicI64,
    earlier: Notify,
}

impl DueSignal {
    pub(crate) fn new() -> Self {
        Self { next: AtomicI64::new(i64::MAX), earlier: Notify::new() }
    }

    /// Tells the runner of a request of which something is due at `due`. The log has it already.
    pub(crate) fn announce(&self, due: Timestamp) {
        if due.as_millis() < self.next.load(Ordering::SeqCst) {
            self.earlier.notify_one();
        }
    }

    fn set_next(&self, next: Option<Timestamp>) {
        self.next.store(next.map_or(i64::MAX, Timestamp::as_millis), Ordering::SeqCst);
    }
}

impl DueTaskRunner {
    /// Executes overdue tasks until `stop` is cancelled.
    pub(crate) async fn run(self, stop: CancellationToken) {
        let mut done_until = self.store.clock().now().before(LONGEST_ABSENCE);
        loop {
            let work = async {
                match self.execute_all(done_until).await {
                    Ok(now) => {
                        done_until = now;
                        self.wait_for_next(now).await;
                    }
                    Err(error) => {
                        tracing::warn!(%error, "overdue tasks cannot be executed; trying again");
                        Clock::System.sleep(POLL_INTERVAL).await;
                    }
                }
            };
            tokio::select! {
                () = stop.cancelled() => return,
                () = work => {}
            }
        }
    }

    async fn execute_all(&self, done_until: Timestamp) -> Result<Timestamp, StoreError> {
        self.end_grants(done_until.before(CLOCK_DIFFERENCE)).await?;
        self.execute_overdue_tasks().await
    }

    /// Writes the end of all grants whose time has passed after `since`. It skips one for which nothing can be written.
    async fn end_grants(&self, since: Timestamp) -> Result<(), StoreError> {
        let Ok(policy) = self.policy.policy() else { return Ok(()) };
        let mut skipped: HashSet<GrantName> = HashSet::new();
        loop {
            let now = self.store.clock().now();
            let limit = i64::try_from(MAX_PARALLEL + skipped.len()).unwrap_or(i64::MAX);
            let mut due = self.store.due_grants(since, now, limit).await?;
            due.retain(|grant| !skipped.contains(grant));
            if due.is_empty() {
                return Ok(());
            }
            let ends = due.into_iter().map(|grant| self.end_grant(grant, now, &policy));
            for (grant, outcome) in join_all(ends).await {
                match outcome {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                        tracing::warn!(thread = grant.0.as_str(), grant = grant.1, %error, "the end of a grant cannot be written");
                    }
                    Err(error) => return Err(error),
                }
                skipped.insert(grant);
            }
        }
    }

    /// Writes the end of a grant. Returns false if nothing was written, for example because another process wrote it first.
    async fn end_grant(
        &self,
        grant: GrantName,
        now: Timestamp,
        policy: &Arc<Policy>,
    ) -> (GrantName, Result<bool, StoreError>) {
        let envelope = CommandEnvelope {
            target: CommandTarget::Thread(grant.0.clone()),
            command: ThreadCommand::EndGrant(grant.1).into(),
            by: Principal::system("expiry").into(),
            now,
            policy: Arc::clone(policy),
            evidence: CommandEvidence::NotNeeded,
            log: Sha256::ZERO,
        };
        let outcome = self.store.execute(envelope).await;
        if let Err(StoreError::Refused(Refused::PolicyChanged { .. })) = outcome {
            // The next round uses the policy that is active now.
            return (grant, self.policy.reload(&self.store).await.map(|()| false));
        }
        let is_written = outcome.map(|outcome| {
            self.metrics.record(&outcome);
            !outcome.events.is_empty()
        });
        (grant, is_written)
    }

    /// Executes all overdue tasks. Returns the time until which tasks were executed. It skips a call that cannot be
    /// read, or for which nothing was written, so that this call does not hold up the others.
    async fn execute_overdue_tasks(&self) -> Result<Timestamp, StoreError> {
        let mut skipped: HashSet<CallName> = HashSet::new();
        loop {
            let now = self.store.clock().now();
            let limit = i64::try_from(MAX_PARALLEL + skipped.len()).unwrap_or(i64::MAX);
            let mut due = self.store.due(now, limit).await?;
            due.retain(|call| !skipped.contains(call));
            if due.is_empty() {
                return Ok(now);
            }
            for (call, outcome) in
                join_all(due.into_iter().map(|call| self.execute_overdue_task(call, now))).await
            {
                match outcome {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                        let (thread, id) = (call.0.as_str(), call.1.as_str());
                        tracing::warn!(thread, call = id, %error, "the overdue task of a call cannot be executed");
                    }
                    Err(error) => return Err(error),
                }
                skipped.insert(call);
            }
        }
    }

    /// Executes the overdue task of a call. Returns false if nothing was written, for example because another process
    /// wrote the event first.
    async fn execute_overdue_task(
        &self,
        call: CallName,
        now: Timestamp,
    ) -> (CallName, Result<bool, StoreError>) {
        // Nothing expires while the policy cannot be read: its terms are not known.
        let Ok(policy) = self.policy.policy() else { return (call, Ok(false)) };
        let evidence = match self.evidence_for_expiry(&call, &policy, now).await {
            Ok(evidence) => evidence,
            Err(error) => return (call, Err(error)),
        };
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(call.0.clone(), call.1.clone()),
            command: CallCommand::Due.into(),
            by: Principal::system("expiry").into(),
            now,
            policy,
            evidence,
            log: Sha256::ZERO,
        };
        let outcome = self.store.execute(envelope).await;
        if let Err(StoreError::Refused(Refused::PolicyChanged { .. })) = outcome {
            // The next round uses the policy that is active now.
            return (call, self.policy.reload(&self.store).await.map(|()| true));
        }
        let is_written = outcome.map(|outcome| {
            self.metrics.record(&outcome);
            !outcome.events.is_empty()
        });
        (call, is_written)
    }

    /// Judges a call that its expiry may allow, if the policy changed since the request.
    async fn evidence_for_expiry(
        &self,
        call: &CallName,
        policy: &Arc<Policy>,
        now: Timestamp,
    ) -> Result<CommandEvidence, StoreError> {
        let call = self.store.call(&call.0, &call.1).await?;
        match call.filter(|call| expiry_needs_judgement(call, policy.hash(), now)) {
            Some(call) => Ok(self.judge.judge_call(policy, call).await),
            None => Ok(CommandEvidence::NotNeeded),
        }
    }

    /// Waits until a task is due after `done_until`, until this process opens a request that is due earlier, or for the
    /// poll interval. Tasks that were due before and are still open failed, and an immediate retry would loop without a
    /// pause.
    async fn wait_for_next(&self, done_until: Timestamp) {
        // While the log is read, each new request may come too late to be found there.
        self.due_signal.set_next(None);
        let next = self.store.next_due().await.ok().flatten().filter(|moment| *moment > done_until);
        let next_end = self.store.next_grant_end(done_until).await.ok().flatten();
        let next = [next, next_end].into_iter().flatten().min();
        self.due_signal.set_next(next);
        let due = async {
            match next {
                Some(moment) => self.store.clock().sleep_until(moment).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = due => {}
            () = self.due_signal.earlier.notified() => {}
            () = Clock::System.sleep(POLL_INTERVAL) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn only_earlier_requests_wake_the_runner() {
        let signal = DueSignal::new();
        let is_woken = |due: i64| {
            signal.announce(Timestamp::from_millis(due));
            signal.earlier.notified().now_or_never().is_some()
        };
        assert!(is_woken(5_000), "nothing was due before");
        signal.set_next(Some(Timestamp::from_millis(2_000)));
        assert_eq!([2_001, 2_000, 1_999].map(is_woken), [false, false, true]);
        signal.set_next(None);
        assert!(is_woken(9_000), "while the log is read, each request counts");
    }
}
