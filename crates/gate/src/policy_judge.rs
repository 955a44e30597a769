//! Asks a policy about calls. Its conditions are programs by other people, so they have a time limit and run where no
//! other caller waits for them.

use countersign_approvals::{Call, CommandEvidence, decide::ArgumentsJudgement};
use countersign_events::{Sha256, Timestamp};
use countersign_policy::{Judgement, Policy};
use countersign_store::Clock;
use std::{sync::Arc, time::Duration};

/// The time limit for all conditions of a policy together. Conditions that were not evaluated by then have failed. Their
/// budget of steps ends long before, so that the verdict does not depend on how busy the machine is.
const CONDITION_LIMIT: Duration = Duration::from_secs(5);

/// Asks a policy about calls.
#[derive(Clone)]
pub(crate) struct PolicyJudge {
    clock: Clock,
}

impl PolicyJudge {
    pub(crate) const fn new(clock: Clock) -> Self {
        Self { clock }
    }

    /// The judgement on a recorded call with the arguments that would run, as evidence.
    pub(crate) async fn judge_call(&self, policy: &Arc<Policy>, call: Call) -> CommandEvidence {
        let hash = call.arguments_hash();
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| policy.judge(&call.subject(), late);
        CommandEvidence::Judgement(self.judge(policy, hash, judge).await)
    }

    /// Judges arguments with this hash.
    pub(crate) async fn judge(
        &self,
        policy: &Arc<Policy>,
        arguments_hash: Sha256,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> Judgement + Send + Sync + 'static,
    ) -> ArgumentsJudgement {
        ArgumentsJudgement { arguments_hash, judgement: Arc::new(self.ask(policy, judge).await) }
    }

    /// Asks on this task if the policy has no conditions, and otherwise on a thread that may be blocked.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        policy: &Arc<Policy>,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> T + Send + Sync + 'static,
    ) -> T {
        if policy.has_conditions() {
            Box::pin(self.ask_conditions(policy, judge)).await
        } else {
            judge(policy, &|| false)
        }
    }

    async fn ask_conditions<T: Send + 'static>(
        &self,
        policy: &Arc<Policy>,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> T + Send + Sync + 'static,
    ) -> T {
        let (kept, judge) = (Arc::clone(policy), Arc::new(judge));
        let (blocking, clock) = (Arc::clone(&judge), self.clock.clone());
        let end = clock.now().after(CONDITION_LIMIT);
        let judged = tokio::task::spawn_blocking(move || blocking(&kept, &|| is_over(&clock, end)));
        // A condition that ignores the limit or panics has failed, like one that was not evaluated in time.
        match tokio::time::timeout(2 * CONDITION_LIMIT, judged).await {
            Ok(Ok(judgement)) => judgement,
            _ => judge(policy, &|| true),
        }
    }
}

fn is_over(clock: &Clock, end: Timestamp) -> bool {
    clock.now() >= end
}
