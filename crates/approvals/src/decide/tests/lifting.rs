//! Lifting a restriction takes the level of its author, and is never for one's own call.

use super::*;
use crate::GrantScope;
use countersign_events::{CallState, Decision, Mode, ToolPolicy};
use std::time::Duration;

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

    /// Denies the pending call, and returns the denial's `seq`.
    fn denies(&mut self, name: &str, id: &str) -> i64 {
        self.decides(name, id, Decision::Deny).expect("denied");
        let call = self.batch.call(&thread_id(), &call_id(id)).expect("proposed");
        call.response().expect("decided").seq
    }

    /// Proposes the same call with this id, and returns its state.
    fn state_of_new(&mut self, id: &str) -> CallState {
        self.proposes(id, "bash").expect("proposed");
        self.state(id)
    }

    fn lifts(&mut self, name: &str, denial: i64) -> Result<Vec<String>, Refused> {
        self.person(name).thread_command(ThreadCommand::Revoke(denial))
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
    let denial = story.denies("sue", "a");
    assert_eq!(code(story.lifts("bob", denial)), "not_eligible");
    story.lifts("sam", denial).expect("lifted");
    assert_eq!(story.state_of_new("b"), CallState::Pending);
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

#[test]
fn denial_of_same_call_can_be_lifted() {
    let mut story = given("");
    assert_eq!(story.state_of_new("a"), CallState::Pending);
    let denial = story.denies("ada", "a");
    assert_eq!(story.state_of_new("b"), CallState::Denied);
    assert_eq!(code(story.agent().thread_command(ThreadCommand::Revoke(denial))), "not_an_approver");
    assert_eq!(story.lifts("ben", denial).expect("lifted"), ["GRANT_REVOKED by user:ben"]);
    assert_eq!(story.state_of_new("c"), CallState::Pending);
    let again = story.denies("ada", "c");
    assert_eq!(story.state_of_new("d"), CallState::Denied, "a later denial answers again");
    assert!(story.lifts("ben", denial).expect("lifted before").is_empty());
    story.later(3_600);
    assert_eq!(code(story.lifts("ben", again)), "unknown_grant", "it is forgotten");
}

/// The check of a log forgets what a later decision has replaced, so nobody may lift it either.
#[test]
fn later_decision_ends_memory_of_a_denial() {
    let mut story = given("");
    for id in ["a", "b"] {
        assert_eq!(story.state_of_new(id), CallState::Pending);
    }
    let denial = story.denies("ada", "a");
    let listed = |story: &DecisionStory| {
        let thread = story.batch.thread(&thread_id()).expect("read");
        thread.remembered_denials(Duration::from_mins(5), story.now).count()
    };
    assert_eq!(listed(&story), 1);
    story.decides("ada", "b", Decision::AllowOnce).expect("allowed");
    assert_eq!(listed(&story), 0);
    assert_eq!(code(story.lifts("ben", denial)), "unknown_grant");
}
