//! The scope of a remembered decision: its preview, and the evidence about waiting calls.

use super::{
    EmbeddedService,
    answer::read_scope,
    lists::{MAX_HISTORY_CALLS, run_blocking},
};
use crate::{GateFailure, view::CallHistory};
use countersign_api as api;
use countersign_approvals::{
    Call, CommandCaller, CommandEvidence, DecisionContext,
    decide::{self, RespondCommand, WaitingReview},
};
use countersign_events::{CallId, Decision, GrantLimits, ThreadId};
use countersign_policy::Policy;
use countersign_store::EventFilter;
use std::{collections::HashSet, sync::Arc};

impl EmbeddedService {
    /// Compares the scope with the other recent calls of the thread, and lists the calls that wait and that a decision of
    /// this principal would decide too.
    pub(crate) async fn preview_scope(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        request: &api::ScopeRequest,
    ) -> Result<api::ScopePreview, GateFailure> {
        let (call, scope) = (self.look_up(thread, id).await?, read_scope(&request.scope)?);
        let policy = self.policy.policy_for_views();
        let waiting = self.waiting_calls(thread).await?;
        let evidence = self.judge_waiting(&policy, &call, &waiting).await;
        let state = self.store.thread(thread).await?;
        let history = self.history(thread, MAX_HISTORY_CALLS).await?;
        let (by, now, thread_id) = (by.clone(), self.store.clock().now(), thread.clone());
        let answer = RespondCommand {
            about: Some(call.arguments_hash()),
            scope: Some(scope.clone()),
            level: request.level.clone(),
            limits: GrantLimits { seconds: None, uses: request.uses },
            ..RespondCommand::plain(Decision::Deny)
        };
        let agents = request.agents;
        Ok(run_blocking(move || {
            let context = DecisionContext::new(&thread_id, &state, &by, &policy, &evidence, now);
            let waiting_for = |answer: &RespondCommand| {
                let ids = decide::preview_waiting(&call, answer, waiting.iter(), &context);
                ids.into_iter().cloned().collect()
            };
            let allow = RespondCommand { decision: Decision::AllowSession, agents, ..answer.clone() };
            let waiting_ids: HashSet<&CallId> = waiting.iter().map(Call::id).collect();
            let history: Vec<_> =
                history.into_iter().filter(|call| !waiting_ids.contains(call.id())).collect();
            api::ScopePreview {
                scope: scope.json(),
                description: scope.describe_in(call.proposal.what.place.as_ref()),
                earlier: CallHistory::new(&policy, &history).compare(&scope, &call),
                waiting: api::WaitingCalls { allows: waiting_for(&allow), denies: waiting_for(&answer) },
            }
        })
        .await)
    }

    /// The evidence for a decision that also decides calls that wait.
    pub(super) async fn judge_answer_and_waiting(
        &self,
        policy: &Arc<Policy>,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<CommandEvidence, GateFailure> {
        let (call, waiting) = (self.look_up(thread, id).await?, self.waiting_calls(thread).await?);
        Ok(self.judge_waiting(policy, &call, &waiting).await)
    }

    /// Judges the call and the waiting calls that another policy asked about.
    async fn judge_waiting(&self, policy: &Arc<Policy>, call: &Call, waiting: &[Call]) -> CommandEvidence {
        let mut review = WaitingReview::default();
        let hash = policy.hash();
        if decide::answer_needs_judgement(call, hash) {
            review.answer = self.judge.judge_call(policy, call.clone()).await.judged().cloned();
        }
        let is_other = |other: &&Call| other.id() != call.id() && decide::answer_needs_judgement(other, hash);
        for other in waiting.iter().filter(is_other) {
            let judged = self.judge.judge_call(policy, other.clone()).await.judged().cloned();
            review.waiting.extend(judged.map(|judged| (other.id().clone(), judged)));
        }
        CommandEvidence::Waiting(review)
    }

    /// The pending calls of the thread, the oldest first, as many as one decision looks at.
    async fn waiting_calls(&self, thread: &ThreadId) -> Result<Vec<Call>, GateFailure> {
        let filter = EventFilter { thread_id: Some(thread.clone()), ..EventFilter::default() };
        let mut calls = Vec::new();
        let mut after = 0;
        while calls.len() < decide::MAX_WAITING {
            let page = self.store.pending(&filter, after, api::MAX_PAGE).await?;
            calls.extend(page.items);
            match page.next {
                Some(next) => after = next,
                None => break,
            }
        }
        Ok(calls)
    }
}
