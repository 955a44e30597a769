//! Restrictions that are set after an approval hold back its claim.

use super::*;
use crate::GrantScope;
use countersign_events::{Decision, Mode, ToolPolicy};

const ARGUMENTS: &str = "{\"n\":1}";

impl DecisionStory {
    /// The call `a`, allowed once by ada.
    fn allowed() -> Self {
        let mut story = given("");
        story.proposes("a", "bash").expect("asked");
        story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
        story
    }

    fn sets_mode_to(&mut self, mode: Mode) {
        self.person("ben").thread_command(ThreadCommand::SetMode(mode)).expect("set");
    }

    fn grants_tool(&mut self, id: &str, decision: Decision) -> i64 {
        let respond = RespondCommand { scope: Some(GrantScope::Tool), ..RespondCommand::plain(decision) };
        self.person("ben").call_command(id, CallCommand::Respond(respond)).expect("decided");
        let is_response = |event: &&Event| event.kind == countersign_events::EventType::ApprovalResponse;
        self.log.iter().rfind(is_response).expect("a response").seq
    }

    fn claim_refusal(&mut self, id: &str) -> String {
        self.claims(id, "w", ARGUMENTS).expect_err("refused").to_string()
    }
}

#[test]
fn auto_deny_after_approval_refuses_the_claim() {
    let mut story = DecisionStory::allowed();
    story.sets_mode_to(Mode::AutoDeny);
    insta::assert_snapshot!(story.claim_refusal("a"), @"blocked by policy:mode: the thread denies every call that needs approval (auto_deny)");
    story.sets_mode_to(Mode::Interactive);
    story.claims("a", "w", ARGUMENTS).expect("claimed");
}

#[test]
fn auto_deny_leaves_calls_that_policy_allows() {
    let mut story = given("[[rule]]\nname = \"free\"\ntool = \"ls\"\nverdict = \"allow\"\n");
    story.proposes("a", "ls").expect("allowed");
    story.sets_mode_to(Mode::AutoDeny);
    story.claims("a", "w", ARGUMENTS).expect("claimed");
}

#[test]
fn session_denial_after_approval_refuses_the_claim() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    story.proposes("b", "bash").expect("asked");
    story.decides("ada", "a", Decision::AllowOnce).expect("allowed");
    let denial = story.grants_tool("b", Decision::Deny);
    insta::assert_snapshot!(story.claim_refusal("a"), @"blocked by policy:grant: user:ben denied it at 1970-01-01T00:16:40.000Z");
    story.person("ben").thread_command(ThreadCommand::Revoke(denial)).expect("revoked");
    story.claims("a", "w", ARGUMENTS).expect("claimed");
}

#[test]
fn revoked_grant_refuses_claims_it_answered() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    let grant = story.grants_tool("a", Decision::AllowSession);
    story.proposes("b", "bash").expect("allowed");
    assert_eq!(story.state("b"), CallState::Allowed);
    story.person("ada").thread_command(ThreadCommand::Revoke(grant)).expect("revoked");
    for id in ["a", "b"] {
        assert_eq!(
            story.claim_refusal(id),
            "blocked by policy:grant: the decision for the session that allowed it was revoked"
        );
    }
}

#[test]
fn required_approval_refuses_claims_nobody_approved() {
    let mut story = DecisionStory::allowed();
    story.sets_mode_to(Mode::ApproveAll);
    story
        .agent()
        .call_command("b", CallCommand::Propose(propose("b", "bash", "{\"n\":2}")))
        .expect("allowed");
    let require = ThreadCommand::SetPolicies(vec![(
        ToolName::new("bash").expect("valid"),
        ToolPolicy::RequireApproval,
    )]);
    story.person("ada").thread_command(require).expect("set");
    assert_eq!(code(story.claims("b", "w", "{\"n\":2}")), "blocked");
    story.claims("a", "w", ARGUMENTS).expect("a person approved it");
}

#[test]
fn stop_ends_calls_that_have_not_started() {
    let mut story = DecisionStory::allowed();
    story.proposes("b", "deploy").expect("asked");
    let stop = StopCommand { tool: None, calls: None, comment: Some("enough".to_owned()) };
    let events = story.person("cyd").thread_command(ThreadCommand::Stop(stop)).expect("stopped");
    assert_eq!(
        events,
        ["TOOL_RESULT by user:cyd", "TOOL_APPROVAL_RESPONSE by user:cyd", "TOOL_RESULT by user:cyd"]
    );
    assert_eq!(story.state("a"), CallState::Cancelled);
    assert_eq!(story.told("a"), "\"Cancelled by user:cyd: enough\"");
    assert_eq!(code(story.claims("a", "w", ARGUMENTS)), "not_allowed");
}

#[test]
fn approval_under_a_restriction_is_refused() {
    let mut story = given("");
    story.proposes("a", "bash").expect("asked");
    story.sets_mode_to(Mode::AutoDeny);
    assert_eq!(code(story.decides("ada", "a", Decision::AllowOnce)), "blocked");
    story.decides("ada", "a", Decision::Deny).expect("denied");
}
