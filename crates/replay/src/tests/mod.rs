//! Test logs, recorded by the approval rules themselves.

mod assembly;
mod daily;
mod drift;
mod laws;
mod measure;
mod month;
mod recorded;
mod replay;
mod suggestions;

use super::{
    Call, CallAssembler, PolicyReplay, ReplayReport, RuleSuggester, RuleSuggestion, SuggestionOptions,
};
use countersign_approvals::{
    ApprovalCommand, BatchState, CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, ThreadCommand,
    decide::{
        ArgumentsJudgement, ClaimCommand, EditReview, HashedArguments, ProposeCommand, RespondCommand,
        argument_changes, claim_needs_judgement, claim_subject,
    },
};
use countersign_events::{
    CallId, Decision, Event, Json, Mode, Principal, Sha256, ThreadId, Timestamp, ToolName, ToolPolicy,
};
use countersign_policy::{JudgedCall, Policy};
use std::{sync::Arc, time::Duration};

/// A log under construction. The proposer is `agent:bot`, and each command takes one second.
struct TestLog {
    batch: BatchState,
    events: Vec<Event>,
    now: Timestamp,
    policy: Arc<Policy>,
    proposed: u32,
}

/// An empty log, recorded under `policy`.
fn log_under(policy: &str) -> TestLog {
    TestLog {
        batch: BatchState::new(0, Sha256::ZERO),
        events: Vec::new(),
        now: "2026-01-31T09:00:00.000Z".parse().expect("valid"),
        policy: Arc::new(Policy::read(policy).expect("a policy")),
        proposed: 0,
    }
}

fn json(text: &str) -> Json {
    Json::parse(text).expect("valid")
}

fn thread_id(name: &str) -> ThreadId {
    ThreadId::new(name).expect("valid")
}

fn tool(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

/// The evidence that the gate would compute for this command.
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
            let judged = judged(&propose.subject(thread_id, by), propose.arguments.hash());
            CommandEvidence::Judgement(judged)
        }
        (CallCommand::Claim(claim), Some(call)) if claim_needs_judgement(call, policy.hash()) => {
            CommandEvidence::Judgement(judged(&claim_subject(call, claim), call.arguments_hash()))
        }
        (CallCommand::Respond(RespondCommand { arguments: Some(arguments), .. }), Some(call)) => {
            let judged = judged(&call.subject_with(arguments.json(), &[]), arguments.hash());
            let changes = argument_changes(call, arguments);
            CommandEvidence::Edit(EditReview { judged, schema_error: None, changes })
        }
        _ => CommandEvidence::NotNeeded,
    }
}

impl TestLog {
    /// Executes a command. Returns true if the rules allowed it.
    fn execute(&mut self, by: Principal, target: CommandTarget, command: ApprovalCommand) -> bool {
        self.now = self.now.after(Duration::from_secs(1));
        let evidence = match (&target, &command) {
            (CommandTarget::Call(thread_id, id), ApprovalCommand::Call(command)) => {
                let call = self.batch.call(thread_id, id);
                evidence_for(&self.policy, (&by, thread_id), call, command)
            }
            _ => CommandEvidence::NotNeeded,
        };
        let policy = Arc::clone(&self.policy);
        let envelope = CommandEnvelope {
            target,
            command,
            by: by.into(),
            now: self.now,
            policy,
            evidence,
            log: Sha256::ZERO,
        };
        let applied = self.batch.apply(&envelope).expect("nothing is damaged");
        self.events.extend(applied.events.iter().map(|recorded| (*recorded.event).clone()));
        applied.outcome.is_ok()
    }

    fn execute_on_call(&mut self, thread: &str, by: Principal, id: &CallId, command: CallCommand) -> bool {
        self.execute(by, CommandTarget::Call(thread_id(thread), id.clone()), command.into())
    }

    /// Proposes a call.
    fn propose(&mut self, thread: &str, name: &str, arguments: &str) -> CallId {
        self.propose_with(thread, name, arguments, |propose| propose)
    }

    fn propose_with(
        &mut self,
        thread: &str,
        name: &str,
        arguments: &str,
        change: impl FnOnce(ProposeCommand) -> ProposeCommand,
    ) -> CallId {
        self.proposed += 1;
        let id = CallId::new(&format!("call_{}", self.proposed)).expect("valid");
        let propose = ProposeCommand {
            id: id.clone(),
            name: tool(name),
            arguments: HashedArguments::new(json(arguments)).expect("admitted"),
            annotations: None,
            impact: None,
            description: None,
            place: None,
            definition: None,
            identity: countersign_approvals::decide::DefinitionIdentity::Computed,
            expires_in: None,
            replaces: None,
            withdraw_when_gone: false,
        };
        self.execute_on_call(thread, Principal::agent("bot"), &id, CallCommand::Propose(change(propose)));
        id
    }

    fn decide(&mut self, thread: &str, who: &str, id: &CallId, respond: RespondCommand) -> bool {
        self.execute_on_call(thread, Principal::user(who), id, CallCommand::Respond(respond))
    }

    /// Proposes a call, allows it and runs it.
    fn allow(&mut self, thread: &str, who: &str, name: &str, arguments: &str) -> CallId {
        let id = self.propose(thread, name, arguments);
        self.decide(thread, who, &id, RespondCommand::plain(Decision::AllowOnce));
        self.run(thread, &id, arguments);
        id
    }

    /// Proposes a call and denies it.
    fn deny(&mut self, thread: &str, who: &str, name: &str, arguments: &str) -> CallId {
        let id = self.propose(thread, name, arguments);
        let comment = Some("not on a Friday".to_owned());
        self.decide(thread, who, &id, RespondCommand { comment, ..RespondCommand::plain(Decision::Deny) });
        id
    }

    fn run(&mut self, thread: &str, id: &CallId, arguments: &str) -> bool {
        let claim = ClaimCommand {
            executor: "worker".to_owned(),
            arguments_hash: json(arguments).admit().expect("admitted"),
            lease: None,
            arguments: None,
            definition_hash: None,
        };
        self.execute_on_call(thread, Principal::agent("bot"), id, CallCommand::Claim(claim))
    }

    fn set_mode(&mut self, thread: &str, mode: Mode) {
        let target = CommandTarget::Thread(thread_id(thread));
        self.execute(Principal::user("ada"), target, ThreadCommand::SetMode(mode).into());
    }

    fn set_policy(&mut self, thread: &str, name: &str, policy: ToolPolicy) {
        let set = ThreadCommand::SetPolicies(vec![(tool(name), policy)]);
        self.execute(Principal::user("ada"), CommandTarget::Thread(thread_id(thread)), set.into());
    }

    fn advance(&mut self, duration: Duration) {
        self.now = self.now.after(duration);
    }

    /// All calls of the log, finished or not.
    fn calls(&self) -> Vec<Call> {
        let mut calls = CallAssembler::default();
        let mut finished: Vec<Call> =
            self.events.iter().filter_map(|event| calls.apply_event(event)).collect();
        assert_eq!(calls.damaged_count(), 0);
        finished.extend(calls.take_open_calls());
        finished
    }

    fn replay(&self, policy: &str) -> ReplayReport {
        self.replay_policy(Policy::read(policy).expect("a policy"))
    }

    fn replay_policy(&self, policy: Policy) -> ReplayReport {
        let mut replay = PolicyReplay::new(policy);
        for call in self.calls() {
            replay.replay_call(&call, &|| false);
        }
        replay.report()
    }

    fn suggest(&self) -> RuleSuggestion {
        self.suggest_with(SuggestionOptions::default())
    }

    fn suggest_with(&self, options: SuggestionOptions) -> RuleSuggestion {
        let mut suggester = RuleSuggester::new((*self.policy).clone(), options);
        for call in self.calls() {
            suggester.add_call(&call);
        }
        suggester.suggestion()
    }
}
