//! Calls that wait while a remembered decision is made.

use super::*;
use crate::{
    DecisionContext, PendingCount, Thread,
    access::{ApproverStanding, ProofContext},
    admissibility::AdmissibilityCheck,
    decide::preview_waiting,
};
use countersign_events::{GrantAgents, Mode, ToolPolicy};

const ONE: &str = "{\"n\":1}";
const TWO: &str = "{\"n\":2}";
const LEVELS: &str = "[approvers]\n\"user:sue\" = { level = \"admin\" }\n";

fn session(scope: &str) -> RespondCommand {
    let scope = GrantScope::read(&Json::parse(scope).expect("valid")).expect("a scope");
    RespondCommand { and_waiting: true, ..RespondCommand::for_session(scope) }
}

fn denial(scope: &str) -> RespondCommand {
    RespondCommand { decision: Decision::Deny, ..session(scope) }
}

impl DecisionStory {
    /// A call by the agent `bot` that requires approval.
    fn waits(&mut self, id: &str, tool: &str, arguments: &str) -> &mut Self {
        self.waits_for("bot", id, tool, arguments)
    }

    fn waits_for(&mut self, agent: &str, id: &str, tool: &str, arguments: &str) -> &mut Self {
        self.set_by(Principal::agent(agent));
        self.call_command(id, CallCommand::Propose(propose(id, tool, arguments))).expect("proposed");
        assert_eq!(self.state(id), CallState::Pending, "{id}");
        self
    }

    /// The calls that wait, the oldest first, according to the preview of this decision by `name`.
    fn previews(&mut self, name: &str, id: &str, respond: &RespondCommand, ids: &[&str]) -> Vec<String> {
        let call = |id: &str| self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        let (empty, by) = (Thread::default(), Principal::user(name));
        let command = CallCommand::Respond(respond.clone());
        let evidence = evidence_for(&self.policy, (&by, &thread_id()), Some(call(id)), &command);
        let context = DecisionContext {
            delegations: None,
            thread_id: &thread_id(),
            thread: self.batch.thread(&thread_id()).unwrap_or(&empty),
            policy: &self.policy,
            by: &by,
            standing: &ApproverStanding::default(),
            now: self.now,
            evidence: &self.judge_waiting(evidence),
            pending: PendingCount::default(),
            proofs: ProofContext::default(),
            pinned: None,
            advisors: None,
            policy_change: None,
        };
        let open = ids.iter().map(|id| call(id));
        preview_waiting(call(id), respond, open, &context).into_iter().map(ToString::to_string).collect()
    }

    /// Decides, and returns the calls among `ids` that wait no more. The preview names the same calls.
    fn releases(&mut self, name: &str, id: &str, respond: RespondCommand, ids: &[&str]) -> Vec<String> {
        let previewed = self.previews(name, id, &respond, ids);
        self.person(name).call_command(id, CallCommand::Respond(respond)).expect("decided");
        let ended = |id: &&&str| self.state(id) != CallState::Pending;
        let released: Vec<_> = ids.iter().filter(ended).map(|id| (*id).to_owned()).collect();
        assert_eq!(previewed, released, "the preview");
        assert_eq!(self.inadmissible(), Vec::<String>::new(), "every row is one that the rules write");
        released
    }

    fn inadmissible(&self) -> Vec<String> {
        let mut check = AdmissibilityCheck::default();
        let mut found: Vec<_> = self.log.iter().flat_map(|event| check.check(event.clone())).collect();
        found.extend(check.finish());
        found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect()
    }
}

#[test]
fn grant_allows_waiting_calls_in_its_scope() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits("b", "bash", ONE).waits("c", "bash", TWO).waits("d", "mail", ONE);
    assert_eq!(story.releases("ada", "a", session("\"exact\""), &["b", "c", "d"]), ["b"]);
    let call = story.batch.call(&thread_id(), &call_id("b")).expect("proposed");
    let response = call.response().expect("decided");
    assert_eq!((response.by.as_str(), response.what.grant), ("policy:grant", Some(9)));
    assert_eq!(response.what.decision, Decision::AllowOnce);
    story.claims("b", "w", ONE).expect("it runs");
}

#[test]
fn denial_denies_waiting_calls_in_its_scope() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits_for("other", "b", "bash", TWO).waits("c", "mail", ONE);
    let no = RespondCommand { comment: Some("not today".to_owned()), ..denial("\"tool\"") };
    assert_eq!(story.releases("ada", "a", no, &["b", "c"]), ["b"]);
    assert!(story.told("b").contains("user:ada denied it"), "{}", story.told("b"));
    assert!(story.told("b").contains("not today"));
}

#[test]
fn waiting_calls_wait_on_unless_chosen() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits("b", "bash", ONE);
    let without = RespondCommand { and_waiting: false, ..session("\"tool\"") };
    story.person("ada").call_command("a", CallCommand::Respond(without.clone())).expect("granted");
    assert_eq!(story.state("b"), CallState::Pending);
    story.call_command("a", CallCommand::Respond(session("\"tool\""))).expect("a repeat changes nothing");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn decision_without_scope_releases_nothing() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits("b", "bash", ONE);
    for decision in [Decision::AllowOnce, Decision::Deny] {
        let respond = RespondCommand { and_waiting: true, ..RespondCommand::plain(decision) };
        assert_eq!(code(story.person("ada").call_command("a", CallCommand::Respond(respond))), "invalid");
    }
}

#[test]
fn call_of_other_agent_waits_unless_any_agent() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits_for("other", "b", "bash", ONE);
    assert!(story.releases("ada", "a", session("\"tool\""), &["b"]).is_empty());
    story.waits_for("third", "c", "bash", ONE);
    let any = RespondCommand { agents: Some(GrantAgents::Any), ..session("\"tool\"") };
    assert_eq!(story.releases("ada", "c", any, &["b"]), ["b"], "an earlier grant does not stand in the way");
}

#[test]
fn own_call_of_the_approver_waits() {
    let mut story = given("");
    story.waits("a", "bash", ONE);
    story.person("ada").call_command("b", CallCommand::Propose(propose("b", "bash", ONE))).expect("proposed");
    let any = RespondCommand { agents: Some(GrantAgents::Any), ..session("\"tool\"") };
    assert!(story.releases("ada", "a", any, &["b"]).is_empty());
}

#[test]
fn waiting_call_that_needs_more_waits() {
    let rules = "[[rule]]\nname = \"high\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\nlevel = \"admin\"\n\
        [[rule]]\nname = \"several\"\nargs = { \"/n\" = 3 }\nverdict = \"ask\"\nquorum = 2\n";
    let mut story = given(&format!("{LEVELS}{rules}"));
    story.waits("a", "bash", ONE).waits("b", "bash", TWO).waits("c", "bash", "{\"n\":3}");
    assert!(story.releases("bob", "a", session("\"tool\""), &["b", "c"]).is_empty());
}

#[test]
fn escalated_call_waits_for_its_new_level() {
    let rule = "[[rule]]\nname = \"slow\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\nescalateAfter = \"1m\"\n\
        escalateTo = \"admin\"\n";
    let mut story = given(&format!("{LEVELS}{rule}"));
    story.waits("a", "bash", ONE).waits("b", "bash", TWO).later(60);
    assert!(story.releases("bob", "a", session("\"tool\""), &["b"]).is_empty(), "its escalation is due");
    story.call_command("b", CallCommand::Due).expect("escalated");
    story.waits_for("other", "c", "bash", "{\"n\":4}");
    let any = RespondCommand { agents: Some(GrantAgents::Any), ..session("\"tool\"") };
    assert!(story.releases("bob", "c", any, &["b"]).is_empty(), "it needs an admin by now");
}

#[test]
fn restricted_waiting_call_is_not_allowed() {
    let restrictions: [fn(&mut DecisionStory); 3] = [
        |story| {
            let policy = (ToolName::new("bash").expect("valid"), ToolPolicy::RequireApproval);
            story.thread_command(ThreadCommand::SetPolicies(vec![policy])).expect("set");
        },
        |story| {
            story.waits("x", "bash", TWO).person("ada");
            let no = RespondCommand { and_waiting: false, ..denial("\"exact\"") };
            story.call_command("x", CallCommand::Respond(no)).expect("denied");
        },
        |story| {
            story.thread_command(ThreadCommand::SetMode(Mode::ApproveAll)).expect("set");
        },
    ];
    for restrict in restrictions {
        let mut story = given("");
        story.waits("a", "bash", ONE).waits("b", "bash", TWO);
        restrict(story.person("ada"));
        let released = story.releases("ada", "a", session("\"tool\""), &["b"]);
        assert!(released.is_empty(), "{released:?}");
    }
}

#[test]
fn expired_call_is_left_to_its_expiry() {
    let mut story =
        given("[[rule]]\nname = \"short\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\nexpires = \"1m\"\n");
    story.waits("a", "bash", ONE).waits("b", "bash", TWO).later(60);
    story.person("ada").call_command("a", CallCommand::Respond(session("\"tool\""))).expect("granted");
    story.call_command("b", CallCommand::Due).expect("expired");
    assert_eq!(story.state("b"), CallState::Denied);
}

#[test]
fn objection_keeps_a_waiting_call_waiting() {
    let rule = "[[rule]]\nname = \"two\"\ntool = \"pay\"\nverdict = \"ask\"\nquorum = 2\ndenials = 2\n";
    let mut story = given(rule);
    story.waits("a", "pay", ONE).waits("b", "pay", TWO).waits("c", "pay", TWO);
    story.decides("eve", "b", Decision::Deny).expect("voted");
    assert!(
        story.releases("ada", "a", session("\"tool\""), &["b", "c"]).is_empty(),
        "a single vote does not decide"
    );
    assert_eq!(story.releases("bob", "a", session("\"tool\""), &["b", "c"]), ["c"]);
}

#[test]
fn policy_in_force_judges_waiting_calls() {
    for (after, released) in [
        ("[[rule]]\nname = \"n\"\nargs = { \"/n\" = 2 }\nverdict = \"block\"\n", vec![]),
        ("[[rule]]\nname = \"n\"\nargs = { \"/n\" = 2 }\nverdict = \"allow\"\n", vec![]),
        ("[[rule]]\nname = \"n\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\nquorum = 2\n", vec![]),
        ("[[rule]]\nname = \"n\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\n", vec!["b"]),
    ] {
        let mut story = given("");
        story.waits("a", "bash", ONE).waits("b", "bash", TWO);
        story.policy = Arc::new(Policy::read(after).expect("valid"));
        assert_eq!(story.releases("ada", "a", session("\"tool\""), &["b"]), released, "{after}");
    }
}

#[test]
fn waiting_call_without_new_judgement_waits() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits("b", "bash", TWO);
    story.policy = Arc::new(Policy::read("default = \"block\"\n").expect("valid"));
    let evidence = story.judge_waiting(CommandEvidence::NotNeeded);
    let CommandEvidence::Waiting(mut review) = evidence else { panic!("no review") };
    review.waiting.clear();
    let target = CommandTarget::Call(thread_id(), call_id("a"));
    let deny = CallCommand::Respond(denial("\"tool\""));
    story.person("ada").execute_with(target, deny.into(), CommandEvidence::Waiting(review)).expect("denied");
    assert_eq!(story.state("b"), CallState::Pending);
}

#[test]
fn masked_call_waits_for_a_pattern() {
    let mut story = given("");
    story.waits("a", "bash", "{\"command\":\"git push\"}");
    story.waits("b", "bash", "{\"command\":\"git push\",\"password\":\"hunter2hunter2\"}");
    story.waits("c", "bash", "{\"command\":\"git push -v\"}");
    let git = "{\"command\":\"git push **\"}";
    assert_eq!(story.releases("ada", "a", session(git), &["b", "c"]), ["c"]);
}

#[test]
fn grant_response_at_another_time_is_forged() {
    let mut story = given("");
    story.waits("a", "bash", ONE).waits("b", "bash", ONE).waits("c", "bash", ONE).waits("d", "bash", TWO);
    story.releases("ada", "a", session("\"exact\""), &["b", "c", "d"]);
    assert_eq!(story.log.len(), 11);
    for (name, forge) in forgeries() {
        let mut forged = given("");
        forged.log = story.log.clone();
        forge(&mut forged.log);
        assert_eq!(forged.inadmissible().len(), 1, "{name}: {:?}", forged.inadmissible());
    }
}

/// A name, and a change to the log above, whose last two rows are the grant's answers.
type Forgery = (&'static str, fn(&mut Vec<Event>));

fn forgeries() -> [Forgery; 6] {
    [
        ("a later time", |log| log[10].timestamp = log[10].timestamp.after(Duration::from_secs(1))),
        ("another principal", |log| log[10].principal = Principal::user("ada")),
        ("another grant", |log| change(&mut log[10], "\"grant\":9", "\"grant\":8")),
        ("for the session", |log| change(&mut log[10], "allow_once", "allow_session")),
        ("out of scope", |log| change(&mut log[10], "\"toolCallId\":\"c\"", "\"toolCallId\":\"d\"")),
        ("after another row", |log| {
            let mut message = log[9].clone();
            message.kind = countersign_events::EventType::UserMessage;
            message.data = Json::parse("{}").expect("valid");
            let mut last = log.remove(10);
            message.seq = 11;
            last.seq = 12;
            log.extend([message, last]);
        }),
    ]
}

fn change(event: &mut Event, from: &str, to: &str) {
    assert!(event.data.as_str().contains(from), "{}", event.data.as_str());
    event.data = Json::parse(&event.data.as_str().replace(from, to)).expect("valid");
}
