//! Reviews the pending calls after the policy was exchanged: a call that the new policy blocks is denied at once. Stricter
//! terms apply when a person answers.

use crate::{active_policy::ActivePolicy, call_metrics::CallMetrics, policy_judge::PolicyJudge};
use countersign_approvals::{
    Call, CallCommand, CommandEnvelope, CommandTarget, decide::answer_needs_judgement,
};
use countersign_events::{Principal, event::Verdict};
use countersign_policy::Policy;
use countersign_store::{Clock, EventFilter, Store, StoreError};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// How many pending calls are read at once.
const PAGE: usize = 256;

/// The pause after a failure of the store.
const RETRY: Duration = Duration::from_secs(2);

pub(crate) struct PolicyReviewer {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) judge: PolicyJudge,
}

impl PolicyReviewer {
    pub(crate) async fn run(self, stop: CancellationToken) {
        let work = async {
            loop {
                self.policy.exchanged().await;
                while let Err(error) = self.review_pending().await {
                    tracing::warn!(%error, "the pending calls cannot be reviewed; trying again");
                    Clock::System.sleep(RETRY).await;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = work => {}
        }
    }

    async fn review_pending(&self) -> Result<(), StoreError> {
        let policy = self.policy.policy();
        let mut after = 0;
        loop {
            let page = self.store.pending(&EventFilter::default(), after, PAGE).await?;
            for call in page.items {
                self.review(&policy, call).await?;
            }
            match page.next {
                Some(next) => after = next,
                None => return Ok(()),
            }
        }
    }

    /// Denies the call if the policy blocks it. A call that cannot be denied is skipped, so that it does not hold up the
    /// others.
    async fn review(&self, policy: &Arc<Policy>, call: Call) -> Result<(), StoreError> {
        if !answer_needs_judgement(&call, policy.hash()) {
            return Ok(());
        }
        let target = CommandTarget::Call(call.thread_id.clone(), call.id().clone());
        let evidence = self.judge.judge_call(policy, call).await;
        if evidence.judged().is_none_or(|judged| judged.judgement.verdict != Verdict::Block) {
            return Ok(());
        }
        let envelope = CommandEnvelope {
            target,
            command: CallCommand::Due.into(),
            by: Principal::system("policy"),
            now: self.store.clock().now(),
            policy: Arc::clone(policy),
            evidence,
        };
        match self.store.execute(envelope).await {
            Ok(outcome) => self.metrics.record(&outcome),
            Err(error @ (StoreError::Damaged(_) | StoreError::Refused(_))) => {
                tracing::warn!(%error, "a pending call that the policy blocks cannot be denied");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
