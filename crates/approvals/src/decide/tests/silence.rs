//! Expiry allows only while the call is a plain `ask`.

use super::*;
use crate::GrantScope;
use countersign_events::{Decision, Mode, ToolPolicy};

/// Two denials or two approvals decide; silence for a minute allows.
const POLICY: &str = "[[rule]]\nname = \"lapse\"\ntool = \"page\"\nverdict = \"ask\"\nexpires = \"1m\"\n\
    onExpiry = \"allow\"\nquorum = 2\ndenials = 2\n";
const ALLOWED: [&str; 1] = ["TOOL_APPROVAL_RESPONSE by system:expiry"];

fn asked() -> DecisionStory {
    let mut story = given(POLICY);
    story.proposes("a", "page").expect("asked");
    story
}

impl DecisionStory {
    fn expires(&mut self) -> CallState {
        self.later(60).call_command("a", CallCommand::Due).expect("due");
        self.state("a")
    }

    fn exchange_policy(&mut self, text: &str) {
        self.policy = Arc::new(Policy::read(text).expect("valid"));
    }
}

#[test]
fn silence_allows_a_plain_ask() {
    let mut story = asked();
    assert_eq!(story.later(60).call_command("a", CallCommand::Due).expect("due"), ALLOWED);
    assert_eq!(story.state("a"), CallState::Allowed);
}

#[test]
fn silence_after_a_denying_vote_denies() {
    let mut story = asked();
    story.decides("ada", "a", Decision::Deny).expect("voted");
    assert_eq!(story.expires(), CallState::Denied);
    insta::assert_snapshot!(story.told("a"), @r#""It expired at 1970-01-01T00:17:40.000Z, and user:ada voted to deny it (too risky), so this call was not run.""#);
}

#[test]
fn silence_after_an_editing_vote_denies() {
    let mut story = asked();
    let arguments = HashedArguments::new(Json::parse("{\"n\":2}").expect("valid")).expect("admitted");
    let edit = RespondCommand { arguments: Some(arguments), ..RespondCommand::plain(Decision::AllowOnce) };
    story.person("ada").call_command("a", CallCommand::Respond(edit)).expect("voted");
    assert_eq!(story.expires(), CallState::Denied);
    insta::assert_snapshot!(story.told("a"), @r#""It expired at 1970-01-01T00:17:40.000Z, and user:ada changed its arguments, so this call was not run.""#);
}

#[test]
fn silence_under_auto_deny_denies() {
    let mut story = asked();
    story.person("ada").thread_command(ThreadCommand::SetMode(Mode::AutoDeny)).expect("set");
    assert_eq!(story.expires(), CallState::Denied);
    insta::assert_snapshot!(story.told("a"), @r#""It expired at 1970-01-01T00:17:40.000Z, and the thread denies every call that needs approval (auto_deny), so this call was not run.""#);
}

#[test]
fn silence_under_required_approval_denies() {
    for policy in [ToolPolicy::RequireApproval, ToolPolicy::Deny] {
        let mut story = asked();
        let set = ThreadCommand::SetPolicies(vec![(ToolName::new("page").expect("valid"), policy)]);
        story.person("ada").thread_command(set).expect("set");
        assert_eq!(story.expires(), CallState::Denied);
    }
}

#[test]
fn silence_after_a_session_denial_denies() {
    let mut story = given(
        "[[rule]]\nname = \"lapse\"\ntool = \"page\"\nverdict = \"ask\"\nexpires = \"1m\"\nonExpiry = \"allow\"\n",
    );
    story.proposes("a", "page").expect("asked");
    story.proposes("b", "page").expect("asked");
    let denial = RespondCommand { scope: Some(GrantScope::Tool), ..RespondCommand::plain(Decision::Deny) };
    story.person("ada").call_command("b", CallCommand::Respond(denial)).expect("denied");
    assert_eq!(story.expires(), CallState::Denied);
    insta::assert_snapshot!(story.told("a"), @r#""It expired at 1970-01-01T00:17:40.000Z, and user:ada denied it at 1970-01-01T00:16:40.000Z, so this call was not run.""#);
}

#[test]
fn silence_under_a_stricter_policy_denies() {
    for stricter in [
        "[[rule]]\nname = \"never\"\ntool = \"page\"\nverdict = \"block\"\n",
        "[[rule]]\nname = \"ask\"\ntool = \"page\"\nverdict = \"ask\"\nexpires = \"1m\"\n",
        "[[rule]]\nname = \"lapse\"\ntool = \"page\"\nverdict = \"ask\"\nexpires = \"1h\"\nonExpiry = \"allow\"\n",
    ] {
        let mut story = asked();
        story.exchange_policy(stricter);
        assert_eq!(story.expires(), CallState::Denied, "{stricter}");
    }
    let mut story = asked();
    story.exchange_policy(&format!("remember = \"1m\"\n{POLICY}"));
    assert_eq!(story.expires(), CallState::Allowed, "the same rule under another policy");
}

#[test]
fn silence_without_the_new_judgement_denies() {
    let mut story = asked();
    story.exchange_policy(&format!("remember = \"1m\"\n{POLICY}"));
    let target = CommandTarget::Call(thread_id(), call_id("a"));
    story.later(60).execute_with(target, CallCommand::Due.into(), CommandEvidence::NotNeeded).expect("due");
    assert_eq!(story.state("a"), CallState::Denied);
}
