//! Attempts to run a call without approval, and why they fail.

use super::*;
use crate::GrantScope;
use countersign_events::{CallState, Decision, GrantAgents, Mode, ToolDefinition, ToolName, ToolPolicy};
use std::time::Duration;

const ARGUMENTS: &str = "{\"n\":1}";

impl DecisionStory {
    fn sets(&mut self, name: &str, command: ThreadCommand) -> usize {
        self.person(name).thread_command(command).expect("set").len()
    }

    fn defined(&mut self, id: &str, description: &str) -> CallState {
        let mut command = propose(id, "fetch", ARGUMENTS);
        command.replaces = Some(call_id("a"));
        command.definition =
            Some(ToolDefinition { description: Some(description.to_owned()), ..ToolDefinition::default() });
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.state(id)
    }

    fn hurries(&mut self, id: &str, tool: &str) -> CallState {
        let command = super::ProposeCommand {
            expires_in: Some(Duration::from_secs(1)),
            ..propose(id, tool, ARGUMENTS)
        };
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
        self.later(1).call_command(id, CallCommand::Due).expect("due");
        self.state(id)
    }
}

#[test]
fn agent_cannot_revoke_a_denial() {
    let mut story = given("");
    story.proposes("a", "bash").expect("proposed");
    let denial = RespondCommand { scope: Some(GrantScope::Exact), ..RespondCommand::plain(Decision::Deny) };
    story.person("ada").call_command("a", CallCommand::Respond(denial)).expect("denied");
    assert_eq!(code(story.agent().thread_command(ThreadCommand::Revoke(3))), "not_an_approver");
    story.sets("ada", ThreadCommand::SetMode(Mode::ApproveAll));
    story.proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), CallState::Denied);
}

#[test]
fn shortened_expiry_never_allows() {
    let rule = "[[rule]]\nname = \"slow\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let mut story = given(rule);
    assert_eq!(story.hurries("a", "bash"), CallState::Denied);
    story.proposes("b", "bash").expect("proposed");
    story.later(3_600).call_command("b", CallCommand::Due).expect("due");
    assert_eq!(story.state("b"), CallState::Allowed, "people had all the time of the rule");
}

#[test]
fn expiry_denies_if_thread_requires_a_person() {
    let rule = "[[rule]]\nname = \"slow\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n";
    let mut story = given(rule);
    let tool = ToolName::new("bash").expect("valid");
    story.sets("ada", ThreadCommand::SetPolicies(vec![(tool, ToolPolicy::RequireApproval)]));
    story.proposes("a", "bash").expect("proposed");
    story.later(3_600).call_command("a", CallCommand::Due).expect("due");
    assert_eq!(story.state("a"), CallState::Denied);
}

#[test]
fn lapsed_approval_does_not_move() {
    let mut story = given("lapses = \"1m\"\nremember = \"1h\"\n");
    story.proposes("a", "bash").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let replacing = |id: &str, replaced: &str| {
        let replaces = Some(call_id(replaced));
        CallCommand::Propose(ProposeCommand { replaces, ..propose(id, "bash", ARGUMENTS) })
    };
    story.later(59).agent().call_command("b", replacing("b", "a")).expect("proposed");
    assert_eq!(story.state("b"), CallState::Allowed, "it still holds, and moves");
    story.later(1);
    assert_eq!(story.state("b"), CallState::Cancelled, "with no more time than it had");
    story.call_command("c", replacing("c", "b")).expect("proposed");
    assert_eq!(story.state("c"), CallState::Pending);
}

#[test]
fn approval_does_not_move_to_changed_tool() {
    let mut story = given("");
    story.defined("a", "Reads a page");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    assert_eq!(story.defined("b", "Reads a page and sends it on"), CallState::Pending);
    assert_eq!(story.state("a"), CallState::Allowed);
    assert_eq!(story.defined("c", "Reads a page"), CallState::Allowed);
}

const TWO: &str = "[approvers]\n\"user:cyd\" = { level = \"admin\" }\n\"user:dan\" = { level = \"admin\" }\n\
    [[rule]]\nname = \"two\"\ntool = \"pay\"\nverdict = \"ask\"\nquorum = 2\nescalateAfter = \"1m\"\nescalateTo = \"admin\"\n";

#[test]
fn grant_does_not_answer_calls_of_its_approvers() {
    let mut story = given(TWO);
    story.proposes("a", "pay").expect("proposed");
    for name in ["ada", "bob"] {
        let any = Some(GrantAgents::Any);
        let respond = RespondCommand { agents: any, ..RespondCommand::for_session(GrantScope::Tool) };
        story.person(name).call_command("a", CallCommand::Respond(respond)).expect("voted");
    }
    for (id, by, state) in
        [("b", "ada", CallState::Pending), ("c", "bob", CallState::Pending), ("d", "eve", CallState::Allowed)]
    {
        let command = CallCommand::Propose(propose(id, "pay", ARGUMENTS));
        story.person(by).call_command(id, command).expect("proposed");
        assert_eq!(story.state(id), state, "{by}");
    }
}

#[test]
fn vote_before_escalation_does_not_allow() {
    let mut story = given(TWO);
    story.proposes("a", "pay").expect("proposed");
    story.decides("ada", "a", Decision::AllowOnce).expect("voted");
    story.later(60).call_command("a", CallCommand::Due).expect("climbed");
    assert_eq!(code(story.decides("bob", "a", Decision::AllowOnce)), "not_eligible");
    story.decides("cyd", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.state("a"), CallState::Pending, "ada could not say so now");
    story.decides("dan", "a", Decision::AllowOnce).expect("voted");
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn mode_applies_at_level_of_its_setter() {
    let mut story = given(
        "[approvers]\n\"user:cyd\" = { level = \"admin\" }\n\
        [[rule]]\nname = \"high\"\ntool = \"bash\"\nverdict = \"ask\"\nlevel = \"admin\"\n",
    );
    story.sets("bob", ThreadCommand::SetMode(Mode::ApproveAll));
    story.proposes("a", "bash").expect("proposed");
    assert_eq!(story.state("a"), CallState::Pending);
    assert_eq!(story.sets("cyd", ThreadCommand::SetMode(Mode::ApproveAll)), 1);
    assert_eq!(story.sets("cyd", ThreadCommand::SetMode(Mode::ApproveAll)), 0);
    story.proposes("b", "bash").expect("proposed");
    assert_eq!(story.state("b"), CallState::Allowed);
}

#[test]
fn grant_does_not_answer_changed_tool() {
    let mut story = given("");
    story.defined("a", "reads a page");
    story
        .person("ada")
        .call_command("a", CallCommand::Respond(RespondCommand::for_session(GrantScope::Tool)))
        .expect("granted");
    assert_eq!(story.defined("b", "reads a page"), CallState::Allowed);
    assert_eq!(story.defined("c", "sends all that it finds"), CallState::Pending);
    story.agent().proposes("d", "fetch").expect("proposed");
    assert_eq!(story.state("d"), CallState::Pending, "nor is it known for the same where it says nothing");
}
