//! Evidence for commands: the policy's judgement and the review of edited arguments. Both run code from outside (a
//! policy's conditions, a tool's schema), so they run before a command is queued, where no other caller waits for them.

use super::{EmbeddedService, schema::find_schema_error};
use crate::{GateFailure, run_large};
use countersign_approvals::{
    Call, CommandEvidence, Refused,
    decide::{self, ClaimCommand, EditReview, HashedArguments, ProposalReview, ProposeCommand},
};
use countersign_events::{CallId, Principal, ThreadId};
use countersign_policy::Policy;
use std::{sync::Arc, time::Duration};

/// The time limit for the check of edited arguments against the tool's schema and for the comparison with the
/// proposed ones.
const REVIEW_LIMIT: Duration = Duration::from_secs(2);
const TOO_LONG: &str = "it takes too long to check them against the tool's inputSchema; deny the call and let the \
                        agent propose another";

impl EmbeddedService {
    /// Judges a proposal by the policy, and reviews it.
    pub(super) async fn judge_proposal(
        &self,
        policy: &Arc<Policy>,
        by: &Principal,
        thread: &ThreadId,
        propose: &ProposeCommand,
    ) -> CommandEvidence {
        let proposed = Box::new((by.clone(), thread.clone(), propose.clone()));
        let review = move |policy: &Policy, late: &dyn Fn() -> bool| {
            let (by, thread, propose) = &*proposed;
            let subject = propose.subject(thread, by);
            let review = || ProposalReview::new(policy, propose.arguments.hash(), &subject, late);
            run_large(subject.arguments.as_str().len(), review)
        };
        CommandEvidence::Proposal(self.judge.ask(policy, review).await)
    }

    /// Judges a claim by the policy, unless this policy has judged the call already.
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
        Ok(CommandEvidence::Judgement(self.judge.judge(policy, hash, judge).await))
    }

    /// Judges the answered call if the answer has no edited arguments and the policy changed since the request.
    pub(super) async fn judge_answer(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<CommandEvidence, GateFailure> {
        let call = self.look_up(thread, id).await?;
        if !decide::answer_needs_judgement(&call, policy.hash()) {
            return Ok(CommandEvidence::NotNeeded);
        }
        Ok(self.judge.judge_call(policy, call).await)
    }

    /// Reviews edited arguments: judges them by the policy, checks them against the tool's schema, and lists the
    /// changes. Fails with [`Refused::Invalid`] if the check takes longer than [`REVIEW_LIMIT`].
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
        let judged = self.judge.judge(policy, arguments.hash(), judge).await;
        let compare = move || compare_edit(&call, &arguments);
        let compared = tokio::time::timeout(REVIEW_LIMIT, tokio::task::spawn_blocking(compare)).await;
        let Ok(Ok((schema_error, changes))) = compared else {
            let why = TOO_LONG.to_owned();
            return Err(Refused::Invalid { field: "arguments", why }.into());
        };
        Ok(CommandEvidence::Edit(EditReview { judged, schema_error, changes }))
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
