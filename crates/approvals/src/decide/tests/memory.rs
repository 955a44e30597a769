//! Remembered decisions: scopes, denials, unused approvals.

use super::*;
use crate::GrantScope;
use countersign_events::{CallState, Decision, GrantAgents, Json, Mode, Principal, ToolPolicy};

const FIRST: &str = "{\"n\":1}";
const OTHER: &str = "{\"n\":2}";

fn scope(text: &str) -> GrantScope {
    GrantScope::read(&Json::parse(text).expect("valid")).expect("a scope")
}

impl DecisionStory {
    fn asks(&mut self, id: &str, tool: &str, arguments: &str) -> CallState {
        self.agent().call_command(id, CallCommand::Propose(propose(id, tool, arguments))).expect("proposed");
        self.state(id)
    }

    fn replaces(&mut self, id: &str, replaced: &str) -> CallState {
        let command = ProposeCommand { replaces: Some(call_id(replaced)), ..propose(id, "bash", FIRST) };
        self.call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.state(id)
    }

    fn answers(
        &mut self,
        id: &str,
        decision: Decision,
        wide: Option<&str>,
    ) -> Result<Vec<String>, crate::Refused> {
        let tool = (decision == Decision::AllowSession).then_some(GrantScope::Tool);
        let respond = RespondCommand { scope: wide.map(scope).or(tool), ..RespondCommand::plain(decision) };
        self.person("ada").call_command(id, CallCommand::Respond(respond))
    }
}

#[test]
fn grant_answers_calls_in_its_scope() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.answers("a", Decision::AllowSession, Some("\"exact\"")).expect("granted");
    assert_eq!(story.asks("b", "bash", FIRST), CallState::Allowed);
    assert_eq!(story.asks("c", "bash", OTHER), CallState::Pending);
    assert_eq!(story.asks("d", "other", FIRST), CallState::Pending, "another tool with the same arguments");
    story.answers("c", Decision::AllowSession, None).expect("granted");
    assert_eq!(story.asks("e", "bash", "{\"n\":3}"), CallState::Allowed);
}

#[test]
fn pattern_scope_must_include_its_own_call() {
    let mut story = given("");
    let git = "{\"command\":\"git status -s\"}";
    story.asks("a", "bash", git);
    let foreign = story.answers("a", Decision::AllowSession, Some("{\"command\":\"ls*\"}"));
    assert_eq!(code(foreign), "invalid");
    story.answers("a", Decision::AllowSession, Some("{\"command\":\"git status*\"}")).expect("granted");
    assert_eq!(story.asks("b", "bash", "{\"command\":\"git status\"}"), CallState::Allowed);
    assert_eq!(story.asks("c", "bash", "{\"command\":\"git status; rm -rf /\"}"), CallState::Pending);
    assert_eq!(story.asks("d", "bash", "{\"command\":\"git push\"}"), CallState::Pending);
}

impl DecisionStory {
    fn suggestions(&self, id: &str) -> Vec<String> {
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        let request = call.request().expect("asked");
        request.what.suggested_scopes.iter().map(|suggested| suggested.scope.as_str().to_owned()).collect()
    }
}

#[test]
fn request_stores_suggested_scopes_for_its_readers() {
    let mut story = given("");
    story.asks("a", "bash", "{\"command\":\"git status -s\"}");
    let suggested = story.suggestions("a");
    assert!(!suggested.is_empty());
    for scope in suggested {
        story.asks("b", "bash", "{\"command\":\"git status -s\"}");
        story.answers("b", Decision::AllowSession, Some(&scope)).expect("the scope includes its call");
        story = given("");
    }
}

#[test]
fn masked_call_suggests_no_pattern() {
    let mut story = given("");
    story.asks("a", "bash", "{\"command\":\"login --password=hunter2hunter2\",\"password\":\"hunter2\"}");
    assert!(story.suggestions("a").iter().all(|scope| !scope.contains("hunter2")));
}

#[test]
fn remembered_denial_overrides_grant_until_revoked() {
    let mut story = given("");
    story.asks("a", "bash", "{\"command\":\"rm -r x\"}");
    let denied = story.answers("a", Decision::Deny, Some("{\"command\":\"rm *\"}")).expect("denied");
    assert_eq!(denied, ["TOOL_APPROVAL_RESPONSE by user:ada", "TOOL_RESULT by user:ada"]);
    let grant = i64::try_from(story.log.len()).expect("short") - 1;
    story.asks("b", "bash", "{\"command\":\"ls\"}");
    story.answers("b", Decision::AllowSession, None).expect("granted");
    story.person("ada").thread_command(ThreadCommand::SetMode(Mode::ApproveAll)).expect("set");
    assert_eq!(
        story.asks("c", "bash", "{\"command\":\"ls; rm y\"}"),
        CallState::Denied,
        "any part is enough"
    );
    assert!(story.told("c").contains("user:ada denied it"), "{}", story.told("c"));
    story.later(86_400);
    assert_eq!(story.asks("d", "bash", "{\"command\":\"rm z\"}"), CallState::Denied, "no time ends it");
    story.person("ada").thread_command(ThreadCommand::Revoke(grant)).expect("revoked");
    assert_eq!(story.asks("e", "bash", "{\"command\":\"rm z\"}"), CallState::Allowed);
}

#[test]
fn denial_of_same_call_lasts_five_minutes() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::Deny).expect("denied");
    story.later(299);
    assert_eq!(story.asks("b", "bash", FIRST), CallState::Denied);
    insta::assert_snapshot!(story.told("b"), @r#""Denied without asking again, because user:ada denied it at 1970-01-01T00:16:40.000Z: too risky (do not retry this call unchanged)""#);
    assert_eq!(story.asks("c", "bash", OTHER), CallState::Pending, "other arguments");
    assert_eq!(story.asks("d", "other", FIRST), CallState::Pending, "another tool");
    story.later(1);
    assert_eq!(
        story.asks("e", "bash", FIRST),
        CallState::Pending,
        "the five minutes count from the person's word"
    );
}

#[test]
fn unused_approval_moves_to_one_replacement() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.agent().replaces("b", "a"), CallState::Allowed);
    assert_eq!(story.state("a"), CallState::Cancelled);
    assert_eq!(code(story.claims("a", "w", FIRST)), "not_allowed");
    assert_eq!(story.replaces("c", "b"), CallState::Allowed, "it moves on");
    story.claims("c", "w", FIRST).expect("claimed");
    assert_eq!(code(story.claims("b", "w", FIRST)), "not_allowed");
    assert_eq!(story.replaces("d", "c"), CallState::Pending, "its claim used it up");
}

#[test]
fn same_call_without_replaces_is_asked() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let allowed_at = story.now;
    assert_eq!(story.later(3).asks("b", "bash", FIRST), CallState::Pending);
    let call = story.batch.call(&thread_id(), &call_id("b")).expect("proposed");
    let same = call.request().expect("asked").what.same_call.clone().expect("the request names it");
    assert_eq!((same.id, same.allowed_at), (call_id("a"), allowed_at));
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn unused_approval_never_moves_to_another_agent() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.set_by(Principal::agent("other"));
    assert_eq!(story.replaces("b", "a"), CallState::Pending);
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn unused_approval_never_moves_to_higher_impact() {
    let impact = |level: &str| Json::parse(&format!("{{\"riskLevel\":\"{level}\"}}")).ok();
    for (description, risk, state) in [
        (Some("see"), "low", CallState::Allowed),
        (Some("see"), "critical", CallState::Pending),
        (Some("delete"), "low", CallState::Pending),
        (None, "low", CallState::Pending),
    ] {
        let mut story = given("");
        let proposal = |id: &str, description: Option<&str>, risk: &str| ProposeCommand {
            impact: impact(risk),
            description: description.map(str::to_owned),
            replaces: Some(call_id("a")).filter(|_| id != "a"),
            ..propose(id, "bash", FIRST)
        };
        let first = CallCommand::Propose(proposal("a", Some("see"), "low"));
        story.agent().call_command("a", first).expect("asked");
        story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
        let second = CallCommand::Propose(proposal("b", description, risk));
        story.agent().call_command("b", second).expect("proposed");
        assert_eq!(story.state("b"), state, "{description:?} {risk}");
    }
}

#[test]
fn grant_answers_only_its_own_agent() {
    for (agents, state) in [(None, CallState::Pending), (Some(GrantAgents::Any), CallState::Allowed)] {
        let mut story = given("");
        story.asks("a", "bash", FIRST);
        let respond = RespondCommand { agents, ..RespondCommand::for_session(GrantScope::Tool) };
        story.person("ada").call_command("a", CallCommand::Respond(respond)).expect("granted");
        assert_eq!(story.asks("b", "bash", OTHER), CallState::Allowed);
        story.set_by(Principal::agent("other"));
        story.call_command("c", CallCommand::Propose(propose("c", "bash", OTHER))).expect("proposed");
        assert_eq!(story.state("c"), state, "{agents:?}");
    }
}

#[test]
fn session_denial_answers_every_agent() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.answers("a", Decision::Deny, Some("\"tool\"")).expect("denied");
    story.set_by(Principal::agent("other"));
    story.call_command("b", CallCommand::Propose(propose("b", "bash", OTHER))).expect("proposed");
    assert_eq!(story.state("b"), CallState::Denied);
}

#[test]
fn session_approval_without_scope_is_refused() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    let unscoped = RespondCommand::plain(Decision::AllowSession);
    let refused = story.person("ada").call_command("a", CallCommand::Respond(unscoped)).expect_err("refused");
    insta::assert_snapshot!(refused, @r#"scope: allow_session needs one: "exact", "tool" or a pattern such as {"command": "git status **"}"#);
    let unchanged = HashedArguments::new(Json::parse(FIRST).expect("valid")).expect("valid");
    let unscoped =
        RespondCommand { arguments: Some(unchanged), ..RespondCommand::plain(Decision::AllowSession) };
    assert_eq!(code(story.call_command("a", CallCommand::Respond(unscoped))), "invalid");
    let once =
        RespondCommand { agents: Some(GrantAgents::Any), ..RespondCommand::plain(Decision::AllowOnce) };
    assert_eq!(code(story.call_command("a", CallCommand::Respond(once))), "invalid");
}

#[test]
fn old_approval_does_not_move() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.later(300);
    assert_eq!(story.agent().replaces("b", "a"), CallState::Pending);
    assert_eq!(story.state("a"), CallState::Allowed);

    let mut story = given("");
    let require = ThreadCommand::SetPolicies(vec![(
        countersign_events::ToolName::new("bash").expect("valid"),
        ToolPolicy::RequireApproval,
    )]);
    story.person("ada").thread_command(require).expect("set");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.agent().replaces("b", "a"), CallState::Pending);
}

#[test]
fn cancelled_approval_does_not_move() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.agent().call_command("a", CallCommand::Cancel { reason: None }).expect("withdrawn");
    assert_eq!(story.replaces("b", "a"), CallState::Pending);
}

#[test]
fn grant_precedes_denial_precedes_unused_approval() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.claims("a", "w", FIRST).expect("claimed");
    story.asks("b", "bash", FIRST);
    story.asks("c", "bash", FIRST);
    story.decides("ada", "b", Decision::AllowOnce).expect("allowed");
    story.decides("ada", "c", Decision::Deny).expect("denied");
    assert_eq!(story.asks("d", "bash", FIRST), CallState::Denied, "the last word on the same call counts");
    story.asks("e", "bash", OTHER);
    story.answers("e", Decision::AllowSession, None).expect("granted");
    assert_eq!(
        story.asks("f", "bash", FIRST),
        CallState::Allowed,
        "a grant answers before a remembered denial"
    );
}

#[test]
fn stop_denies_only_pending_calls() {
    let mut story = given("[[rule]]\nname = \"free\"\ntool = \"free\"\nverdict = \"allow\"\n");
    for (id, tool) in [("a", "bash"), ("b", "deploy"), ("c", "free"), ("d", "bash")] {
        story.asks(id, tool, &format!("{{\"id\":\"{id}\"}}"));
    }
    let bash = StopCommand {
        tool: countersign_events::ToolName::new("bash").ok(),
        calls: None,
        comment: Some("enough".to_owned()),
    };
    let events = story.person("ada").thread_command(ThreadCommand::Stop(bash)).expect("stopped");
    assert_eq!(events.len(), 4);
    assert_eq!(
        ["a", "b", "c", "d"].map(|id| story.state(id)),
        [CallState::Denied, CallState::Pending, CallState::Allowed, CallState::Denied]
    );
    story.set_by(Principal::user("ada"));
    story.execute(CommandTarget::AllThreads, StopCommand::default().into()).expect("stopped");
    assert_eq!(story.state("b"), CallState::Denied);
    assert!(story.batch.call(&thread_id(), &call_id("c")).is_some());
}

#[test]
fn earlier_decision_never_answers_approvers_own_calls() {
    let mut story = given("");
    story.asks("a", "bash", FIRST);
    let respond =
        RespondCommand { agents: Some(GrantAgents::Any), ..RespondCommand::for_session(GrantScope::Tool) };
    story.person("ada").call_command("a", CallCommand::Respond(respond)).expect("allowed");
    story.call_command("b", CallCommand::Propose(propose("b", "bash", FIRST))).expect("proposed");
    assert_eq!(story.state("b"), CallState::Pending, "ada would answer herself");
    story
        .person("bob")
        .call_command("c", CallCommand::Propose(propose("c", "bash", FIRST)))
        .expect("proposed");
    assert_eq!(story.state("c"), CallState::Allowed);
    let mut story = given("");
    story.person("ada").thread_command(ThreadCommand::SetMode(Mode::ApproveAll)).expect("set");
    story.call_command("a", CallCommand::Propose(propose("a", "bash", FIRST))).expect("proposed");
    assert_eq!(story.state("a"), CallState::Pending);
    assert_eq!(story.asks("b", "bash", FIRST), CallState::Allowed);
}

#[test]
fn agent_stop_is_refused_even_when_nothing_pends() {
    let mut story = given("");
    for target in [CommandTarget::Thread(thread_id()), CommandTarget::AllThreads] {
        let stopped = story.agent().execute(target, StopCommand::default().into());
        assert_eq!(code(stopped), "not_an_approver");
    }
}

impl DecisionStory {
    /// The number of recent decisions that can still answer a call.
    fn remembered(&self) -> usize {
        let mut thread = self.batch.thread(&thread_id()).expect("read").clone();
        thread.forget_settled(hash(FIRST));
        thread.forget_settled(hash(OTHER));
        thread.recent.len()
    }

    fn runs_it(&mut self, id: &str, arguments: &str) {
        self.claims(id, "w", arguments).expect("claimed");
        self.agent().call_command(id, finish(Status::Success, "ok")).expect("finished");
    }
}

#[test]
fn settled_decisions_are_forgotten_and_others_kept() {
    let mut story = given("remember = \"5m\"");
    story.asks("a", "bash", FIRST);
    story.answers("a", Decision::AllowOnce, None).expect("allowed");
    assert_eq!(story.remembered(), 1, "the approval may move to a repetition");
    story.runs_it("a", FIRST);
    assert_eq!(story.remembered(), 0);
    story.asks("b", "bash", FIRST);
    story.answers("b", Decision::Deny, None).expect("denied");
    story.asks("c", "bash", OTHER);
    story.answers("c", Decision::AllowOnce, None).expect("allowed");
    story.runs_it("c", OTHER);
    assert_eq!(story.remembered(), 1, "the denial answers repetitions");
    assert_eq!(story.asks("d", "bash", FIRST), CallState::Denied);
    story.is_admissible();
}

const LIST: &str = r#"{"command":"ls","description":"list files"}"#;
const LOOK: &str = r#"{"command":"ls","description":"look around"}"#;
const LIST_ALL: &str = r#"{"command":"ls -a","description":"list files"}"#;

#[test]
fn call_in_other_words_is_the_same() {
    let mut story = given("");
    story.asks("a", "Bash", LIST);
    story.answers("a", Decision::Deny, None).expect("denied");
    assert_eq!(story.asks("b", "Bash", LOOK), CallState::Denied, "a denial answers other words");
    assert_eq!(story.asks("c", "Bash", LIST_ALL), CallState::Pending);
    story.answers("c", Decision::AllowSession, Some("\"exact\"")).expect("granted");
    let other = r#"{"description":"all of them","command":"ls -a"}"#;
    assert_eq!(story.asks("d", "Bash", other), CallState::Allowed, "and so does a grant");
    let with_effect = r#"{"description":"all of them","command":"ls -a","timeout":7}"#;
    assert_eq!(story.asks("e", "Bash", with_effect), CallState::Pending);
    assert_eq!(story.asks("f", "deploy", LIST), CallState::Pending);
    story.answers("f", Decision::Deny, None).expect("denied");
    assert_eq!(
        story.asks("g", "deploy", LOOK),
        CallState::Pending,
        "the description of another tool may count"
    );
    assert_eq!(story.inadmissible_rows(), [""; 0]);
}

#[test]
fn moved_approval_binds_later_words() {
    let mut story = given("");
    story.asks("a", "Bash", LIST);
    story.answers("a", Decision::AllowOnce, None).expect("allowed");
    let later = |id: &str, arguments: &str| {
        CallCommand::Propose(ProposeCommand {
            replaces: Some(call_id("a")),
            ..propose(id, "Bash", arguments)
        })
    };
    story.agent().call_command("b", later("b", LIST_ALL)).expect("asked");
    assert_eq!((story.state("a"), story.state("b")), (CallState::Allowed, CallState::Pending));
    story.agent().call_command("c", later("c", LOOK)).expect("moved");
    assert_eq!((story.state("a"), story.state("c")), (CallState::Cancelled, CallState::Allowed));
    assert_eq!(code(story.claims("c", "w", LIST)), "arguments_changed", "what runs is what c shows");
    story.claims("c", "w", LOOK).expect("claimed");
    assert_eq!(story.inadmissible_rows(), [""; 0]);
}

#[test]
fn masked_arguments_are_compared_whole() {
    let mut story = given("");
    let with =
        |words: &str| format!(r#"{{"command":"login","password":"hunter2hunter2","description":"{words}"}}"#);
    story.asks("a", "Bash", &with("one"));
    story.answers("a", Decision::Deny, None).expect("denied");
    assert_eq!(story.asks("b", "Bash", &with("two")), CallState::Pending);
    assert_eq!(story.asks("c", "Bash", &with("one")), CallState::Denied);
}

impl DecisionStory {
    fn same_call(&self, id: &str) -> Option<(String, bool)> {
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        let same = call.request().expect("asked").what.same_call.clone()?;
        Some((same.id.to_string(), same.started_at.is_some()))
    }
}

#[test]
fn repetition_names_the_started_call() {
    let mut story = given("remember = \"0s\"");
    story.asks("a", "bash", FIRST);
    story.answers("a", Decision::AllowOnce, None).expect("allowed");
    story.claims("a", "w", FIRST).expect("claimed");
    story.asks("b", "bash", FIRST);
    assert_eq!(story.same_call("b"), Some(("a".to_owned(), true)), "it runs");
    story.asks("c", "bash", OTHER);
    assert_eq!(story.same_call("c"), None);
    story.later(600).asks("d", "bash", FIRST);
    assert_eq!(story.state("a"), CallState::Unknown);
    assert_eq!(story.same_call("d"), Some(("a".to_owned(), true)), "nobody knows if it ran");
    story.agent().call_command("a", finish(Status::Success, "late")).expect("finished");
    story.asks("e", "bash", FIRST);
    assert_eq!(story.same_call("e"), None);
    assert_eq!(story.inadmissible_rows(), [""; 0]);
}
