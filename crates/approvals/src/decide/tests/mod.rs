//! The rules, told as stories: given what happened, when somebody wants something, then this follows.

mod calls;
mod cheats;
mod laws;
mod memory;
mod secrets;
mod settings;
mod several;

use super::{Arguments, Claim, Command, Finish, Propose, Respond, Stop, ThreadCommand};
use crate::{Ledger, Order, Refused, Wish};
use countersign_events::{
    Body, CallId, Event, Json, Principal, Sha256, State, ThreadId, Timestamp, ToolName,
    event::{Decision, Status},
};
use countersign_policy::Policy;
use std::{sync::Arc, time::Duration};

/// One thread, a clock that the story turns, and a policy.
pub(super) struct Story {
    pub(super) ledger: Ledger,
    pub(super) log: Vec<Event>,
    pub(super) now: Timestamp,
    pub(super) policy: Arc<Policy>,
    by: Principal,
}

pub(super) fn given(policy: &str) -> Story {
    Story {
        ledger: Ledger::new(0, Sha256::ZERO),
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

pub(super) fn propose(id: &str, tool: &str, arguments: &str) -> Propose {
    Propose {
        id: call_id(id),
        name: ToolName::new(tool).expect("valid"),
        arguments: Arguments::new(Json::parse(arguments).expect("valid")).expect("valid"),
        annotations: None,
        impact: None,
        description: None,
        definition: None,
        expires_in: None,
        judged: None,
    }
}

pub(super) fn hash(arguments: &str) -> Sha256 {
    Json::parse(arguments).and_then(|json| json.admit()).expect("valid")
}

pub(super) fn finish(status: Status, content: &str) -> Command {
    Command::Finish(Finish { status, content: Json::string(content), executor: None })
}

impl Story {
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

    pub(super) fn wishes(&mut self, wish: Wish) -> Result<Vec<String>, Refused> {
        let order = Order { wish, by: self.by.clone(), now: self.now, policy: Arc::clone(&self.policy) };
        let applied = self.ledger.apply(&order).expect("nothing is damaged");
        self.log.extend(applied.events.iter().cloned());
        applied
            .outcome
            .map(|()| applied.events.iter().map(|e| format!("{} by {}", e.kind, e.principal)).collect())
    }

    pub(super) fn wants(&mut self, id: &str, command: Command) -> Result<Vec<String>, Refused> {
        self.wishes(Wish::Call(thread_id(), call_id(id), command))
    }

    pub(super) fn proposes(&mut self, id: &str, tool: &str) -> Result<Vec<String>, Refused> {
        let wish = propose(id, tool, "{\"n\":1}");
        self.agent().wants(id, Command::Propose(wish))
    }

    pub(super) fn decides(
        &mut self,
        name: &str,
        id: &str,
        decision: Decision,
    ) -> Result<Vec<String>, Refused> {
        let comment = (decision == Decision::Deny).then(|| "too risky".to_owned());
        self.person(name).wants(id, Command::Respond(Respond { comment, ..Respond::plain(decision) }))
    }

    pub(super) fn claims(
        &mut self,
        id: &str,
        executor: &str,
        arguments: &str,
    ) -> Result<Vec<String>, Refused> {
        let claim = Claim {
            executor: executor.to_owned(),
            arguments_hash: hash(arguments),
            lease: Some(Duration::from_mins(1)),
            arguments: None,
            definition_hash: None,
            judged: None,
        };
        self.agent().wants(id, Command::Claim(claim))
    }

    pub(super) fn later(&mut self, seconds: u64) -> &mut Self {
        self.now = self.now.after(Duration::from_secs(seconds));
        self
    }

    pub(super) fn state(&self, id: &str) -> State {
        self.ledger.call(&thread_id(), &call_id(id)).expect("proposed").state(self.now)
    }

    pub(super) fn told(&self, id: &str) -> String {
        let call = self.ledger.call(&thread_id(), &call_id(id)).expect("proposed");
        call.result().expect("ended").what.content.as_str().to_owned()
    }
}

pub(super) fn code(outcome: Result<Vec<String>, Refused>) -> &'static str {
    outcome.expect_err("refused").code()
}
