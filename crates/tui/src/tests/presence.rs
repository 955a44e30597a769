//! The agent's presence and the log location on the screen.

use super::{InboxTester, START_MILLIS, call, call_key, short_call};
use crate::inbox::{
    message::{InboxAction, InboxEvent},
    presence::PRESENCE_INTERVAL,
};
use countersign_api as api;
use countersign_events::Timestamp;
use serde_json::json;
use std::time::Duration;

/// A call whose agent was last seen so long before the start.
fn call_of_agent(silent_for: Duration, gone: bool) -> api::Call {
    let seen = Timestamp::from_millis(START_MILLIS).before(silent_for);
    let presence = json!({"proposerLastSeenAt": seen, "proposerGone": gone});
    call(10, "bash", &json!({"command": "ls"}), &presence)
}

fn call_of_lost_agent() -> api::Call {
    call_of_agent(Duration::from_mins(12), true)
}

#[test]
fn lost_agent_is_reported_before_allowing() {
    let mut ben = InboxTester::with_calls(&[call_of_lost_agent()]);
    let screen = ben.screen();
    assert!(screen.contains("Agent last seen 12m 5s ago, and may be gone"), "{screen}");
    assert!(screen.contains("If you allow the call, it may not run until the agent"), "{screen}");
    ben.advance_clock(Duration::from_mins(1));
    let screen = ben.screen();
    assert!(screen.contains("Agent last seen 13m 5s ago"), "{screen}");
}

#[test]
fn small_window_still_reports_a_lost_agent() {
    let mut ben = InboxTester::with_calls(&[call_of_lost_agent()]).with_window(40, 9);
    let screen = ben.screen();
    assert!(screen.contains("Agent last seen 12m 5s ago"), "{screen}");
}

#[test]
fn waiting_agent_is_shown_without_a_warning() {
    let one = call_of_agent(Duration::ZERO, false);
    let mut ben = InboxTester::with_calls(&[one]).with_window(90, 20);
    let screen = ben.screen();
    assert!(screen.contains("· agent waits for the decision"), "{screen}");
    assert!(!screen.contains("If you allow"), "{screen}");
}

#[test]
fn allowed_call_of_a_lost_agent_warns() {
    let mut ben = InboxTester::with_calls(&[call_of_lost_agent()]);
    let sent = ben.press_and_send("o");
    ben.confirm_with(sent, call_of_lost_agent());
    let status = ben.status_text();
    assert!(
        status.starts_with("Allowed call_10 (bash) once. agent:ada was last seen 12m 5s ago"),
        "{status}"
    );
    assert!(status.ends_with("so call_10 may not run until it returns."), "{status}");
}

/// An agent that leaves writes no event, so the inbox must read its presence.
#[test]
fn presence_is_read_while_call_is_shown() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two.clone()]);
    let read = |call: &api::Call| Some(InboxAction::ReadPresence(call_key(call)));
    assert_eq!(ben.inbox.read_presence(ben.now), read(&one));
    assert_eq!(ben.inbox.read_presence(ben.now), None);
    ben.advance_clock(PRESENCE_INTERVAL);
    assert_eq!(ben.inbox.read_presence(ben.now), read(&one));
    ben.press_keys("n");
    assert_eq!(ben.inbox.read_presence(ben.now), read(&two));
    ben.receive(InboxEvent::Lost("no answer".to_owned()));
    ben.advance_clock(PRESENCE_INTERVAL);
    assert_eq!(ben.inbox.read_presence(ben.now), None);
}

#[test]
fn agent_that_leaves_is_reported_later() {
    let mut ben = InboxTester::with_calls(&[call_of_agent(Duration::ZERO, false)]);
    assert!(!ben.screen().contains("may be gone"));
    let typed = ben.press_keys("cfine");
    assert_eq!(typed, []);
    ben.receive(InboxEvent::Seen(Box::new(call_of_agent(Duration::from_secs(40), true))));
    let screen = ben.screen();
    assert!(screen.contains("Agent last seen 45s ago") && screen.contains("Comment: fine"), "{screen}");
}

#[test]
fn heading_names_the_log() {
    let log = "/home/ben/.local/share/countersign/countersign.db";
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]).with_log(log).with_window(100, 20);
    let top = ben.screen().lines().next().map(str::to_owned).unwrap_or_default();
    assert!(top.starts_with(&format!(" Countersign · 1 pending · {log} ")), "{top}");
    assert!(top.ends_with("user:ben"), "{top}");
}

#[test]
fn narrow_heading_keeps_the_end_of_the_log() {
    let log = "/home/ben/.local/share/countersign/countersign.db";
    let calls = [short_call(10, "bash")];
    let mut ben = InboxTester::with_calls(&calls).with_log(log);
    let top = ben.screen().lines().next().map(str::to_owned).unwrap_or_default();
    assert!(top.contains("· …") && top.contains("/countersign.db "), "{top}");
    let mut ben = ben.with_window(30, 12);
    let top = ben.screen().lines().next().map(str::to_owned).unwrap_or_default();
    assert!(top.contains("1 pending") && !top.contains(".db"), "{top}");
}
