//! What the policy says, asked before an order stands in the queue: its conditions are somebody's programs, and
//! nobody else shall wait for them.

use super::EmbeddedService;
use crate::Error;
use countersign_approvals::{
    Call,
    decide::{self, Arguments, Claim, Propose, Reviewed},
};
use countersign_events::{CallId, Principal, ThreadId, Timestamp};
use countersign_policy::{Judgement, Policy};
use countersign_store::Clock;
use std::{sync::Arc, time::Duration};

/// How long the conditions of a policy may take, all together. Those that are not reached by then have failed.
const CONDITIONS: Duration = Duration::from_millis(100);

/// How long it may take to check changed arguments against the tool's schema, which is somebody's program too, and
/// to find out what was changed.
const COMPARISON: Duration = Duration::from_secs(2);
const TOO_LONG: &str = "it takes too long to check them against the tool's inputSchema; deny the call and let the \
                        agent propose another";

impl EmbeddedService {
    pub(super) async fn judge_proposal(
        &self,
        policy: &Arc<Policy>,
        by: &Principal,
        thread: &ThreadId,
        propose: &Propose,
    ) -> Arc<Judgement> {
        let (by, thread, propose) = (by.clone(), thread.clone(), propose.clone());
        self.judge(policy, move |policy, late| policy.judge(&propose.subject(&thread, &by), late)).await
    }

    /// Looks at changed arguments: the policy is asked about them, and the tool's own schema.
    pub(super) async fn review(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
        arguments: &Arguments,
    ) -> Result<Arc<Reviewed>, Error> {
        let (call, arguments) = (Arc::new(self.look_up(thread, id).await?), arguments.clone());
        let (judged, kept) = (Arc::clone(&call), arguments.clone());
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            policy.judge(&judged.subject_with(kept.json(), &[]), late)
        };
        let judged = self.judge(policy, judge).await;
        let compare = move || (decide::misfit(&call, &arguments), decide::changes(&call, &arguments));
        let compared = tokio::time::timeout(COMPARISON, tokio::task::spawn_blocking(compare)).await;
        let Ok(Ok((misfit, changes))) = compared else {
            return Err(Error::invalid("arguments", &TOO_LONG));
        };
        Ok(Arc::new(Reviewed { judged, misfit, changes }))
    }

    pub(super) async fn judge_claim(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
        claim: &Claim,
    ) -> Result<Arc<Judgement>, Error> {
        let (call, claim): (Call, _) = (self.look_up(thread, id).await?, claim.clone());
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            policy.judge(&decide::subject(&call, &claim), late)
        };
        Ok(self.judge(policy, judge).await)
    }

    /// Judges here where it is quick, and on a thread that may be kept busy where it is not known to be.
    async fn judge(
        &self,
        policy: &Arc<Policy>,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> Judgement + Send + Sync + 'static,
    ) -> Arc<Judgement> {
        if !policy.has_conditions() {
            return Arc::new(judge(policy, &|| false));
        }
        let (kept, judge) = (Arc::clone(policy), Arc::new(judge));
        let (elsewhere, clock) = (Arc::clone(&judge), self.store.clock().clone());
        let end = clock.now().after(CONDITIONS);
        let judged = tokio::task::spawn_blocking(move || elsewhere(&kept, &|| is_over(&clock, end)));
        // Should a condition run on for all that, or fall over, then it has failed like one that was not reached.
        match tokio::time::timeout(2 * CONDITIONS, judged).await {
            Ok(Ok(judgement)) => Arc::new(judgement),
            _ => Arc::new(judge(policy, &|| true)),
        }
    }
}

fn is_over(clock: &Clock, end: Timestamp) -> bool {
    clock.now() >= end
}
