//! Decisions: of one call, and of several at once.

use super::{
    EmbeddedService,
    answer::{decided_by_grant, read_scope},
};
use crate::{GateFailure, view::read_question};
use countersign_api as api;
use countersign_approvals::{
    CallCommand, CommandCaller, CommandEvidence, NeededEvidence, Refused,
    access::VisibleThreads,
    decide::{HashedArguments, RespondCommand},
};
use countersign_events::{CallId, Decision, ErasedTexts, GrantLimits, Json, QuestionAnswer, ThreadId};
use countersign_policy::Policy;
use countersign_store::StoreError;
use futures_util::future::join_all;
use std::sync::Arc;

/// Why answers are refused.
const ANSWERS_ALONE: &str = "answers go with allow_once and without arguments";
const NO_QUESTION: &str = "the call asks people nothing; leave answers out";

impl EmbeddedService {
    pub(crate) async fn decide(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
    ) -> Result<api::Call, GateFailure> {
        let mut decided = self.decide_with_evidence(by, thread, id, decide, None).await?;
        self.complete_presence(vec![&mut decided]).await;
        Ok(decided)
    }

    /// Decides a call. `needed` is the evidence that an attempt before this one was refused for lack of.
    async fn decide_with_evidence(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
        needed: Option<NeededEvidence>,
    ) -> Result<api::Call, GateFailure> {
        let seen_here = self.presence.last_seen(thread, id);
        let execute = |policy, needed| async move {
            let (command, policy, evidence) =
                Box::pin(self.prepare_decision(policy, thread, id, decide, needed)).await?;
            self.execute_decision(by, thread, id, command, policy, evidence).await
        };
        let decided = self.execute_with_evidence(needed, execute).await?;
        Ok(api::Call { proposer_last_seen_at: seen_here, ..decided })
    }

    /// A decision command, with the policy and the evidence that it needs.
    async fn prepare_decision(
        &self,
        policy: Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
        needed: Option<NeededEvidence>,
    ) -> Result<(CallCommand, Arc<Policy>, CommandEvidence), GateFailure> {
        self.check_proof_page(decide.proof.as_ref())?;
        let arguments = match &decide.answers {
            Some(answers) => Some(self.add_answers(thread, id, decide, answers).await?),
            None => decide.arguments.clone(),
        };
        let respond = RespondCommand {
            decision: decide.decision,
            comment: decide.comment.clone(),
            arguments: arguments.map(HashedArguments::new).transpose()?,
            about: decide.arguments_hash,
            scope: decide.scope.as_ref().map(read_scope).transpose()?,
            agents: decide.agents,
            limits: GrantLimits { seconds: decide.expires_in_seconds, uses: decide.uses },
            on_behalf_of: decide.on_behalf_of.clone(),
            level: decide.level.clone(),
            and_waiting: decide.and_waiting,
            proof: decide.proof.clone().map(|proof| Box::new(proof.into())),
            channel: decide.channel,
            erased: ErasedTexts::new(),
        };
        let evidence = match &respond.arguments {
            Some(arguments) => self.review_edit(&policy, thread, id, arguments).await?,
            None if respond.and_waiting => self.judge_answer_and_waiting(&policy, thread, id).await?,
            // The rules say if an approval turns out to need evidence.
            None if respond.decision.allows() && needed.is_none() => CommandEvidence::NotNeeded,
            None => self.judge_answer(&policy, thread, id).await?,
        };
        Ok((CallCommand::Respond(respond), policy, evidence))
    }

    /// The arguments of a question with these answers. Fails with [`Refused::Invalid`] if the call asks nothing, or if the answers
    /// do not fit its questions.
    async fn add_answers(
        &self,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
        answers: &[QuestionAnswer],
    ) -> Result<Json, GateFailure> {
        let invalid = |why: String| Refused::Invalid { field: "answers", why };
        if decide.decision != Decision::AllowOnce || decide.arguments.is_some() {
            return Err(invalid(ANSWERS_ALONE.to_owned()).into());
        }
        let call = self.look_up(thread, id).await?;
        let (name, arguments) = (&call.proposal.what.name, call.arguments());
        let form = read_question(&call).ok_or_else(|| invalid(NO_QUESTION.to_owned()))?;
        let answered = form.answer(name, arguments, answers).map_err(|why| invalid(why.to_string()))?;
        Ok(answered)
    }

    /// Decides several calls concurrently, so that the commands share commits. Each call has its own outcome. The
    /// evidence of all calls is computed first, so that the decisions are queued in their order.
    pub(crate) async fn decide_all(
        &self,
        by: &CommandCaller,
        threads: &VisibleThreads,
        request: &api::BulkDecisionRequest,
    ) -> Vec<api::DecisionAnswer> {
        let prepare = async |item: &api::BulkDecisionItem| {
            if !threads.admits(&item.thread_id) {
                return Err(Refused::UnknownThread(item.thread_id.clone()).into());
            }
            let policy = self.policy.policy()?;
            self.prepare_decision(policy, &item.thread_id, &item.id, &item.request(), None).await
        };
        let prepared = join_all(request.decisions.iter().map(prepare)).await;
        // Read the log id first: if each decision read it, they would not be executed in order. A failure fails each
        // decision.
        let _ = self.log_id().await;
        let execute = async |(item, prepared): (&api::BulkDecisionItem, Result<_, GateFailure>)| {
            let seen_here = self.presence.last_seen(&item.thread_id, &item.id);
            let outcome = match prepared {
                Ok((command, policy, evidence)) => {
                    self.execute_decision(by, &item.thread_id, &item.id, command, policy, evidence).await
                }
                Err(error) => Err(error),
            };
            let needed = match &outcome {
                Err(GateFailure::Refused(Refused::PolicyChanged { .. })) => Some(None),
                Err(GateFailure::Store(StoreError::NeedsEvidence(needed))) => Some(Some(*needed)),
                _ => None,
            };
            let outcome = match needed {
                Some(needed) => {
                    self.decide_with_evidence(by, &item.thread_id, &item.id, &item.request(), needed).await
                }
                None => outcome,
            };
            let outcome = outcome.map(|call| api::Call { proposer_last_seen_at: seen_here, ..call });
            let outcome = self.add_origin_of_decision(&item.thread_id, outcome).await;
            api::DecisionAnswer { thread_id: item.thread_id.clone(), id: item.id.clone(), outcome }
        };
        let mut answers = join_all(request.decisions.iter().zip(prepared).map(execute)).await;
        self.complete_presence(
            answers.iter_mut().filter_map(|answer| answer.outcome.as_mut().ok()).collect(),
        )
        .await;
        answers
    }

    /// Executes a decision. The answer also names the waiting calls that it decided.
    async fn execute_decision(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        policy: Arc<Policy>,
        evidence: CommandEvidence,
    ) -> Result<api::Call, GateFailure> {
        let (call, events) =
            Box::pin(self.execute_and_report(by, thread, id, command, policy, evidence)).await?;
        let also_decided = events.iter().filter_map(|event| decided_by_grant(event, id)).collect();
        Ok(api::Call { also_decided, ..call })
    }
}
