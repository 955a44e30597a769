//! What somebody would try to have a call answered that nobody allowed, told as stories named by what they try.

use super::*;
use crate::{Wish, width::Width};
use countersign_events::{
    Json, Principal, State, ToolName,
    event::{Decision, Definition, Mode, ToolPolicy},
};
use std::time::Duration;

const ARGUMENTS: &str = "{\"n\":1}";

impl Story {
    fn sets(&mut self, name: &str, command: ThreadCommand) -> usize {
        self.person(name).wishes(Wish::Thread(thread_id(), command)).expect("set").len()
    }

    fn defined(&mut self, id: &str, description: &str) -> State {
        let mut wish = propose(id, "fetch", ARGUMENTS);
        wish.definition =
            Some(Definition { description: Some(description.to_owned()), ..Definition::default() });
        self.agent().wants(id, Command::Propose(wish)).expect("proposed");
        self.state(id)
    }

    fn hurries(&mut self, id: &str, tool: &str) -> State {
        let wish =
            super::Propose { expires_in: Some(Duration::from_secs(1)), ..propose(id, tool, ARGUMENTS) };
        self.agent().wants(id, Command::Propose(wish)).expect("proposed");
        self.later(1).wants(id, Command::Due).expect("due");
        self.state(id)
    }
}

#[test]
fn an_agent_takes_back_a_denial_for_the_session() {
    let mut story = given("");
    story.proposes("a", "bash").expect("proposed");
    let denial = Respond { width: Some(Width::Exact), ..Respond::plain(Decision::Deny) };
    story.person("ada").wants("a", Command::Respond(denial)).expect("denied");
    let revoke = Wish::Thread(thread_id(), ThreadCommand::Revoke(3));
    assert_eq!(code(story.agent().wishes(revoke)), "not_an_approver");
    story.sets("ada", ThreadCommand::SetMode(Mode::ApproveAll));
    story.proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), State::Denied);
}

#[test]
fn a_proposer_asks_for_so_little_time_that_silence_allows() {
    let rule = "[[rule]]\nname = \"slow\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let mut story = given(rule);
    assert_eq!(story.hurries("a", "bash"), State::Denied);
    story.proposes("b", "bash").expect("proposed");
    story.later(3_600).wants("b", Command::Due).expect("due");
    assert_eq!(story.state("b"), State::Allowed, "people had all the time of the rule");
}

#[test]
fn silence_allows_where_a_person_is_required() {
    let rule = "[[rule]]\nname = \"slow\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let mut story = given(rule);
    let tool = ToolName::new("bash").expect("valid");
    story.sets("ada", ThreadCommand::SetPolicies(vec![(tool, ToolPolicy::RequireApproval)]));
    story.proposes("a", "bash").expect("proposed");
    story.later(3_600).wants("a", Command::Due).expect("due");
    assert_eq!(story.state("a"), State::Denied);
}

#[test]
fn an_approval_that_lapsed_moves_to_the_same_call() {
    let mut story = given("lapses = \"1m\"\nremember = \"1h\"\n");
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    story.later(59).proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), State::Allowed, "it still holds, and moves");
    story.later(1);
    assert_eq!(story.state("b"), State::Cancelled, "with no more time than it had");
    story.proposes("c", "bash").expect("proposed");
    assert_eq!(story.state("c"), State::Pending);
}

#[test]
fn an_approval_moves_to_a_tool_that_says_something_else_of_itself() {
    let mut story = given("");
    story.defined("a", "Reads a page");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.defined("b", "Reads a page and sends it on"), State::Pending);
    assert_eq!(story.state("a"), State::Allowed);
    assert_eq!(story.defined("c", "Reads a page"), State::Allowed);
}

const TWO: &str = "[approvers]\n\"user:cyd\" = { level = \"admin\" }\n\"user:dan\" = { level = \"admin\" }\n\
    [[rule]]\nname = \"two\"\ntool = \"pay\"\nverdict = \"ask\"\nquorum = 2\nescalateAfter = \"1m\"\nescalateTo = \"admin\"\n";

#[test]
fn one_of_two_who_granted_proposes_under_the_grant() {
    let mut story = given(TWO);
    story.proposes("a", "pay").expect("proposed");
    for name in ["ada", "bob"] {
        story.decides(name, "a", Decision::AllowSession).expect("voted");
    }
    for (id, by, state) in
        [("b", "ada", State::Pending), ("c", "bob", State::Pending), ("d", "eve", State::Allowed)]
    {
        let wish = Command::Propose(propose(id, "pay", ARGUMENTS));
        story.person(by).wants(id, wish).expect("proposed");
        assert_eq!(story.state(id), state, "{by}");
    }
}

#[test]
fn a_vote_from_before_the_question_climbed_helps_to_allow_it() {
    let mut story = given(TWO);
    story.proposes("a", "pay").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    story.later(60).wants("a", Command::Due).expect("climbed");
    assert_eq!(code(story.decides("bob", "a", Decision::AllowOnce)), "not_eligible");
    story.decides("cyd", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.state("a"), State::Pending, "ada could not say so now");
    story.decides("dan", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.state("a"), State::Allowed);
}

#[test]
fn who_may_more_says_what_somebody_else_has_set() {
    let mut story = given(
        "[approvers]\n\"user:cyd\" = { level = \"admin\" }\n\
        [[rule]]\nname = \"high\"\ntool = \"bash\"\nverdict = \"ask\"\nlevel = \"admin\"\n",
    );
    story.sets("bob", ThreadCommand::SetMode(Mode::ApproveAll));
    story.proposes("a", "bash").expect("proposed");
    assert_eq!(story.state("a"), State::Pending);
    assert_eq!(story.sets("cyd", ThreadCommand::SetMode(Mode::ApproveAll)), 1);
    assert_eq!(story.sets("cyd", ThreadCommand::SetMode(Mode::ApproveAll)), 0);
    story.proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), State::Allowed);
}

/// A schema that leads into itself must not end the process that checks an edit by it.
#[test]
fn a_tool_says_of_itself_what_never_ends() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"}]}"##,
        r##"{"properties":{"n":{"$ref":"#/properties/n"}}}"##,
        r##"{"not":{"not":{"$ref":"#"}}}"##,
        r#"{"$ref":"http://127.0.0.1:1/x"}"#,
        r#"{"$ref":"file:///etc/passwd"}"#,
        r#"{"properties":{"n":{"pattern":"^(a+)+\\1$"}}}"#,
    ] {
        let mut story = given("");
        let mut wish = propose("a", "fetch", ARGUMENTS);
        let input_schema = Some(Json::parse(schema).expect("valid"));
        wish.definition = Some(Definition { input_schema, ..Definition::default() });
        story.set_by(Principal::agent("bot"));
        story.wants("a", Command::Propose(wish)).expect("proposed");
        let text = format!("{{\"n\":\"{}b\"}}", "a".repeat(40));
        let arguments = Arguments::new(Json::parse(&text).expect("valid")).expect("admitted");
        let edit = Respond { arguments: Some(arguments), ..Respond::plain(Decision::AllowOnce) };
        let _ = story.person("ada").wants("a", Command::Respond(edit));
    }
}

#[test]
fn a_tool_becomes_another_under_its_grant() {
    let mut story = given("");
    story.defined("a", "reads a page");
    story
        .person("ada")
        .wants("a", Command::Respond(Respond::plain(Decision::AllowSession)))
        .expect("granted");
    assert_eq!(story.defined("b", "reads a page"), State::Allowed);
    assert_eq!(story.defined("c", "sends all that it finds"), State::Pending);
    story.agent().proposes("d", "fetch").expect("proposed");
    assert_eq!(story.state("d"), State::Pending, "nor is it known for the same where it says nothing");
}
