//! Decisions in notifications: each denies, and only few allow.

use super::*;
use crate::decide::may_allow_in_notification;
use countersign_events::DecisionChannel;

const POLICY: &str = r#"
[notify]
allow = ["low"]

[approvers]
"user:ada" = { level = "admin" }

[[rule]]
name = "leveled"
tool = "deploy"
verdict = "ask"
level = "admin"

[[rule]]
name = "two"
tool = "transfer"
verdict = "ask"
quorum = 2

[[rule]]
name = "proved"
tool = "wire"
verdict = "ask"
proof = "any"
"#;

impl DecisionStory {
    fn proposes_risk(&mut self, id: &str, tool: &str, impact: &str) {
        let impact = (!impact.is_empty()).then(|| Json::parse(impact).expect("valid"));
        let command = ProposeCommand { impact, ..propose(id, tool, "{\"n\":1}") };
        self.agent().call_command(id, CallCommand::Propose(command)).expect("proposed");
    }

    fn taps(&mut self, id: &str, decision: Decision, about: Option<Sha256>) -> Result<Vec<String>, Refused> {
        let respond = RespondCommand {
            channel: Some(DecisionChannel::Notification),
            about,
            ..RespondCommand::plain(decision)
        };
        self.person("ada").call_command(id, CallCommand::Respond(respond))
    }

    fn offers_allow(&self, id: &str) -> bool {
        may_allow_in_notification(self.batch.call(&thread_id(), &call_id(id)).expect("a call"), &self.policy)
    }
}

fn shown() -> Sha256 {
    hash("{\"n\":1}")
}

#[test]
fn notification_allows_only_what_the_policy_says() {
    let low = r#"{"riskLevel":"low"}"#;
    for (tool, impact, is_allowed) in [
        ("mail", low, true),
        ("mail", r#"{"riskLevel":"medium"}"#, false),
        ("mail", r#"{"riskLevel":"lowest"}"#, false),
        ("mail", r#"{"riskLevel":7}"#, false),
        ("mail", "", false),
        ("deploy", low, false),
        ("transfer", low, false),
        ("wire", low, false),
    ] {
        let mut story = given(POLICY);
        story.proposes_risk("a", tool, impact);
        assert_eq!(story.offers_allow("a"), is_allowed, "{tool} {impact}");
        let tapped = story.taps("a", Decision::AllowOnce, Some(shown()));
        match tapped {
            Ok(_) => assert!(is_allowed, "{tool} {impact}"),
            Err(why) => assert_eq!((why.code(), is_allowed), ("not_offered", false), "{tool} {impact}"),
        }
    }
}

#[test]
fn notification_allows_nothing_without_a_policy() {
    let mut story = given("");
    story.proposes_risk("a", "mail", r#"{"riskLevel":"low"}"#);
    assert_eq!(
        story.taps("a", Decision::AllowOnce, Some(shown())).expect_err("refused").code(),
        "not_offered"
    );
}

#[test]
fn notification_denies_whatever_the_rule_asks_for() {
    for tool in ["mail", "deploy", "transfer", "wire"] {
        let mut story = given(POLICY);
        story.proposes_risk("a", tool, r#"{"riskLevel":"critical"}"#);
        let denied = story.taps("a", Decision::Deny, Some(shown())).expect("denied");
        assert!(!denied.is_empty(), "{tool}");
    }
}

#[test]
fn late_and_replayed_taps_decide_nothing() {
    let mut story = given(POLICY);
    story.proposes_risk("a", "mail", r#"{"riskLevel":"low"}"#);
    assert_eq!(
        story.taps("a", Decision::Deny, None).expect_err("what was shown is missing").code(),
        "invalid"
    );
    let other = story.taps("a", Decision::Deny, Some(hash("{\"n\":2}")));
    assert_eq!(other.expect_err("another call was shown").code(), "arguments_changed");
    story.taps("a", Decision::Deny, Some(shown())).expect("denied");
    assert_eq!(story.taps("a", Decision::Deny, Some(shown())), Ok(Vec::new()), "a replay writes nothing");
    let late = story.taps("a", Decision::AllowOnce, Some(shown()));
    assert_eq!(late.expect_err("decided before").code(), "already_decided");
}

#[test]
fn newer_policy_applies_to_an_older_notification() {
    let mut story = given(POLICY);
    story.proposes_risk("a", "mail", r#"{"riskLevel":"low"}"#);
    story.policy = Arc::new(Policy::read("").expect("valid"));
    assert_eq!(
        story.taps("a", Decision::AllowOnce, Some(shown())).expect_err("refused").code(),
        "not_offered"
    );
}

#[test]
fn log_says_that_a_notification_decided() {
    let mut story = given(POLICY);
    story.proposes_risk("a", "mail", r#"{"riskLevel":"low"}"#);
    story.taps("a", Decision::AllowOnce, Some(shown())).expect("allowed");
    let response = story.log.last().expect("a response");
    assert!(response.data.as_str().contains("\"channel\":\"notification\""), "{}", response.data.as_str());
}
