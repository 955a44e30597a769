//! Levels, quorums, edits, due events and takeovers.

use super::*;
use crate::Refused;
use countersign_events::{CallState, Decision, Json, Status};
use std::time::Duration;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }
"user:bob" = { level = "user", groups = ["ops"] }
"user:cyd" = { level = "super_admin" }
"user:dan" = { level = "admin", groups = ["ops"] }

[[rule]]
name = "admins deploy"
tool = "deploy"
verdict = "ask"
level = "admin"

[[rule]]
name = "two of ops"
tool = "transfer"
verdict = "ask"
quorum = 2
denials = 2
approvers = ["@ops"]

[[rule]]
name = "in time"
tool = "page"
verdict = "ask"
expires = "1h"
remindAfter = "5m"
escalateAfter = "10m"
escalateTo = "super_admin"

[[rule]]
name = "never that"
tool = "write"
args = { "/path" = "/etc/passwd" }
verdict = "block"
reason = "that is not ours"

[tools."lookup"]
idempotent = true
"#;

fn edited(arguments: &str) -> RespondCommand {
    let arguments = HashedArguments::new(Json::parse(arguments).expect("valid")).expect("admitted");
    RespondCommand { arguments: Some(arguments), ..RespondCommand::plain(Decision::AllowOnce) }
}

impl DecisionStory {
    fn says(&mut self, name: &str, id: &str, respond: RespondCommand) -> Result<Vec<String>, Refused> {
        self.person(name).call_command(id, CallCommand::Respond(respond))
    }

    fn takes(&mut self, id: &str, executor: &str, arguments: &str) -> Result<Vec<String>, Refused> {
        self.claims(id, executor, arguments)
    }
}

#[test]
fn decision_needs_the_level_of_the_request() {
    let mut story = given(POLICY);
    story.proposes("a", "deploy").expect("proposed");
    let refused = story.decides("bob", "a", Decision::AllowOnce).expect_err("too low");
    insta::assert_snapshot!(refused, @"user:bob cannot decide this: it takes level admin, and theirs is user");
    let high = RespondCommand {
        level: Some("super_admin".to_owned()),
        ..RespondCommand::for_session(crate::GrantScope::Tool)
    };
    assert_eq!(code(story.says("ada", "a", high)), "not_eligible");
    let unknown =
        RespondCommand { level: Some("god".to_owned()), ..RespondCommand::plain(Decision::AllowOnce) };
    assert_eq!(code(story.says("ada", "a", unknown)), "invalid");
    let low = RespondCommand { level: Some("user".to_owned()), ..RespondCommand::plain(Decision::AllowOnce) };
    assert_eq!(code(story.says("ada", "a", low)), "not_eligible");
    assert_eq!(code(story.decides("eve", "a", Decision::Deny)), "not_eligible", "neither do others deny");
    story.decides("ada", "a", Decision::AllowOnce).expect("decided");
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn grant_does_not_answer_above_its_level() {
    let mut story = given(
        "[[rule]]\nname = \"high\"\ntool = \"bash\"\nargs = { \"/n\" = 2 }\nverdict = \"ask\"\nlevel = \"admin\"\n\
        [approvers]\n\"user:ada\" = { level = \"admin\" }\n",
    );
    story.proposes("a", "bash").expect("proposed");
    story.decides("bob", "a", Decision::AllowSession).expect("granted");
    story.proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), CallState::Allowed);
    story
        .agent()
        .call_command("c", CallCommand::Propose(propose("c", "bash", "{\"n\":2}")))
        .expect("proposed");
    assert_eq!(story.state("c"), CallState::Pending);
    story.decides("ada", "c", Decision::AllowSession).expect("granted");
    story
        .agent()
        .call_command("d", CallCommand::Propose(propose("d", "bash", "{\"n\":2}")))
        .expect("proposed");
    assert_eq!(story.state("d"), CallState::Allowed);
}

#[test]
fn quorum_counts_each_approver_once() {
    let mut story = given(POLICY);
    story.proposes("a", "transfer").expect("proposed");
    assert_eq!(code(story.decides("cyd", "a", Decision::AllowOnce)), "not_eligible");
    assert_eq!(
        story.decides("ada", "a", Decision::AllowOnce),
        Ok(vec!["TOOL_APPROVAL_VOTE by user:ada".to_owned()])
    );
    assert_eq!(
        story.decides("ada", "a", Decision::AllowOnce),
        Ok(vec![]),
        "the same answer again changes nothing"
    );
    assert_eq!(code(story.decides("ada", "a", Decision::Deny)), "already_voted");
    assert_eq!(story.state("a"), CallState::Pending);
    assert_eq!(
        story.decides("bob", "a", Decision::Deny),
        Ok(vec!["TOOL_APPROVAL_VOTE by user:bob".to_owned()])
    );
    let last = story.decides("dan", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(last, ["TOOL_APPROVAL_VOTE by user:dan", "TOOL_APPROVAL_RESPONSE by user:dan"]);
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn denial_needs_the_number_in_the_rule() {
    let mut story = given(POLICY);
    story.proposes("a", "transfer").expect("proposed");
    let no =
        |why: &str| RespondCommand { comment: Some(why.to_owned()), ..RespondCommand::plain(Decision::Deny) };
    story.says("ada", "a", no("the account is closed")).expect("voted");
    assert_eq!(story.state("a"), CallState::Pending);
    story.decides("dan", "a", Decision::AllowOnce).expect("voted");
    story.says("bob", "a", no("and it is Friday")).expect("voted");
    assert_eq!(story.state("a"), CallState::Denied);
    insta::assert_snapshot!(story.told("a"), @r#""Denied by user:ada: the account is closed; and by user:bob: and it is Friday (do not retry this call unchanged)""#);
}

#[test]
fn edit_voids_earlier_votes() {
    let mut story = given(POLICY);
    story.proposes("a", "transfer").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    story.says("bob", "a", edited("{\"n\":7}")).expect("a new round");
    assert_eq!(story.state("a"), CallState::Pending, "what ada allowed was something else");
    let looked_at =
        RespondCommand { about: Some(hash("{\"n\":1}")), ..RespondCommand::plain(Decision::AllowOnce) };
    assert_eq!(code(story.says("dan", "a", looked_at)), "arguments_changed");
    assert_eq!(
        code(story.decides("ada", "a", Decision::AllowOnce)),
        "arguments_changed",
        "she may not have seen it"
    );
    let looked_at =
        RespondCommand { about: Some(hash("{\"n\":7}")), ..RespondCommand::plain(Decision::AllowOnce) };
    story.says("ada", "a", looked_at).expect("she may speak again on what is new");
    assert_eq!(story.state("a"), CallState::Allowed);
    assert_eq!(code(story.takes("a", "w", "{\"n\":1}")), "arguments_changed");
    story.takes("a", "w", "{\"n\":7}").expect("what both allowed");
}

#[test]
fn edit_is_judged_and_its_changes_recorded() {
    let mut story = given(POLICY);
    let command = propose("a", "write", "{\"path\":\"/tmp/x\",\"text\":\"hello\"}");
    story.agent().call_command("a", CallCommand::Propose(command)).expect("proposed");
    assert_eq!(code(story.says("ada", "a", edited("{\"path\":\"/etc/passwd\"}"))), "blocked");
    let session = RespondCommand { decision: Decision::AllowSession, ..edited("{\"path\":\"/tmp/y\"}") };
    assert_eq!(code(story.says("ada", "a", session)), "invalid");
    story.says("ada", "a", edited("{\"path\":\"/tmp/y\",\"text\":\"hello\"}")).expect("allowed");
    let response = story.log.last().expect("written").data.as_str();
    assert!(response.contains(r#""changes":[{"path":"/path","from":"/tmp/x","to":"/tmp/y"}]"#), "{response}");
    let again = propose("b", "write", "{\"path\":\"x\"}");
    story.agent().call_command("b", CallCommand::Propose(again)).expect("proposed");
    assert_eq!(story.says("ada", "b", edited("{ \"path\": \"x\" }")).expect("no change").len(), 1);
    assert!(!story.log.last().expect("written").data.as_str().contains("changes"));
}

#[test]
fn edit_needing_more_approval_is_refused() {
    let mut story = given(
        "[approvers]\n\"user:ada\" = { level = \"admin\" }\n\
        [[rule]]\nname = \"large\"\ntool = \"pay\"\nargs = { \"/n\" = { gt = 5 } }\nverdict = \"ask\"\nquorum = 2\n",
    );
    story.proposes("a", "pay").expect("proposed");
    assert_eq!(code(story.says("ada", "a", edited("{\"n\":6}"))), "invalid");
    story.says("ada", "a", edited("{\"n\":4}")).expect("less is no more");
}

#[test]
fn reminder_and_escalation_are_written_once() {
    let mut story = given(POLICY);
    story.proposes("a", "page").expect("proposed");
    story.later(299);
    assert_eq!(story.call_command("a", CallCommand::Due), Ok(vec![]));
    story.later(1);
    assert_eq!(
        story.call_command("a", CallCommand::Due),
        Ok(vec!["TOOL_APPROVAL_REMINDER by system:reminder".to_owned()])
    );
    assert_eq!(story.call_command("a", CallCommand::Due), Ok(vec![]));
    story.later(300);
    assert_eq!(
        story.call_command("a", CallCommand::Due),
        Ok(vec!["TOOL_APPROVAL_ESCALATED by system:escalation".to_owned()])
    );
    assert_eq!(story.call_command("a", CallCommand::Due), Ok(vec![]));
    assert_eq!(code(story.decides("ada", "a", Decision::AllowOnce)), "not_eligible");
    story.decides("cyd", "a", Decision::AllowOnce).expect("the level it is at");
}

#[test]
fn overdue_request_expires_without_reminder() {
    let mut story = given(POLICY);
    story.proposes("a", "page").expect("proposed");
    story.later(3_600);
    let events = story.call_command("a", CallCommand::Due).expect("due");
    assert_eq!(events, ["TOOL_APPROVAL_RESPONSE by system:expiry", "TOOL_RESULT by system:expiry"]);
}

#[test]
fn takeover_needs_idempotent_tool_or_release() {
    let mut story = given(POLICY);
    for (id, tool) in [("a", "lookup"), ("b", "mail")] {
        story.proposes(id, tool).expect("proposed");
        story.decides("ada", id, Decision::AllowOnce).expect("allowed");
        story.takes(id, "w1", "{\"n\":1}").expect("claimed");
        assert_eq!(code(story.takes(id, "w2", "{\"n\":1}")), "already_claimed");
    }
    let early = story.person("ada").call_command("b", CallCommand::Release { comment: None });
    assert_eq!(code(early), "not_unknown");
    story.later(60);
    assert_eq!(story.state("a"), CallState::Unknown);
    let taken = story.takes("a", "w2", "{\"n\":1}").expect("idempotent");
    assert_eq!(taken, ["TOOL_EXECUTION_TAKEN_OVER by agent:bot"]);
    assert_eq!(story.state("a"), CallState::Running);
    assert_eq!(code(story.takes("a", "w3", "{\"n\":1}")), "already_claimed");
    assert_eq!(code(story.takes("b", "w2", "{\"n\":1}")), "already_claimed");
    assert_eq!(
        code(story.agent().call_command("b", CallCommand::Release { comment: None })),
        "not_an_approver"
    );
    story.person("ada").call_command("b", CallCommand::Release { comment: None }).expect("released");
    assert_eq!(story.person("ada").call_command("b", CallCommand::Release { comment: None }), Ok(vec![]));
    story.takes("b", "w2", "{\"n\":1}").expect("released");
    story.later(60);
    assert_eq!(code(story.takes("b", "w3", "{\"n\":1}")), "already_claimed", "one release, one takeover");
    let late = FinishCommand {
        status: Status::Success,
        content: Json::string("x"),
        executor: Some("w1".to_owned()),
        ran: None,
    };
    assert_eq!(code(story.agent().call_command("b", CallCommand::Finish(late))), "not_the_executor");
}

#[test]
fn changed_definition_refuses_the_claim() {
    let mut story = given("");
    let mut command = propose("a", "bash", "{\"n\":1}");
    command.annotations = Some(Json::parse("{\"readOnlyHint\":true}").expect("valid"));
    story.agent().call_command("a", CallCommand::Propose(command)).expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let claim = |definition: &str| ClaimCommand {
        executor: "w".to_owned(),
        arguments_hash: hash("{\"n\":1}"),
        lease: Some(Duration::from_mins(1)),
        arguments: None,
        definition_hash: Some(hash(definition)),
    };
    let changed = claim("{\"annotations\":{\"readOnlyHint\":false}}");
    assert_eq!(code(story.agent().call_command("a", CallCommand::Claim(changed))), "definition_changed");
    let same = claim("{\"annotations\":{\"readOnlyHint\":true}}");
    story.agent().call_command("a", CallCommand::Claim(same)).expect("the same");
}

#[test]
fn unused_approval_lapses() {
    let mut story = given("lapses = \"10m\"\n");
    for id in ["a", "b"] {
        story.proposes(id, &format!("tool-{id}")).expect("proposed");
        story.decides("ada", id, Decision::AllowOnce).expect("allowed");
    }
    story.later(599);
    story.takes("a", "w", "{\"n\":1}").expect("in time");
    story.later(1);
    assert_eq!((story.state("a"), story.state("b")), (CallState::Running, CallState::Cancelled));
    assert_eq!(code(story.takes("b", "w", "{\"n\":1}")), "not_allowed");
    assert!(story.told("b").contains("lapsed"), "{}", story.told("b"));
}
