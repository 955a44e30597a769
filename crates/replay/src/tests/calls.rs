//! Putting calls together from a log.

use super::{CallAssembler, under};
use countersign_events::{Json, ThreadId};
use std::time::Duration;

#[test]
fn a_call_that_is_over_is_given_once_and_not_kept() {
    let mut log = under("");
    log.denies("t", "ada", "mail", "{}");
    log.proposes("t", "mail", "{}");
    let mut calls = CallAssembler::default();
    let over: Vec<_> = log.events.iter().filter_map(|event| calls.take(event)).collect();
    assert_eq!(over.iter().map(|call| call.id().as_str()).collect::<Vec<_>>(), ["call_1", "call_2"]);
    assert_eq!(calls.open(), 0, "the second was answered by the first's denial");
}

#[test]
fn a_span_takes_what_was_proposed_in_it_with_all_that_came_later() {
    let mut log = under("");
    let before = log.proposes("t", "mail", "{\"n\":1}");
    let since = log.now.after(Duration::from_millis(500));
    let within = log.proposes("t", "mail", "{\"n\":2}");
    let until = log.now.after(Duration::from_millis(500));
    log.proposes("t", "mail", "{\"n\":3}");
    for id in [&before, &within] {
        let denial =
            countersign_approvals::decide::RespondCommand::plain(countersign_events::event::Decision::Deny);
        assert!(log.decides("t", "ada", id, denial));
    }
    let mut calls = CallAssembler::between(Some(since), Some(until));
    let over: Vec<_> = log.events.iter().filter_map(|event| calls.take(event)).collect();
    assert_eq!(over.len(), 1);
    assert_eq!(over[0].id(), &within);
    assert!(over[0].result().is_some());
    assert_eq!(calls.rest(), []);
}

#[test]
fn what_is_damaged_is_counted_and_the_rest_goes_on() {
    let mut log = under("");
    log.proposes("t", "mail", "{}");
    log.proposes("u", "mail", "{}");
    let asked = log.events.iter_mut().find(|event| event.thread_id == ThreadId::new("t").expect("valid"));
    let damaged = asked.expect("it is there");
    damaged.data = Json::parse(r#"{"id":"call_1","name":7}"#).expect("valid");
    let mut calls = CallAssembler::default();
    assert!(log.events.iter().all(|event| calls.take(event).is_none()));
    assert_eq!((calls.damaged(), calls.open()), (1, 1));
}
