//! Messages of the conversation.

use super::*;
use crate::{NeededEvidence, Refused, conversation::NewMessage, decide::AddMessagesCommand};
use countersign_events::{EventType, MessageFormat};

impl DecisionStory {
    fn adds_message(&mut self, after: Option<i64>, masked_by: Sha256) -> Result<Vec<String>, Refused> {
        let content = Json::parse(r#"{"role":"user","text":"hi"}"#).expect("valid");
        let (hash, redactor) = (Sha256::digest(b"hi"), self.policy.redactor());
        let message =
            NewMessage::masked(EventType::UserMessage, 0, MessageFormat::Plain, &content, hash, redactor);
        let add = AddMessagesCommand { after, masked_by, messages: vec![message] };
        self.agent().thread_command(ThreadCommand::AddMessages(add))
    }
}

#[test]
fn messages_follow_what_the_sender_knew() {
    let mut story = given("");
    let policy = story.policy.hash();
    assert_eq!(story.adds_message(None, policy).expect("added"), ["USER_MESSAGE by agent:bot"]);
    let missing = |outcome, needed: NeededEvidence| {
        assert_eq!(outcome, Err(Refused::from(needed)));
    };
    // Another message came first.
    missing(story.adds_message(None, policy), NeededEvidence::MessagePlaces);
    let last = story.log.last().expect("a message").seq;
    missing(story.adds_message(Some(last), Sha256::digest(b"older")), NeededEvidence::MessageMasks);
    assert!(story.adds_message(Some(last), policy).is_ok());
}

#[test]
fn closed_thread_accepts_no_message() {
    let mut story = given("");
    let policy = story.policy.hash();
    story.proposes("a", "bash").expect("proposed");
    story.person("ada").thread_command(ThreadCommand::Close).expect("closed");
    assert_eq!(code(story.adds_message(None, policy)), "thread_closed");
}

#[test]
fn client_tool_is_blocked_by_any_policy() {
    let mut story = given("default = \"allow\"");
    let events = story.agent().proposes("a", "client.requestApproval").expect("recorded");
    let written: Vec<_> = story.log.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(written, ["TOOL_CALL", "TOOL_APPROVAL_RESPONSE", "TOOL_RESULT"], "{events:?}");
    story.proposes("b", "clients").expect("another tool");
    assert_eq!(story.log.last().expect("a response").kind.as_str(), "TOOL_APPROVAL_RESPONSE", "allowed");
}
