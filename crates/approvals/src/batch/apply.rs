//! Applying a command: the call's due events come before the command's own.

use super::{
    AppliedCommand, ApprovalCommand, BatchState, CommandEnvelope, CommandTarget, RecordedEvent,
    thread_state::event_bytes,
};
use crate::{
    Call, CallCommand, CommandFailure, DecisionContext, LogCommand, NewEvent, Refused, ThreadCommand,
    access::ProofContext,
    decide,
    registry::{self, AdmissionContext},
};
use countersign_events::{Body, CallId, DamagedEvent, Event, EventType, ThreadId, chain};
use std::sync::Arc;

/// The next events of a command to a call.
struct CallPlan {
    /// The events that are due on the call before the command. The others are then not planned yet.
    due: Vec<NewEvent>,
    /// The proposed tool's definition, if the log does not have it.
    seen: Option<NewEvent>,
    decided: Result<Vec<NewEvent>, CommandFailure>,
}

impl BatchState {
    /// Appends the due events of the command's call, then the events of the command itself. Refuses a command that was
    /// prepared with another policy than the active one.
    pub fn apply(&mut self, envelope: &CommandEnvelope) -> Result<AppliedCommand, DamagedEvent> {
        let mut events = Vec::new();
        let depends_on_policy = match &envelope.command {
            ApprovalCommand::Log(command) => command.depends_on_policy(),
            ApprovalCommand::Call(_) | ApprovalCommand::Thread(_) => true,
        };
        if let Some(in_force) = self.policy().filter(|active| *active != envelope.policy.hash())
            && depends_on_policy
        {
            return Ok(AppliedCommand { outcome: Err(Refused::PolicyChanged { in_force }.into()), events });
        }
        let outcome = match (&envelope.target, &envelope.command) {
            (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command)) => {
                self.apply_to_call(envelope, thread_id, id, command, &mut events)?
            }
            (CommandTarget::Thread(thread_id), ApprovalCommand::Thread(command)) => {
                let decided = self.decide_on_thread(envelope, thread_id, command);
                self.append_decided(envelope, thread_id, decided, &mut events)?
            }
            (CommandTarget::AllThreads, ApprovalCommand::Thread(command @ ThreadCommand::Stop(_))) => {
                self.stop_all_threads(envelope, command, &mut events)?
            }
            (CommandTarget::Log, ApprovalCommand::Log(command)) => {
                let decided = self.decide_on_log(envelope, command).map_err(Into::into);
                self.append_decided(envelope, &ThreadId::whole_log(), decided, &mut events)?
            }
            _ => Err(Refused::wrong_target().into()),
        };
        Ok(AppliedCommand { outcome, events })
    }

    /// Decides on a log-wide command.
    fn decide_on_log(
        &self,
        envelope: &CommandEnvelope,
        command: &LogCommand,
    ) -> Result<Vec<NewEvent>, Refused> {
        let context = AdmissionContext {
            by: &envelope.by.principal,
            as_admin: false,
            recorded_seq: None,
            now: envelope.now,
            policy: &envelope.policy,
            log: envelope.log,
        };
        registry::plan(command, &self.registries, &context)
    }

    /// Stops thread by thread in the order of their ids, so that a replay gives the same log.
    fn stop_all_threads(
        &mut self,
        envelope: &CommandEnvelope,
        stop: &ThreadCommand,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), CommandFailure>, DamagedEvent> {
        // Reject an unauthorised caller even when nothing is pending.
        if let Err(refused) = decide::check_is_person(&envelope.by.principal) {
            return Ok(Err(refused.into()));
        }
        let mut threads: Vec<_> = self.threads.keys().cloned().collect();
        threads.sort();
        for thread_id in threads {
            let decided = self.decide_on_thread(envelope, &thread_id, stop);
            if let Err(failure) = self.append_decided(envelope, &thread_id, decided, events)? {
                return Ok(Err(failure));
            }
        }
        Ok(Ok(()))
    }

    /// Appends the due events of a call, then those of a command to it.
    fn apply_to_call(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        id: &CallId,
        command: &CallCommand,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), CommandFailure>, DamagedEvent> {
        let mut plan = self.plan_on_call(envelope, thread_id, id, command, true);
        if !plan.due.is_empty() {
            self.append(envelope, thread_id, plan.due, events)?;
            plan = self.plan_on_call(envelope, thread_id, id, command, false);
        }
        self.append(envelope, &ThreadId::whole_log(), plan.seen, events)?;
        let outcome = self.append_decided(envelope, thread_id, plan.decided, events)?;
        if matches!(command, CallCommand::Respond(respond) if respond.and_waiting) {
            self.answer_waiting(envelope, thread_id, events)?;
        }
        Ok(outcome)
    }

    /// Decides on a command to a call. If events are due first and `with_due` is set, it plans only these, because the
    /// command must be decided by the state after them.
    fn plan_on_call(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        id: &CallId,
        command: &CallCommand,
        with_due: bool,
    ) -> CallPlan {
        let pending = self.pending.count(thread_id, &envelope.by.principal);
        let state = self.threads.entry(thread_id.clone()).or_default();
        let registries = &self.registries;
        let keys = registries.are_directories_read.then(|| registries.tokens.approver_keys());
        let pinned = match command {
            CallCommand::Propose(propose) => registries.tools.get(&propose.name),
            _ => None,
        };
        let context = DecisionContext {
            pending,
            proofs: ProofContext { log: envelope.log, keys },
            pinned,
            advisors: registries.are_directories_read.then_some(&registries.advisors),
            delegations: registries.are_directories_read.then_some(&registries.tokens),
            policy_change: registries.policy.change.as_ref(),
            ..state.decision_context(thread_id, envelope)
        };
        let call = state.call(id);
        let mut plan = CallPlan { due: Vec::new(), seen: None, decided: Ok(Vec::new()) };
        if let Some(call) = call.filter(|_| with_due) {
            if let Err(failure) = decide::check_expiry_evidence(call, command, &context) {
                return CallPlan { decided: Err(failure), ..plan };
            }
            plan.due = decide::due_events(call, &context);
        }
        if plan.due.is_empty() {
            plan.decided = decide::decide(id, call, command, &context);
        }
        if let (CallCommand::Propose(propose), Ok([_, ..])) = (command, plan.decided.as_deref()) {
            plan.seen = registry::record_proposed(propose, &context);
        }
        plan
    }

    /// Decides the calls that wait by the grant that the command has just given, if it gave one.
    fn answer_waiting(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<(), DamagedEvent> {
        let state = self.threads.entry(thread_id.clone()).or_default();
        let is_new = |seq: i64| events.first().is_some_and(|first| seq >= first.seq);
        let Some(grant) = state.thread.grants.last().filter(|grant| is_new(grant.seq)) else { return Ok(()) };
        let context = state.decision_context(thread_id, envelope);
        let answers = decide::answer_waiting(grant, state.open_calls().into_iter(), &context);
        self.append(envelope, thread_id, answers, events)
    }

    fn decide_on_thread(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        command: &ThreadCommand,
    ) -> Result<Vec<NewEvent>, CommandFailure> {
        let state = self.threads.entry(thread_id.clone()).or_default();
        let context = state.decision_context(thread_id, envelope);
        decide::decide_thread(state.open_calls().into_iter(), command, &context)
    }

    fn append_decided(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        decided: Result<Vec<NewEvent>, CommandFailure>,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), CommandFailure>, DamagedEvent> {
        match decided {
            Ok(new_events) => self.append(envelope, thread_id, new_events, events).map(Ok),
            Err(failure) => Ok(Err(failure)),
        }
    }

    fn append(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        new_events: impl IntoIterator<Item = NewEvent>,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<(), DamagedEvent> {
        for NewEvent { by, body } in new_events {
            let seq = self.tip + 1;
            let unwritable = |e: serde_json::Error| DamagedEvent { seq, what: e.to_string() };
            let mut event = Event {
                seq,
                thread_id: thread_id.clone(),
                kind: body.event_type(),
                timestamp: envelope.now,
                principal: by,
                data: body.data().map_err(unwritable)?,
                hash: None,
            };
            let link = chain::link(self.link, &event);
            event.hash = Some(link);
            self.count_pending(&event, &body);
            if event.kind.is_of_whole_log() {
                self.registries.evolve(&event, &body);
                self.is_policy_read |= event.kind == EventType::PolicySet;
            } else {
                self.threads.entry(thread_id.clone()).or_default().evolve(&event, body.clone())?;
            }
            (self.tip, self.link) = (seq, link);
            self.added_bytes += event_bytes(&event);
            events.push(RecordedEvent { event: Arc::new(event), body: Arc::new(body) });
        }
        Ok(())
    }
}

impl BatchState {
    /// Adds an event to the counts of open requests.
    fn count_pending(&mut self, event: &Event, body: &Body) {
        match body {
            Body::ApprovalRequest(_) => self.pending.open(&event.thread_id, &event.principal),
            Body::ApprovalResponse(response) => {
                let call = self.call(&event.thread_id, &response.tool_call_id);
                let proposer = call.filter(|call| call.is_pending()).and_then(Call::request);
                if let Some(proposer) = proposer.map(|request| request.by.clone()) {
                    self.pending.close(&event.thread_id, &proposer);
                }
            }
            _ => {}
        }
    }
}
