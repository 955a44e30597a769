//! The questions that one process asks while it has the advisor lease: one task per call and advisor, so that none
//! waits for another, and nothing waits for them.

use crate::{
    AdviceFault, AdviceOutcome, AdviceQuestion, AdvisorDesk, AdvisorPlace, RECENT_CALLS, facts::subject_of,
};
use countersign_api as api;
use countersign_events::{AdvisorMode, CallId, Event, EventType, ThreadId};
use countersign_gate::{AdvisedCall, EmbeddedGate, GateFailure};
use countersign_policy::{AdvisorSettings, Policy};
use countersign_store::Clock;
use std::{collections::HashSet, sync::Arc, time::Duration};
use tokio::task::JoinSet;

/// How many pending calls are read per page.
const PAGE: usize = 256;

/// The pause after a database failure.
const RETRY: Duration = Duration::from_secs(2);

/// The most open questions. It is more than all advisors of a policy can have waiting, so that a slow one delays no other: the
/// questions above are those that are left to people at once.
const MAX_OPEN: usize = 40_000;

/// A question: the thread, the call, and the configuration and name of the advisor.
type QuestionId = (ThreadId, CallId, String);

/// The questions of one process.
pub(crate) struct AdviceSession {
    gate: EmbeddedGate,
    desk: Arc<AdvisorDesk>,
    /// The questions that are open, and those whose advice was refused: it is in no log, and must not be asked for again.
    asked: HashSet<QuestionId>,
    /// Each task returns its question, unless the advice was refused.
    tasks: JoinSet<Option<QuestionId>>,
    max_open: usize,
}

impl AdviceSession {
    pub(crate) fn new(gate: &EmbeddedGate, desk: &Arc<AdvisorDesk>) -> Self {
        Self {
            gate: gate.clone(),
            desk: Arc::clone(desk),
            asked: HashSet::new(),
            tasks: JoinSet::new(),
            max_open: MAX_OPEN,
        }
    }

    /// Returns true if no question is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Waits until a question is answered.
    pub(crate) async fn next_answer(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(Some(answered))) => drop(self.asked.remove(&answered)),
            Some(Err(panicked)) => tracing::error!(%panicked, "a question to an advisor ended"),
            Some(Ok(None)) | None => {}
        }
    }

    /// Waits a while for the open questions. Unanswered questions are abandoned, and their programs are killed.
    pub(crate) async fn finish(&mut self, span: Duration) {
        let mut end = std::pin::pin!(Clock::System.sleep(span));
        loop {
            tokio::select! {
                answered = self.tasks.join_next() => {
                    if answered.is_none() {
                        return;
                    }
                }
                () = &mut end => {
                    self.tasks.shutdown().await;
                    return;
                }
            }
        }
    }

    /// Asks about a request's call, or, with a new policy, about all pending calls.
    pub(crate) async fn take_event(&mut self, event: &Arc<Event>) -> Result<(), GateFailure> {
        if event.kind == EventType::PolicySet {
            self.gate.reload_policy().await?;
            return self.ask_about_pending().await;
        }
        let Some((thread, id)) = EmbeddedGate::requested_call(event) else { return Ok(()) };
        match self.gate.call_for_advice(&thread, &id).await {
            Ok(call) => call.iter().for_each(|call| self.ask_about(call)),
            // Other calls can be asked about.
            Err(error) if is_lasting(&error) => {
                tracing::error!(thread = thread.as_str(), call = id.as_str(), %error, "no advisor is asked about this call");
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Asks about pending calls that have no advice from an advisor.
    pub(crate) async fn ask_about_pending(&mut self) -> Result<(), GateFailure> {
        let mut after = 0;
        loop {
            let page = self.gate.pending_for_advice(after, PAGE).await?;
            for call in &page.calls {
                while self.tasks.len() >= self.max_open {
                    self.next_answer().await;
                }
                self.ask_about(call);
            }
            match page.next {
                Some(next) => after = next,
                None => return Ok(()),
            }
        }
    }

    /// Returns true if a pending call has no advice from an advisor.
    pub(crate) async fn has_unasked_calls(&self) -> Result<bool, GateFailure> {
        let Ok(policy) = self.gate.policy_in_force() else { return Ok(false) };
        let mut after = 0;
        loop {
            let page = self.gate.pending_for_advice(after, PAGE).await?;
            if page.calls.iter().any(|call| !advisors_to_ask(&policy, call).is_empty()) {
                return Ok(true);
            }
            match page.next {
                Some(next) => after = next,
                None => return Ok(false),
            }
        }
    }

    fn ask_about(&mut self, call: &AdvisedCall) {
        // A policy that this version cannot read asks no advisor.
        let Ok(policy) = self.gate.policy_in_force() else { return };
        for advisor in advisors_to_ask(&policy, call) {
            let (thread, id) = (call.call.thread_id.clone(), call.call.id.clone());
            let question_id = (thread, id, format!("{} {}", advisor.configuration, advisor.name));
            if self.asked.insert(question_id.clone()) {
                let question = CallQuestion {
                    gate: self.gate.clone(),
                    desk: Arc::clone(&self.desk),
                    policy: Arc::clone(&policy),
                    advisor: advisor.name.clone(),
                    thread: call.call.thread_id.clone(),
                    call: call.call.id.clone(),
                };
                self.tasks.spawn(async move { question.ask_and_record().await.then_some(question_id) });
            }
        }
    }
}

/// The advisors that the policy asks about a call and that have not answered.
fn advisors_to_ask<'a>(policy: &'a Policy, call: &AdvisedCall) -> Vec<&'a AdvisorSettings> {
    let mut advisors = policy.advisors_of(&subject_of(&call.call));
    advisors.retain(|advisor| !call.advised.contains(&advisor.name));
    advisors
}

/// Returns true if it fails again as long as the log is not repaired.
fn is_lasting(error: &GateFailure) -> bool {
    error.code() == "damaged"
}

/// A question that waits for its advisor. The advisor's settings may be large, so the policy is shared.
struct CallQuestion {
    gate: EmbeddedGate,
    desk: Arc<AdvisorDesk>,
    policy: Arc<Policy>,
    advisor: String,
    thread: ThreadId,
    call: CallId,
}

impl CallQuestion {
    /// Asks, and records the advice. While the database fails, it is tried again. Returns false if the advice was refused.
    async fn ask_and_record(self) -> bool {
        let Some(advisor) = self.policy.advisor(&self.advisor) else { return true };
        let place = self.desk.enter(advisor).await;
        // In a box, because a waiting task must be small: there may be thousands.
        Box::pin(self.ask_and_record_at(place, advisor)).await
    }

    async fn ask_and_record_at(
        &self,
        place: Result<AdvisorPlace, AdviceFault>,
        advisor: &AdvisorSettings,
    ) -> bool {
        let asked = loop {
            match self.ask(advisor, place.as_ref()).await {
                Ok(asked) => break asked,
                Err(error) if is_lasting(&error) => return self.give_up(&error),
                Err(error) => self.pause(&error).await,
            }
        };
        drop(place);
        let Some((call, outcome)) = asked else { return true };
        self.gate.count_advice(&advisor.name, outcome.word(), outcome.is_cached, outcome.elapsed);
        if let Err(fault) = &outcome.answer {
            self.report_failure(fault);
        }
        let command = outcome.to_command(advisor, call.arguments_hash);
        while let Err(error) = self.gate.record_advice(&self.thread, &self.call, &command).await {
            if let GateFailure::Refused(refused) = &error {
                let (thread, call) = (self.thread.as_str(), self.call.as_str());
                tracing::info!(advisor = self.advisor, thread, call, why = %refused, "advice was not recorded");
                return false;
            }
            if is_lasting(&error) {
                return self.give_up(&error);
            }
            self.pause(&error).await;
        }
        true
    }

    /// Asks, unless the call is decided by now. In the mode `shadow`, the advice is compared with the decision, so the
    /// advisor is still asked.
    async fn ask(
        &self,
        advisor: &AdvisorSettings,
        place: Result<&AdvisorPlace, &AdviceFault>,
    ) -> Result<Option<(api::Call, AdviceOutcome)>, GateFailure> {
        let Some(call) = self.gate.call_for_advice(&self.thread, &self.call).await? else { return Ok(None) };
        let is_wanted = call.call.is_pending() || advisor.mode == AdvisorMode::Shadow;
        if !is_wanted || call.advised.contains(&advisor.name) {
            return Ok(None);
        }
        let outcome = match place {
            Err(fault) => AdviceOutcome::not_asked(fault.clone()),
            Ok(place) => {
                let proposed = call.call.proposal.seq;
                let earlier = self.gate.earlier_calls(&self.thread, proposed, RECENT_CALLS).await?;
                let question = AdviceQuestion::from_call(&call.call, &earlier, self.policy.redactor());
                let question = match question {
                    Ok(question) => question.with_facts(advisor, &self.policy, &self.gate, &call.call).await,
                    Err(fault) => Err(fault),
                };
                match question {
                    Ok(question) => self.desk.ask(place, advisor, &question).await,
                    Err(fault) => AdviceOutcome::not_asked(fault),
                }
            }
        };
        Ok(Some((call.call, outcome)))
    }

    /// Leaves the call to people. Returns false, because no advice is recorded.
    fn give_up(&self, error: &GateFailure) -> bool {
        let (thread, call) = (self.thread.as_str(), self.call.as_str());
        tracing::error!(advisor = self.advisor, thread, call, %error, "an advisor cannot be asked about this call");
        false
    }

    async fn pause(&self, error: &GateFailure) {
        tracing::warn!(%error, advisor = self.advisor, "an advisor cannot be asked; trying again");
        Clock::System.sleep(RETRY).await;
    }

    fn report_failure(&self, fault: &AdviceFault) {
        let (thread, call) = (self.thread.as_str(), self.call.as_str());
        let (failure, detail) = (fault.failure.as_str(), fault.detail.as_str());
        tracing::warn!(advisor = self.advisor, thread, call, failure, detail, "an advisor did not answer");
    }
}

#[cfg(test)]
mod tests;
