//! Evidence for commands: the policy's judgement and the check of edited arguments. Both run programs of other
//! people (conditions and schemas), so they run before a command is queued, where no other caller waits for them.

use super::{EmbeddedService, schema::find_schema_error};
use crate::GateFailure;
use countersign_approvals::{
    Call, CommandEvidence, Refused,
    decide::{self, ArgumentsJudgement, ClaimCommand, EditReview, HashedArguments, ProposeCommand},
};
use countersign_events::{CallId, Principal, Sha256, ThreadId, Timestamp};
use countersign_policy::{Judgement, Policy};
use countersign_store::Clock;
use std::{sync::Arc, time::Duration};

/// The time limit for all conditions of a policy together. Conditions that were not evaluated by then have failed. Their
/// budget of steps ends long before, so that the verdict does not depend on how busy the machine is; the time limit is
/// for a machine that does nothing else.
const CONDITION_LIMIT: Duration = Duration::from_secs(5);

/// The time limit for the check of edited arguments against the tool's schema and for the comparison with the
/// proposed ones.
const REVIEW_LIMIT: Duration = Duration::from_secs(2);
const TOO_LONG: &str = "it takes too long to check them against the tool's inputSchema; deny the call and let the \
                        agent propose another";

impl EmbeddedService {
    /// The judgement of a proposal.
    pub(super) async fn judge_proposal(
        &self,
        policy: &Arc<Policy>,
        by: &Principal,
        thread: &ThreadId,
        propose: &ProposeCommand,
    ) -> CommandEvidence {
        let hash = propose.arguments.hash();
        let (by, thread, propose) = (by.clone(), thread.clone(), propose.clone());
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            policy.judge(&propose.subject(&thread, &by), late)
        };
        CommandEvidence::Judgement(self.judge(policy, hash, judge).await)
    }

    /// The judgement of a claim, unless this policy judged the call before.
    pub(super) async fn judge_claim(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
        claim: &ClaimCommand,
    ) -> Result<CommandEvidence, GateFailure> {
        let call = self.look_up(thread, id).await?;
        if !decide::claim_needs_judgement(&call, policy.hash()) {
            return Ok(CommandEvidence::NotNeeded);
        }
        let claim = claim.clone();
        let hash = claim.arguments.as_ref().map_or(call.arguments_hash(), HashedArguments::hash);
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            policy.judge(&decide::claim_subject(&call, &claim), late)
        };
        Ok(CommandEvidence::Judgement(self.judge(policy, hash, judge).await))
    }

    /// The review of edited arguments: the policy's judgement, the tool's schema, the differences.
    pub(super) async fn review_edit(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
        arguments: &HashedArguments,
    ) -> Result<CommandEvidence, GateFailure> {
        let (call, arguments) = (Arc::new(self.look_up(thread, id).await?), arguments.clone());
        let (judged, edited) = (Arc::clone(&call), arguments.clone());
        let judge = move |policy: &Policy, late: &dyn Fn() -> bool| {
            policy.judge(&judged.subject_with(edited.json(), &[]), late)
        };
        let judged = self.judge(policy, arguments.hash(), judge).await;
        let compare = move || compare_edit(&call, &arguments);
        let compared = tokio::time::timeout(REVIEW_LIMIT, tokio::task::spawn_blocking(compare)).await;
        let Ok(Ok((schema_error, changes))) = compared else {
            let why = TOO_LONG.to_owned();
            return Err(Refused::Invalid { field: "arguments", why }.into());
        };
        Ok(CommandEvidence::Edit(EditReview { judged, schema_error, changes }))
    }

    /// Judges on this task if the policy has no conditions, and otherwise on a thread that may be blocked.
    async fn judge(
        &self,
        policy: &Arc<Policy>,
        arguments_hash: Sha256,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> Judgement + Send + Sync + 'static,
    ) -> ArgumentsJudgement {
        let judgement = if policy.has_conditions() {
            self.judge_conditions(policy, judge).await
        } else {
            judge(policy, &|| false)
        };
        ArgumentsJudgement { arguments_hash, judgement: Arc::new(judgement) }
    }

    async fn judge_conditions(
        &self,
        policy: &Arc<Policy>,
        judge: impl Fn(&Policy, &dyn Fn() -> bool) -> Judgement + Send + Sync + 'static,
    ) -> Judgement {
        let (kept, judge) = (Arc::clone(policy), Arc::new(judge));
        let (blocking, clock) = (Arc::clone(&judge), self.store.clock().clone());
        let end = clock.now().after(CONDITION_LIMIT);
        let judged = tokio::task::spawn_blocking(move || blocking(&kept, &|| is_over(&clock, end)));
        // A condition that ignores the limit or panics has failed, like one that was not evaluated in time.
        match tokio::time::timeout(2 * CONDITION_LIMIT, judged).await {
            Ok(Ok(judgement)) => judgement,
            _ => judge(policy, &|| true),
        }
    }
}

fn compare_edit(
    call: &Call,
    arguments: &HashedArguments,
) -> (Option<String>, Vec<countersign_events::json::ArgumentChange>) {
    let definition = call.proposal.what.definition.as_ref();
    let schema = definition.and_then(|definition| definition.input_schema.as_ref());
    let schema_error = schema.and_then(|schema| find_schema_error(schema, arguments.json()));
    (schema_error, decide::argument_changes(call, arguments))
}

fn is_over(clock: &Clock, end: Timestamp) -> bool {
    clock.now() >= end
}
