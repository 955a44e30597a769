//! The rules as given / when / then: after certain commands, a command yields events or a refusal.

mod advisor_laws;
mod advisor_modes;
mod advisors;
mod approver_keys;
mod calls;
mod channels;
mod chats;
mod cheats;
mod definitions;
mod delegations;
mod erasure;
mod evidence;
mod grant_limits;
mod laws;
mod leases;
mod lifting;
mod memory;
mod messages;
mod mismatches;
mod names;
mod passkey_sessions;
mod pending;
mod places;
mod proofs;
mod push_devices;
mod restrictions;
mod secrets;
mod settings;
mod several;
mod silence;
mod stricter;
mod taken_back;
mod tokens;
mod waiting;
mod web_origins;
mod webhooks;
mod withdrawals;

use super::{
    ArgumentsJudgement, CallCommand, ClaimCommand, CommandEvidence, DefinitionIdentity, EditReview,
    FinishCommand, HashedArguments, ProposalReview, ProposeCommand, RespondCommand, StopCommand,
    ThreadCommand, WaitingReview, answer_needs_judgement, argument_changes, claim_needs_judgement,
    claim_subject,
};
use crate::{
    ApprovalCommand, BatchState, Call, CommandEnvelope, CommandTarget, GrantScope, LogCommand, ReadSet,
    Refused,
};
use countersign_events::{
    Body, CallId, CallState, Decision, Event, Json, Principal, Sha256, Status, ThreadId, Timestamp, ToolName,
};
use countersign_policy::{JudgedCall, Policy};
use std::{sync::Arc, time::Duration};

/// One thread, a clock that the test advances, and a policy.
pub(super) struct DecisionStory {
    pub(super) batch: BatchState,
    pub(super) log: Vec<Event>,
    pub(super) now: Timestamp,
    pub(super) policy: Arc<Policy>,
    by: Principal,
}

/// The command that records a log-wide fact.
pub(super) fn record(fact: Body) -> ApprovalCommand {
    LogCommand::Record(vec![fact]).into()
}

pub(super) fn given(policy: &str) -> DecisionStory {
    let mut batch = BatchState::new(0, Sha256::ZERO);
    batch
        .load(&ReadSet { directories: true, ..ReadSet::default() }, &[])
        .expect("an empty log has no tokens or webhooks");
    DecisionStory {
        batch,
        log: Vec::new(),
        now: Timestamp::from_millis(1_000_000),
        policy: Arc::new(Policy::read(policy).expect("valid")),
        by: Principal::agent("bot"),
    }
}

pub(super) fn call_id(id: &str) -> CallId {
    CallId::new(id).expect("valid")
}

pub(super) fn thread_id() -> ThreadId {
    ThreadId::new("t").expect("valid")
}

pub(super) fn propose(id: &str, tool: &str, arguments: &str) -> ProposeCommand {
    ProposeCommand {
        id: call_id(id),
        name: ToolName::new(tool).expect("valid"),
        arguments: HashedArguments::new(Json::parse(arguments).expect("valid")).expect("valid"),
        annotations: None,
        impact: None,
        description: None,
        place: None,
        definition: None,
        identity: DefinitionIdentity::Computed,
        expires_in: None,
        replaces: None,
        withdraw_when_gone: false,
    }
}

pub(super) fn hash(arguments: &str) -> Sha256 {
    Json::parse(arguments).and_then(|json| json.admit()).expect("valid")
}

pub(super) fn finish(status: Status, content: &str) -> CallCommand {
    CallCommand::Finish(FinishCommand { status, content: Json::string(content), executor: None, ran: None })
}

/// The evidence that the gate would work out for this command.
fn evidence_for(
    policy: &Policy,
    (by, thread_id): (&Principal, &ThreadId),
    call: Option<&Call>,
    command: &CallCommand,
) -> CommandEvidence {
    let judged = |subject: &JudgedCall<'_>, arguments_hash| {
        let judgement = Arc::new(policy.judge(subject, &|| false));
        ArgumentsJudgement { arguments_hash, judgement }
    };
    match (command, call) {
        (CallCommand::Propose(propose), _) => {
            let subject = propose.subject(thread_id, by);
            let hash = propose.arguments.hash();
            CommandEvidence::Proposal(ProposalReview::new(policy, hash, &subject, &|| false))
        }
        (CallCommand::Claim(claim), Some(call)) if claim_needs_judgement(call, policy.hash()) => {
            CommandEvidence::Judgement(judged(&claim_subject(call, claim), call.arguments_hash()))
        }
        (CallCommand::Due, Some(call)) => {
            CommandEvidence::Judgement(judged(&call.subject(), call.arguments_hash()))
        }
        (CallCommand::Respond(RespondCommand { arguments: Some(arguments), .. }), Some(call)) => {
            let judged = judged(&call.subject_with(arguments.json(), &[]), arguments.hash());
            let changes = argument_changes(call, arguments);
            CommandEvidence::Edit(EditReview { judged, schema_error: None, changes })
        }
        (CallCommand::Respond(_), Some(call)) if answer_needs_judgement(call, policy.hash()) => {
            CommandEvidence::Judgement(judged(&call.subject(), call.arguments_hash()))
        }
        _ => CommandEvidence::NotNeeded,
    }
}

impl DecisionStory {
    pub(super) fn agent(&mut self) -> &mut Self {
        self.by = Principal::agent("bot");
        self
    }

    pub(super) fn person(&mut self, name: &str) -> &mut Self {
        self.by = Principal::user(name);
        self
    }

    pub(super) fn set_by(&mut self, by: Principal) {
        self.by = by;
    }

    pub(super) fn execute(
        &mut self,
        target: CommandTarget,
        command: ApprovalCommand,
    ) -> Result<Vec<String>, Refused> {
        let envelope = self.envelope(target, command);
        self.apply(&envelope)
    }

    /// The command with the evidence that the gate would add.
    pub(super) fn envelope(&self, target: CommandTarget, command: ApprovalCommand) -> CommandEnvelope {
        let evidence = match (&target, &command) {
            (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command)) => {
                let call = self.batch.call(thread_id, id);
                let evidence = evidence_for(&self.policy, (&self.by, thread_id), call, command);
                match command {
                    CallCommand::Respond(respond) if respond.and_waiting => self.judge_waiting(evidence),
                    _ => evidence,
                }
            }
            _ => CommandEvidence::NotNeeded,
        };
        self.envelope_with(target, command, evidence)
    }

    fn envelope_with(
        &self,
        target: CommandTarget,
        command: ApprovalCommand,
        evidence: CommandEvidence,
    ) -> CommandEnvelope {
        let (by, policy) = (self.by.clone().into(), Arc::clone(&self.policy));
        let log = self.log.first().and_then(|first| first.hash).unwrap_or(Sha256::ZERO);
        CommandEnvelope { target, command, by, now: self.now, policy, evidence, log }
    }

    /// The evidence that the gate would add about the calls that wait.
    fn judge_waiting(&self, evidence: CommandEvidence) -> CommandEvidence {
        let calls = self.log.iter().filter_map(|event| {
            let body = Body::read(event.seq, event.kind, &event.data).expect("readable");
            let Body::ToolCall(call) = body else { return None };
            self.batch.call(&thread_id(), &call.id)
        });
        let judged = |call: &Call| {
            let judgement = Arc::new(self.policy.judge(&call.subject(), &|| false));
            (call.id().clone(), ArgumentsJudgement { arguments_hash: call.arguments_hash(), judgement })
        };
        let waiting =
            calls.filter(|call| answer_needs_judgement(call, self.policy.hash())).map(judged).collect();
        match evidence {
            CommandEvidence::Edit(_) => evidence,
            other => CommandEvidence::Waiting(WaitingReview { answer: other.judged().cloned(), waiting }),
        }
    }

    pub(super) fn execute_with(
        &mut self,
        target: CommandTarget,
        command: ApprovalCommand,
        evidence: CommandEvidence,
    ) -> Result<Vec<String>, Refused> {
        let envelope = self.envelope_with(target, command, evidence);
        self.apply(&envelope)
    }

    pub(super) fn apply(&mut self, envelope: &CommandEnvelope) -> Result<Vec<String>, Refused> {
        // The story tells the whole log, so what it has not read has no events.
        let tools = self.batch.missing(std::slice::from_ref(envelope)).tools;
        self.batch.load(&ReadSet { tools, ..ReadSet::default() }, &[]).expect("nothing is damaged");
        let applied = self.batch.apply(envelope).expect("nothing is damaged");
        self.log.extend(applied.events.iter().map(|recorded| (*recorded.event).clone()));
        applied
            .outcome
            .map_err(Refused::from)
            .map(|()| applied.events.iter().map(|e| format!("{} by {}", e.kind, e.principal)).collect())
    }

    pub(super) fn call_command(&mut self, id: &str, command: CallCommand) -> Result<Vec<String>, Refused> {
        self.execute(CommandTarget::Call(thread_id(), call_id(id)), command.into())
    }

    pub(super) fn thread_command(&mut self, command: ThreadCommand) -> Result<Vec<String>, Refused> {
        self.execute(CommandTarget::Thread(thread_id()), command.into())
    }

    pub(super) fn proposes(&mut self, id: &str, tool: &str) -> Result<Vec<String>, Refused> {
        let command = propose(id, tool, "{\"n\":1}");
        self.agent().call_command(id, CallCommand::Propose(command))
    }

    pub(super) fn decides(
        &mut self,
        name: &str,
        id: &str,
        decision: Decision,
    ) -> Result<Vec<String>, Refused> {
        let comment = (decision == Decision::Deny).then(|| "too risky".to_owned());
        let scope = (decision == Decision::AllowSession).then_some(GrantScope::Tool);
        self.person(name).call_command(
            id,
            CallCommand::Respond(RespondCommand { comment, scope, ..RespondCommand::plain(decision) }),
        )
    }

    pub(super) fn claims(
        &mut self,
        id: &str,
        executor: &str,
        arguments: &str,
    ) -> Result<Vec<String>, Refused> {
        let claim = ClaimCommand {
            executor: executor.to_owned(),
            arguments_hash: hash(arguments),
            lease: Some(Duration::from_mins(1)),
            arguments: None,
            definition_hash: None,
        };
        self.agent().call_command(id, CallCommand::Claim(claim))
    }

    pub(super) fn later(&mut self, seconds: u64) -> &mut Self {
        self.now = self.now.after(Duration::from_secs(seconds));
        self
    }

    pub(super) fn state(&self, id: &str) -> CallState {
        self.batch.call(&thread_id(), &call_id(id)).expect("proposed").state(self.now)
    }

    pub(super) fn told(&self, id: &str) -> String {
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        call.result().expect("ended").what.content.as_str().to_owned()
    }
}

pub(super) fn code(outcome: Result<Vec<String>, Refused>) -> &'static str {
    outcome.expect_err("refused").code()
}
