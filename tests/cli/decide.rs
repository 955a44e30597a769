//! `countersign allow` and `countersign deny`

use crate::{desk::at_a_desk, watch_plain};
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn a_call_that_is_not_there_cannot_be_decided() {
    at_a_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("allow call_1").await, @r#"
        ! countersign: no recent call has an id that begins with "call_1"; add --thread to find older calls
        ! hint: `countersign pending` lists pending calls, `countersign calls` lists all calls
        exit 4
        "#);
        assert_snapshot!(desk.types("deny call_1 --json").await, @r#"
        ! {"code":"unknown_call","detail":"no recent call has an id that begins with \"call_1\"; add --thread to find older calls","hint":"`countersign pending` lists pending calls, `countersign calls` lists all calls"}
        exit 4
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_was_decided_is_not_decided_otherwise() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("deny call_1 --as user:ada --comment 'not today'").await, @"
        Denied call_1.
        exit 0
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ben").await, @"
        ! countersign: decided already: deny by user:ada at [time]
        ! hint: `countersign show ID` shows the call and its events
        exit 3
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ben --json").await, @r#"
        ! {"code":"already_decided","detail":"decided already: deny by user:ada at [time]","hint":"`countersign show ID` shows the call and its events","response":{"decision":"deny","source":"approver","principal":"user:ada","at":"[time]","seq":3,"comment":"not today","policy":"[sha256]"}}
        exit 3
        "#);
    })
    .await;
}

/// Ben was quicker with `call_1`; that it begins like `call_10` decides nothing about that one.
#[tokio::test]
async fn a_call_that_was_just_decided_is_not_taken_for_one_that_begins_alike() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        desk.proposes("t1", "call_10", "deploy", "{}").await;
        desk.types("deny call_1 --as user:ben").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
        ! countersign: decided already: deny by user:ben at [time]
        ! hint: `countersign show ID` shows the call and its events
        exit 3
        ");
        assert!(desk.types("show call_10").await.stdout.starts_with("call_10  deploy  pending"));
        assert_snapshot!(desk.types("allow call_10 --as user:ada").await, @"
        Allowed call_10 once.
        exit 0
        ");
    })
    .await;
}

/// Only the first decision is in the log, and whoever repeats it is told whose it was.
#[tokio::test]
async fn the_same_decision_again_says_that_it_stood() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
        Allowed call_1 once.
        exit 0
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ben").await, @"
        Nothing changed: call_1 was already decided: allow_once by user:ada at [time].
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn whoever_may_not_decide_is_told_so() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as agent:builder").await, @"
        ! countersign: agent:builder is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        let mut run = desk.starts("run --as user:ada --id call_2 -- true");
        run.complains("is pending").await;
        assert_snapshot!(desk.types("allow call_2 --as user:ada").await, @"
        ! countersign: user:ada proposed the call and cannot decide it
        ! hint: another person must decide
        exit 3
        ");
        desk.types("deny call_2 --as user:ben").await;
        assert_eq!(run.ends().await.code, 77);
    })
    .await;
}

#[tokio::test]
async fn allowing_for_the_session_allows_what_comes() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_ --session --comment 'go on'").await, @"
        Allowed call_1, and later calls of bash in thread t1.
        exit 0
        ");
        assert_snapshot!(desk.types("run --thread t1 -- echo hi").await, @"
        hi
        exit 0
        ");
    })
    .await;
}

/// The names in an error are those that an agent chose, and the terminal is not to obey them.
#[tokio::test]
async fn a_name_in_an_error_shows_what_it_hides() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        desk.proposes("t1", "call_2", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as 'agent:a\u{202e}b'").await, @r"
        ! countersign: agent:a\u{202e}b is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("deny call_1 call_2 --as 'agent:a\u{200b}b'").await, @r"
        ! countersign: call_1: agent:a\u{200b}b is not a person, and only people decide
        ! countersign: call_2: agent:a\u{200b}b is not a person, and only people decide
        exit 3
        ");
        let watched = watch_plain::answers(desk, "once\n", "--as 'agent:a\u{200b}b'").await;
        assert!(watched.contains(r"Nothing changed: agent:a\u{200b}b is not a person"), "{watched}");
    })
    .await;
}
