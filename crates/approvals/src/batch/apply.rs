//! Applying a command: the events of the call that are due come before its own.

use super::{
    AppliedCommand, ApprovalCommand, BatchState, CommandEnvelope, CommandTarget, RecordedEvent, event_bytes,
    log_directories::LogDirectories,
};
use crate::{
    Call, CallCommand, DecisionContext, NewEvent, Refused, ThreadCommand, access::ProofContext, decide,
};
use countersign_events::{Body, CallId, DamagedEvent, Event, ThreadId, chain};
use std::sync::Arc;

impl BatchState {
    /// Appends the events that are due on the command's call, then those of the command itself. Refuses a command that
    /// was prepared with another policy than the one in force.
    pub fn apply(&mut self, envelope: &CommandEnvelope) -> Result<AppliedCommand, DamagedEvent> {
        let mut events = Vec::new();
        if let Some(in_force) = self.policy.filter(|in_force| *in_force != envelope.policy.hash())
            && (envelope.target != CommandTarget::Log
                || matches!(envelope.command, ApprovalCommand::Definitions(_) | ApprovalCommand::Advisors(_)))
        {
            return Ok(AppliedCommand { outcome: Err(Refused::PolicyChanged { in_force }), events });
        }
        let outcome = match (&envelope.target, &envelope.command) {
            (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command)) => {
                let checked = self.decide_on_call(envelope, thread_id, id, |call, context| {
                    call.map_or(Ok(()), |call| decide::check_expiry_evidence(call, command, context))
                });
                if let Err(refused) = checked {
                    return Ok(AppliedCommand { outcome: Err(refused), events });
                }
                let due = self.decide_on_call(envelope, thread_id, id, |call, context| {
                    call.map(|call| decide::due_events(call, context)).unwrap_or_default()
                });
                self.append(envelope, thread_id, due, &mut events)?;
                let decided = self.decide_on_call(envelope, thread_id, id, |call, context| {
                    decide::decide(id, call, command, context)
                });
                if let (CallCommand::Propose(propose), Ok([_, ..])) = (command, decided.as_deref()) {
                    let seen = self.decide_on_call(envelope, thread_id, id, |_, context| {
                        decide::record_proposed(propose, context)
                    });
                    self.append(envelope, &ThreadId::whole_log(), seen.into_iter().collect(), &mut events)?;
                }
                let outcome = self.append_decided(envelope, thread_id, decided, &mut events)?;
                if matches!(command, CallCommand::Respond(respond) if respond.and_waiting) {
                    self.answer_waiting(envelope, thread_id, &mut events)?;
                }
                outcome
            }
            (CommandTarget::Thread(thread_id), ApprovalCommand::Thread(command)) => {
                let decided = self.decide_on_thread(envelope, thread_id, command);
                self.append_decided(envelope, thread_id, decided, &mut events)?
            }
            (CommandTarget::AllThreads, ApprovalCommand::Thread(command @ ThreadCommand::Stop(_))) => {
                self.stop_all_threads(envelope, command, &mut events)?
            }
            (CommandTarget::Log, command) => {
                let decided = self.decide_on_log(envelope, command);
                self.append_decided(envelope, &ThreadId::whole_log(), decided, &mut events)?
            }
            _ => Err(wrong_target()),
        };
        Ok(AppliedCommand { outcome, events })
    }

    /// Decides on a command to the log as a whole.
    fn decide_on_log(
        &self,
        envelope: &CommandEnvelope,
        command: &ApprovalCommand,
    ) -> Result<Vec<NewEvent>, Refused> {
        let empty = LogDirectories::default();
        let LogDirectories { tokens, webhooks, advisors } = self.directories.as_ref().unwrap_or(&empty);
        let (by, policy) = (&envelope.by.principal, &*envelope.policy);
        match command {
            ApprovalCommand::SetPolicy(command) => decide::set_policy(command, by, self.policy),
            ApprovalCommand::Tokens(command) => {
                let proofs = ProofContext { log: envelope.log, keys: Some(tokens.approver_keys()) };
                decide::decide_on_tokens(command, &envelope.by, tokens, (proofs, policy, envelope.now))
            }
            ApprovalCommand::Webhooks(command) => decide::decide_on_webhooks(command, by, webhooks),
            ApprovalCommand::Definitions(command) => decide::decide_on_definitions(command, by, &self.pinned),
            ApprovalCommand::Advisors(command) => decide::decide_on_advisors(command, by, advisors, policy),
            ApprovalCommand::Call(_) | ApprovalCommand::Thread(_) => Err(wrong_target()),
        }
    }

    /// Stops thread by thread in the order of their ids, so that a replay gives the same log.
    fn stop_all_threads(
        &mut self,
        envelope: &CommandEnvelope,
        stop: &ThreadCommand,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), Refused>, DamagedEvent> {
        // Reject an unauthorised caller even when nothing is pending.
        if let Err(refused) = decide::check_may_stop(&envelope.by.principal) {
            return Ok(Err(refused));
        }
        let mut threads: Vec<_> = self.threads.keys().cloned().collect();
        threads.sort();
        for thread_id in threads {
            let decided = self.decide_on_thread(envelope, &thread_id, stop);
            if let Err(refused) = self.append_decided(envelope, &thread_id, decided, events)? {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    fn decide_on_call<T>(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        id: &CallId,
        decide: impl FnOnce(Option<&Call>, &DecisionContext<'_>) -> T,
    ) -> T {
        let pending = self.pending.count(thread_id, &envelope.by.principal);
        let state = self.threads.entry(thread_id.clone()).or_default();
        let keys = self.directories.as_ref().map(|directories| directories.tokens.approver_keys());
        let proofs = ProofContext { log: envelope.log, keys };
        let advisors = self.directories.as_ref().map(|directories| &directories.advisors);
        let pinned = match &envelope.command {
            ApprovalCommand::Call(CallCommand::Propose(propose)) => self.pinned.get(&propose.name),
            _ => None,
        };
        let context = DecisionContext {
            pending,
            proofs,
            pinned,
            advisors,
            ..state.decision_context(thread_id, envelope)
        };
        decide(state.call(id), &context)
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
    ) -> Result<Vec<NewEvent>, Refused> {
        let state = self.threads.entry(thread_id.clone()).or_default();
        let context = state.decision_context(thread_id, envelope);
        decide::decide_thread(state.open_calls().into_iter(), command, &context)
    }

    fn append_decided(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        decided: Result<Vec<NewEvent>, Refused>,
        events: &mut Vec<RecordedEvent>,
    ) -> Result<Result<(), Refused>, DamagedEvent> {
        match decided {
            Ok(new_events) => self.append(envelope, thread_id, new_events, events).map(Ok),
            Err(refused) => Ok(Err(refused)),
        }
    }

    fn append(
        &mut self,
        envelope: &CommandEnvelope,
        thread_id: &ThreadId,
        new_events: Vec<NewEvent>,
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
            match &body {
                Body::PolicySet(set) => self.set_policy(Some(set.hash)),
                body if body.event_type().is_of_whole_log() => self.evolve_directories(&event, body),
                _ => self.threads.entry(thread_id.clone()).or_default().evolve(&event, body.clone())?,
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

fn wrong_target() -> Refused {
    Refused::Invalid { field: "target", why: "the command does not apply to this target".to_owned() }
}
