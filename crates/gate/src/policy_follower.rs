//! Follows the log's policy. After any process has activated another policy, it reviews the pending calls: a call that
//! the policy blocks is denied at once, and one that it allows is allowed, as if it were proposed now. Stricter terms
//! apply when a person answers. The process that activates a policy reviews the first calls before it says so, because it
//! may be a command that ends then, and the only process.

use crate::{active_policy::ActivePolicy, call_metrics::CallMetrics, policy_judge::PolicyJudge};
use countersign_approvals::{
    Call, CallCommand, CommandEnvelope, CommandTarget, Refused, decide::answer_needs_judgement,
};
use countersign_events::{Principal, Sha256, Verdict};
use countersign_policy::Policy;
use countersign_store::{Clock, EventFilter, Store, StoreError};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How many pending calls are read per page. They are answered at the same time, so that their commands share commits.
const PAGE: usize = 256;

/// The most pages that are reviewed before the answer to the caller that activated the policy. Each process reviews the
/// other calls in its own time.
const PAGES_AT_ONCE: usize = 8;

/// The pause after a store failure.
const RETRY: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct PolicyFollower {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) judge: PolicyJudge,
}

impl PolicyFollower {
    pub(crate) async fn run(self, stop: CancellationToken) {
        let work = async {
            let mut waiter = self.store.watch_whole_log();
            // The policy may have changed while no process was running, so the first round always reviews.
            let mut reviewed = None;
            loop {
                match self.follow(&mut reviewed).await {
                    Ok(()) => waiter.woken().await,
                    Err(error) => {
                        tracing::warn!(%error, "the active policy cannot be followed; trying again");
                        Clock::System.sleep(RETRY).await;
                    }
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }

    /// Reads the active policy, and reviews the pending calls if `reviewed` is not its event.
    async fn follow(&self, reviewed: &mut Option<i64>) -> Result<(), StoreError> {
        self.policy.reload(&self.store).await?;
        let seq = self.policy.seq();
        if *reviewed != Some(seq) {
            self.review_pending(usize::MAX).await?;
            *reviewed = Some(seq);
        }
        Ok(())
    }

    /// Reviews the oldest pending calls after this process has activated a policy. A failure only leaves calls to the next
    /// review, because the policy is active.
    pub(crate) async fn review_after_change(&self) {
        if let Err(error) = self.review_pending(PAGES_AT_ONCE).await {
            tracing::warn!(%error, "the calls that wait cannot be reviewed by the new policy now");
        }
    }

    async fn review_pending(&self, most_pages: usize) -> Result<(), StoreError> {
        // A policy that cannot be read blocks nothing and allows nothing: every answer and every claim fails.
        let Ok(policy) = self.policy.policy() else { return Ok(()) };
        let mut after = 0;
        for _ in 0..most_pages {
            let page = self.store.pending(&EventFilter::default(), after, PAGE).await?;
            let reviews = page.items.into_iter().map(|call| self.review(&policy, call));
            join_all(reviews).await.into_iter().collect::<Result<(), _>>()?;
            match page.next {
                Some(next) => after = next,
                None => break,
            }
        }
        Ok(())
    }

    /// Answers the call if the policy blocks or allows it. A call that cannot be answered is skipped, so that it does not hold
    /// up the others.
    async fn review(&self, policy: &Arc<Policy>, call: Call) -> Result<(), StoreError> {
        if !answer_needs_judgement(&call, policy.hash()) {
            return Ok(());
        }
        let target = CommandTarget::Call(call.thread_id.clone(), call.id().clone());
        let evidence = self.judge.judge_call(policy, call).await;
        if evidence.judged().is_none_or(|judged| judged.judgement.verdict == Verdict::Ask) {
            return Ok(());
        }
        let envelope = CommandEnvelope {
            target,
            command: CallCommand::Due.into(),
            by: Principal::system("policy").into(),
            now: self.store.clock().now(),
            policy: Arc::clone(policy),
            evidence,
            log: Sha256::ZERO,
        };
        match self.store.execute(envelope).await {
            Ok(outcome) => self.metrics.record(&outcome),
            // The next round reviews by the newer policy.
            Err(StoreError::Refused(Refused::PolicyChanged { .. })) => {}
            Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                tracing::warn!(%error, "a pending call that the policy decides cannot be answered");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
