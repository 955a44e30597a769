//! Logs to replay, made by the rules themselves.

mod calls;
mod laws;
mod replaying;
mod suggesting;

use super::{Call, Calls, Replay, Report, Suggest, Suggestion, Wanted};
use countersign_approvals::{
    Command, Ledger, Order, ThreadCommand, Wish,
    decide::{Arguments, Claim, Propose, Respond},
};
use countersign_events::{
    CallId, Event, Json, Principal, Sha256, ThreadId, Timestamp, ToolName,
    event::{Decision, Mode, ToolPolicy},
};
use countersign_policy::Policy;
use std::{sync::Arc, time::Duration};

/// A log in the making: the proposer is `agent:bot`, and a second goes by with each order.
struct Log {
    ledger: Ledger,
    events: Vec<Event>,
    now: Timestamp,
    policy: Arc<Policy>,
    proposed: u32,
}

fn under(policy: &str) -> Log {
    Log {
        ledger: Ledger::new(0, Sha256::ZERO),
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

impl Log {
    /// Carries an order out, if the rules let it.
    fn orders(&mut self, by: Principal, wish: Wish) -> bool {
        self.now = self.now.after(Duration::from_secs(1));
        let order = Order { wish, by, now: self.now, policy: Arc::clone(&self.policy) };
        let applied = self.ledger.apply(&order).expect("nothing is damaged");
        self.events.extend(applied.events);
        applied.outcome.is_ok()
    }

    fn of_call(&mut self, thread: &str, by: Principal, id: &CallId, command: Command) -> bool {
        self.orders(by, Wish::Call(thread_id(thread), id.clone(), command))
    }

    /// Has a call proposed.
    fn proposes(&mut self, thread: &str, name: &str, arguments: &str) -> CallId {
        self.proposes_with(thread, name, arguments, |propose| propose)
    }

    fn proposes_with(
        &mut self,
        thread: &str,
        name: &str,
        arguments: &str,
        with: impl FnOnce(Propose) -> Propose,
    ) -> CallId {
        self.proposed += 1;
        let id = CallId::new(&format!("call_{}", self.proposed)).expect("valid");
        let propose = Propose {
            id: id.clone(),
            name: tool(name),
            arguments: Arguments::new(json(arguments)).expect("admitted"),
            annotations: None,
            impact: None,
            description: None,
            definition: None,
            expires_in: None,
            judged: None,
        };
        self.of_call(thread, Principal::agent("bot"), &id, Command::Propose(with(propose)));
        id
    }

    fn decides(&mut self, thread: &str, who: &str, id: &CallId, respond: Respond) -> bool {
        self.of_call(thread, Principal::user(who), id, Command::Respond(respond))
    }

    /// Proposed, allowed by somebody, and run.
    fn allows(&mut self, thread: &str, who: &str, name: &str, arguments: &str) -> CallId {
        let id = self.proposes(thread, name, arguments);
        self.decides(thread, who, &id, Respond::plain(Decision::AllowOnce));
        self.runs(thread, &id, arguments);
        id
    }

    /// Proposed, and denied by somebody.
    fn denies(&mut self, thread: &str, who: &str, name: &str, arguments: &str) -> CallId {
        let id = self.proposes(thread, name, arguments);
        let comment = Some("not on a Friday".to_owned());
        self.decides(thread, who, &id, Respond { comment, ..Respond::plain(Decision::Deny) });
        id
    }

    fn runs(&mut self, thread: &str, id: &CallId, arguments: &str) -> bool {
        let claim = Claim {
            executor: "worker".to_owned(),
            arguments_hash: json(arguments).admit().expect("admitted"),
            lease: None,
            arguments: None,
            definition_hash: None,
            judged: None,
        };
        self.of_call(thread, Principal::agent("bot"), id, Command::Claim(claim))
    }

    fn sets_mode(&mut self, thread: &str, mode: Mode) {
        self.orders(Principal::user("ada"), Wish::Thread(thread_id(thread), ThreadCommand::SetMode(mode)));
    }

    fn sets_policy(&mut self, thread: &str, name: &str, policy: ToolPolicy) {
        let set = ThreadCommand::SetPolicies(vec![(tool(name), policy)]);
        self.orders(Principal::user("ada"), Wish::Thread(thread_id(thread), set));
    }

    fn goes_by(&mut self, span: Duration) {
        self.now = self.now.after(span);
    }

    /// The calls, as far as they have come.
    fn calls(&self) -> Vec<Call> {
        let mut calls = Calls::default();
        let mut over: Vec<Call> = self.events.iter().filter_map(|event| calls.take(event)).collect();
        assert_eq!(calls.damaged(), 0);
        over.extend(calls.rest());
        over
    }

    fn replayed(&self, policy: &str) -> Report {
        self.replayed_by(Policy::read(policy).expect("a policy"))
    }

    fn replayed_by(&self, policy: Policy) -> Report {
        let mut replay = Replay::new(policy);
        for call in self.calls() {
            replay.take(&call, &|| false);
        }
        replay.report()
    }

    fn suggests(&self) -> Suggestion {
        self.suggests_if(Wanted::default())
    }

    fn suggests_if(&self, wanted: Wanted) -> Suggestion {
        let mut suggest = Suggest::new((*self.policy).clone(), wanted);
        for call in self.calls() {
            suggest.take(&call);
        }
        suggest.suggestion()
    }
}
