//! A key that is held down, or pressed too early, decides no other call.

use super::{InboxTester, call_key, short_call};
use crate::inbox::{
    guard::DECISION_DELAY,
    message::{InboxAction, InboxEvent},
};
use countersign_events::Json;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

fn with_three_calls() -> InboxTester {
    InboxTester::with_calls(&[short_call(10, "one"), short_call(20, "two"), short_call(30, "three")])
}

/// Holds a key for a minute on a keyboard with this delay and this interval, on a terminal that reports only presses.
fn hold(ben: &mut InboxTester, key: KeyCode, delay: u64, interval: u64) -> Vec<InboxAction> {
    let mut actions = Vec::new();
    let mut wait = delay;
    for _ in 0..60_000 / interval {
        if let Some(sent) = ben.inbox.sending.clone() {
            ben.confirm_sent(sent);
        }
        ben.advance_clock(Duration::from_millis(wait));
        actions.extend(ben.press_key(KeyEvent::new(key, KeyModifiers::NONE)));
        wait = interval;
    }
    actions
}

#[test]
fn held_key_decides_only_one_call() {
    // The usual keyboard, a fast one and the slowest.
    for (delay, interval) in [(500, 30), (200, 15), (999, 500)] {
        let mut ben = with_three_calls();
        ben.press_and_send("o");
        assert_eq!(hold(&mut ben, KeyCode::Char('o'), delay, interval), [], "{delay} {interval}");
        assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_20"), 2));
        // After the release and a pause, the key decides again.
        ben.advance_clock(DECISION_DELAY);
        assert_eq!(ben.press_and_send("o").key.1.as_str(), "call_20");
    }
}

#[test]
fn held_enter_of_a_denial_skips_no_call() {
    let mut ben = with_three_calls();
    ben.press_and_send("dno⏎");
    assert_eq!(hold(&mut ben, KeyCode::Enter, 500, 30), []);
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_20"), 2));
    ben.advance_clock(DECISION_DELAY);
    ben.press_keys("⏎");
    assert_eq!(ben.shown_call(), Some("call_30"));
}

/// A scope menu letter has another meaning while reading, such as `p` for the previous call.
#[test]
fn held_scope_letter_does_not_lift_the_guard() {
    let mut ben = with_three_calls();
    ben.press_and_send("sx");
    assert_eq!(hold(&mut ben, KeyCode::Char('x'), 500, 30), []);
    assert_eq!(ben.press_keys("o"), []);
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_20"), 2));
}

/// The terminal reports repetitions, so a press after them proves a release.
#[test]
fn reported_repetition_decides_nothing() {
    let mut ben = with_three_calls();
    let sent = ben.press_and_send("o");
    ben.confirm_sent(sent);
    for _ in 0..100 {
        ben.advance_clock(DECISION_DELAY);
        assert_eq!(ben.repeat_key('o'), None);
    }
    assert!(ben.status_text().starts_with("Ignored: the key is held down."), "{}", ben.status_text());
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_and_send("o").key.1.as_str(), "call_20");
    let mut ben = with_three_calls();
    ben.press_keys("s");
    assert_eq!(ben.repeat_key('x'), None);
    assert_eq!(ben.press_and_send("x").scope, Some(Json::string("exact")));
}

#[test]
fn next_call_ignores_decisions_for_a_moment() {
    let mut ben = with_three_calls();
    let sent = ben.press_and_send("o");
    ben.confirm_sent(sent);
    assert_eq!((ben.shown_call(), ben.status_text()), (Some("call_20"), "Allowed call_10 (one) once."));
    assert_eq!(ben.press_keys("os"), []);
    assert!(ben.status_text().starts_with("Ignored: the key came too early."), "{}", ben.status_text());
    ben.advance_clock(DECISION_DELAY);
    let sent = ben.press_and_send("o");
    assert_eq!(sent.key.1.as_str(), "call_20");
    ben.confirm_sent(sent);
    // After a movement key the approver knows which call is shown.
    ben.press_keys("g");
    assert_eq!(ben.press_and_send("o").key.1.as_str(), "call_30");
}

#[test]
fn key_held_over_a_lost_connection_decides_nothing() {
    let mut ben = with_three_calls();
    ben.receive(InboxEvent::Lost("no answer".to_owned()));
    assert_eq!(ben.press_keys("ooo"), []);
    let calls: Vec<_> = ben.inbox.calls.iter().map(|waiting| waiting.call.clone()).collect();
    ben.receive(InboxEvent::Loaded(calls));
    assert_eq!(hold(&mut ben, KeyCode::Char('o'), 30, 30), []);
}

#[test]
fn key_meant_for_the_editor_decides_nothing() {
    let one = short_call(10, "one");
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    ben.press_keys("e");
    let edited = Json::parse(r#"{"command":"ls"}"#).expect("valid");
    ben.receive(InboxEvent::Edited(call_key(&one), Ok(Some(edited))));
    assert_eq!(ben.press_keys("o"), []);
}

/// The search hid every call, so the screen was empty.
#[test]
fn call_that_appears_during_a_search_is_guarded() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]);
    ben.press_keys("/deploy⏎");
    ben.receive(InboxEvent::Arrived(vec![short_call(20, "deploy")]));
    assert_eq!(ben.shown_call(), Some("call_20"));
    assert_eq!(ben.press_keys("o"), []);
}
