//! Decisions in chats: only where the rule says so, and only for what the chat has shown.

use super::*;
use crate::{GrantScope, decide::may_decide_in_chat};
use countersign_events::{DecisionChannel, GrantAgents, GrantLimits};

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin" }

[[rule]]
name = "mail"
tool = ["mail", "deploy", "wire", "transfer"]
verdict = "ask"
decideIn = ["chat"]

[[rule]]
name = "leveled"
tool = "deploy"
verdict = "ask"
level = "admin"
decideIn = ["chat"]

[[rule]]
name = "proved"
tool = "wire"
verdict = "ask"
proof = "any"
decideIn = ["chat"]

[[rule]]
name = "two"
tool = "transfer"
verdict = "ask"
quorum = 2
decideIn = ["chat"]

[[rule]]
name = "on the card"
tool = "drop"
verdict = "ask"
"#;

const LATER: &str = "[[rule]]\nname = \"mail\"\ntool = \"mail\"\nverdict = \"ask\"\n";

/// A button for an hour.
fn hour(seconds: Option<u32>) -> RespondCommand {
    RespondCommand {
        scope: Some(GrantScope::Exact),
        limits: GrantLimits { seconds, uses: None },
        ..RespondCommand::plain(Decision::AllowSession)
    }
}

impl DecisionStory {
    fn clicks(&mut self, person: &str, id: &str, respond: RespondCommand) -> Result<Vec<String>, Refused> {
        let respond = RespondCommand {
            channel: Some(DecisionChannel::Chat),
            about: respond.about.or(Some(hash("{\"n\":1}"))),
            ..respond
        };
        self.person(person).call_command(id, CallCommand::Respond(respond))
    }

    fn offers_chat(&self, id: &str) -> bool {
        may_decide_in_chat(self.batch.call(&thread_id(), &call_id(id)).expect("a call"), &self.policy)
    }
}

fn proposed(tool: &str) -> DecisionStory {
    let mut story = given(POLICY);
    story.agent().call_command("a", CallCommand::Propose(propose("a", tool, "{\"n\":1}"))).expect("proposed");
    story
}

#[test]
fn chat_decides_what_the_rule_lets_it_decide() {
    for (tool, is_offered) in [
        ("mail", true),
        ("deploy", true),
        ("transfer", true),
        ("wire", false),
        ("drop", false),
        ("other", false),
    ] {
        for decision in [Decision::AllowOnce, Decision::Deny] {
            let mut story = proposed(tool);
            assert_eq!(story.offers_chat("a"), is_offered, "{tool}");
            match story.clicks("ada", "a", RespondCommand::plain(decision)) {
                Ok(events) => assert!(is_offered && !events.is_empty(), "{tool} {decision:?}"),
                Err(why) => {
                    assert_eq!((why.code(), is_offered), ("not_offered", false), "{tool} {decision:?}");
                }
            }
        }
    }
}

#[test]
fn chat_allows_exact_arguments_for_an_hour() {
    for (respond, code) in [
        (hour(Some(3_600)), None),
        (hour(Some(3_601)), Some("invalid")),
        (hour(None), Some("invalid")),
        (RespondCommand { scope: Some(GrantScope::Tool), ..hour(Some(60)) }, Some("invalid")),
        (RespondCommand { agents: Some(GrantAgents::Any), ..hour(Some(60)) }, Some("invalid")),
        (RespondCommand { and_waiting: true, ..hour(Some(60)) }, Some("invalid")),
        (
            RespondCommand { scope: Some(GrantScope::Exact), ..RespondCommand::plain(Decision::Deny) },
            Some("invalid"),
        ),
        (
            RespondCommand { about: Some(hash("{\"n\":2}")), ..RespondCommand::plain(Decision::AllowOnce) },
            Some("arguments_changed"),
        ),
    ] {
        let said = format!("{respond:?}");
        let clicked = proposed("mail").clicks("ada", "a", respond);
        assert_eq!(clicked.err().map(|why| why.code()), code, "{said}");
    }
}

#[test]
fn click_needs_a_level_and_counts_once() {
    let refused = proposed("deploy").clicks("ben", "a", RespondCommand::plain(Decision::AllowOnce));
    assert_eq!(refused.expect_err("too low").code(), "not_eligible");
    let mut story = proposed("transfer");
    let vote = || RespondCommand::plain(Decision::AllowOnce);
    assert_eq!(story.clicks("ada", "a", vote()).expect("a vote").len(), 1);
    assert_eq!(story.clicks("ada", "a", vote()), Ok(Vec::new()), "a replayed click is the same vote");
    assert!(story.offers_chat("a"), "one more vote is missing");
    story.clicks("ben", "a", vote()).expect("the second vote");
    assert!(!story.offers_chat("a"));
    let late = story.clicks("ada", "a", RespondCommand::plain(Decision::Deny));
    assert_eq!(late.expect_err("decided").code(), "already_decided");
}

#[test]
fn newer_policy_closes_the_chat() {
    let mut story = proposed("mail");
    story.policy = Arc::new(Policy::read(LATER).expect("valid"));
    assert!(!story.offers_chat("a"));
    for decision in [Decision::AllowOnce, Decision::Deny] {
        let clicked = story.clicks("ada", "a", RespondCommand::plain(decision));
        assert_eq!(clicked.expect_err("refused").code(), "not_offered", "{decision:?}");
    }
}
