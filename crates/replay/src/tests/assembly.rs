//! Tests for assembling calls from a log.

use super::{CallAssembler, log_under};
use countersign_events::{CallId, Json, ThreadId};
use std::time::Duration;

#[test]
fn finished_call_is_returned_and_dropped() {
    let mut log = log_under("");
    log.deny("t", "ada", "mail", "{}");
    log.propose("t", "mail", "{}");
    let mut calls = CallAssembler::default();
    let finished: Vec<_> = log.events.iter().filter_map(|event| calls.apply_event(event)).collect();
    assert_eq!(finished.iter().map(|call| call.id().as_str()).collect::<Vec<_>>(), ["call_1", "call_2"]);
    assert_eq!(calls.open_count(), 0, "the first denial answers the second call");
}

#[test]
fn call_proposed_in_period_includes_later_events() {
    let mut log = log_under("");
    let before = log.propose("t", "mail", "{\"n\":1}");
    let since = log.now.after(Duration::from_millis(500));
    let within = log.propose("t", "mail", "{\"n\":2}");
    let until = log.now.after(Duration::from_millis(500));
    log.propose("t", "mail", "{\"n\":3}");
    for id in [&before, &within] {
        let denial = countersign_approvals::decide::RespondCommand::plain(countersign_events::Decision::Deny);
        assert!(log.decide("t", "ada", id, denial));
    }
    let mut calls = CallAssembler::for_period(Some(since), Some(until));
    let finished: Vec<_> = log.events.iter().filter_map(|event| calls.apply_event(event)).collect();
    assert_eq!(finished.len(), 1);
    assert_eq!(finished[0].id(), &within);
    assert!(finished[0].result().is_some());
    assert_eq!(calls.take_open_calls(), []);
}

#[test]
fn damaged_call_is_counted_and_skipped() {
    let mut log = log_under("");
    log.propose("t", "mail", "{}");
    log.propose("u", "mail", "{}");
    let proposal = log.events.iter_mut().find(|event| event.thread_id == ThreadId::new("t").expect("valid"));
    let damaged = proposal.expect("thread t has an event");
    damaged.data = Json::parse(r#"{"id":"call_1","name":7}"#).expect("valid");
    let mut calls = CallAssembler::default();
    assert!(log.events.iter().all(|event| calls.apply_event(event).is_none()));
    assert_eq!((calls.damaged_count(), calls.open_count()), (1, 1));
}

#[test]
fn oldest_open_calls_are_taken_first() {
    let mut log = log_under("");
    for id in ["call_1", "call_2", "call_3"] {
        assert_eq!(log.propose("t", "mail", &format!("{{\"n\":\"{id}\"}}")).as_str(), id);
    }
    let denial = countersign_approvals::decide::RespondCommand::plain(countersign_events::Decision::Deny);
    let proposed = log.events.len();
    assert!(log.decide("t", "ada", &CallId::new("call_1").expect("valid"), denial));
    let mut calls = CallAssembler::default();
    assert!(log.events[..proposed].iter().all(|event| calls.apply_event(event).is_none()));
    assert_eq!(calls.take_oldest_calls(3), [], "there is room for all");
    let taken = calls.take_oldest_calls(1);
    assert_eq!(taken.iter().map(|call| call.id().as_str()).collect::<Vec<_>>(), ["call_1", "call_2"]);
    assert!(log.events[proposed..].iter().all(|event| calls.apply_event(event).is_none()), "it was taken");
    assert_eq!((calls.open_count(), calls.damaged_count()), (1, 0));
}
