//! Lifting a restriction takes the level of its author, and is never for one's own call.

use super::*;
use crate::GrantScope;
use countersign_events::{Decision, Mode, ToolPolicy};

const LEVELS: &str =
    "[approvers]\n\"user:sue\" = { level = \"super_admin\" }\n\"user:sam\" = { level = \"super_admin\" }\n";

impl DecisionStory {
    fn sets_tool(&mut self, name: &str, policy: ToolPolicy) -> Result<Vec<String>, Refused> {
        let tool = ToolName::new("bash").expect("valid");
        self.person(name).thread_command(ThreadCommand::SetPolicies(vec![(tool, policy)]))
    }

    fn switches(&mut self, name: &str, mode: Mode) -> Result<Vec<String>, Refused> {
        self.person(name).thread_command(ThreadCommand::SetMode(mode))
    }

    /// A `bash` call that is denied for the session, and the denial's `seq`.
    fn denied_by(&mut self, name: &str) -> i64 {
        self.proposes("denied", "bash").expect("asked");
        let denial =
            RespondCommand { scope: Some(GrantScope::Tool), ..RespondCommand::plain(Decision::Deny) };
        self.person(name).call_command("denied", CallCommand::Respond(denial)).expect("denied");
        i64::try_from(self.log.len()).expect("short") - 1
    }

    fn proposes_as(&mut self, name: &str, id: &str) {
        let command = CallCommand::Propose(propose(id, "bash", "{\"n\":9}"));
        self.person(name).call_command(id, command).expect("proposed");
    }
}

#[test]
fn session_denial_is_lifted_only_at_its_level() {
    let mut story = given(LEVELS);
    let denial = story.denied_by("sue");
    let refused = story.person("bob").thread_command(ThreadCommand::Revoke(denial)).expect_err("refused");
    insta::assert_snapshot!(refused, @"user:bob cannot decide this: user:sue set this restriction; it takes level super_admin to lift it, and theirs is user");
    story.person("sam").thread_command(ThreadCommand::Revoke(denial)).expect("revoked");
}

#[test]
fn remembered_denial_is_lifted_only_at_its_level() {
    let mut story = given(LEVELS);
    story.proposes("a", "bash").expect("asked");
    story.decides("sue", "a", Decision::Deny).expect("denied");
    let denial = i64::try_from(story.log.len()).expect("short") - 1;
    assert_eq!(code(story.person("bob").thread_command(ThreadCommand::Revoke(denial))), "not_eligible");
    story.person("sam").thread_command(ThreadCommand::Revoke(denial)).expect("lifted");
    story.proposes("b", "bash").expect("asked again");
    assert!(story.batch.call(&thread_id(), &call_id("b")).expect("proposed").is_pending());
}

#[test]
fn thread_deny_is_loosened_only_at_its_level() {
    for looser in [ToolPolicy::RequireApproval, ToolPolicy::Default, ToolPolicy::Allow] {
        let mut story = given(LEVELS);
        story.sets_tool("sue", ToolPolicy::Deny).expect("set");
        assert_eq!(code(story.sets_tool("bob", looser)), "not_eligible");
        story.sets_tool("sam", looser).expect("set");
    }
}

#[test]
fn restriction_is_not_loosened_in_two_steps() {
    let mut story = given(LEVELS);
    story.sets_tool("sue", ToolPolicy::RequireApproval).expect("set");
    story.sets_tool("bob", ToolPolicy::Deny).expect("stricter");
    assert_eq!(code(story.sets_tool("bob", ToolPolicy::Default)), "not_eligible");
    story.sets_tool("sue", ToolPolicy::Default).expect("set");
}

#[test]
fn auto_deny_is_ended_only_at_its_level() {
    let mut story = given(LEVELS);
    story.switches("sue", Mode::AutoDeny).expect("set");
    for mode in [Mode::Interactive, Mode::ApproveAll] {
        assert_eq!(code(story.switches("bob", mode)), "not_eligible");
    }
    story.switches("sam", Mode::Interactive).expect("set");
}

#[test]
fn level_counts_as_of_the_restriction() {
    let mut story = given(LEVELS);
    story.switches("sue", Mode::AutoDeny).expect("set");
    story.policy =
        Arc::new(Policy::read("[approvers]\n\"user:sam\" = { level = \"super_admin\" }\n").expect("valid"));
    assert_eq!(code(story.switches("sue", Mode::Interactive)), "not_eligible", "no longer a super-admin");
    story.switches("sam", Mode::Interactive).expect("set");
}

#[test]
fn proposer_never_lifts_restriction_of_own_call() {
    let mut story = given("");
    story.proposes_as("bob", "own");
    story.switches("ada", Mode::AutoDeny).expect("set");
    assert_eq!(code(story.switches("bob", Mode::Interactive)), "self_approval");
    story.switches("ada", Mode::Interactive).expect("set");
    story.sets_tool("ada", ToolPolicy::Deny).expect("set");
    assert_eq!(code(story.sets_tool("bob", ToolPolicy::Default)), "self_approval");
    story.sets_tool("ada", ToolPolicy::Default).expect("set");
    let denial = story.denied_by("ada");
    let revoked = story.person("bob").thread_command(ThreadCommand::Revoke(denial));
    assert_eq!(code(revoked), "self_approval");
    story.person("cyd").thread_command(ThreadCommand::Revoke(denial)).expect("revoked");
}

#[test]
fn restriction_of_others_is_lifted_beside_own_call() {
    let mut story = given("");
    story.proposes_as("bob", "own");
    let tool = ToolName::new("deploy").expect("valid");
    for (name, policy) in [("ada", ToolPolicy::Deny), ("bob", ToolPolicy::Default)] {
        let set = ThreadCommand::SetPolicies(vec![(tool.clone(), policy)]);
        story.person(name).thread_command(set).expect("set");
    }
}
