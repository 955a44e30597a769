//! `countersign allow` and `countersign deny`

use crate::{desk::with_desk, watch_plain};
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn decision_on_a_missing_call_is_refused() {
    with_desk(async |desk| {
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
async fn opposite_decision_on_a_decided_call_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
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
        ! {"code":"already_decided","detail":"decided already: deny by user:ada at [time]","hint":"`countersign show ID` shows the call and its events","response":{"decision":"deny","source":"approver","principal":"user:ada","at":"[time]","seq":4,"comment":"not today","policy":"[sha256]"}}
        exit 3
        "#);
    })
    .await;
}

/// `call_1` is decided, and its id is also a prefix of `call_10`. The command must not select `call_10`.
#[tokio::test]
async fn decided_id_is_not_taken_as_a_prefix() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.propose("t1", "call_10", "deploy", "{}").await;
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

/// The log contains only the first decision. A repeated decision prints the person who made the first.
#[tokio::test]
async fn repeated_decision_names_the_first_decider() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
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
async fn decision_without_permission_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as agent:builder").await, @"
        ! countersign: agent:builder is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        let mut run = desk.start("run --as user:ada --id call_2 -- true");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("allow call_2 --as user:ada").await, @"
        ! countersign: user:ada proposed the call and cannot decide it
        ! hint: another person must decide
        exit 3
        ");
        desk.types("deny call_2 --as user:ben").await;
        assert_eq!(run.wait_for_exit().await.code, 77);
    })
    .await;
}

#[tokio::test]
async fn session_allowance_allows_later_calls() {
    with_desk(async |desk| {
        desk.propose_here("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_ --session tool --any-agent --comment 'go on'").await, @"
        Allowed call_1, and later calls of bash in thread t1, until [time].
        exit 0
        ");
        assert_snapshot!(desk.types("run --thread t1 -- echo hi").await, @"
        hi
        exit 0
        ");
    })
    .await;
}

/// A name that looks like another is refused before it reaches the log, and its message shows no such character.
#[tokio::test]
async fn misleading_name_of_a_person_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --as 'user:ada '").await, @"
        ! countersign: --as: the name of a principal cannot be used: it begins or ends with a blank
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --as 'user:a\u{200b}da'").await, @"
        ! countersign: --as: the name of a principal cannot be used: it contains the invisible character U+200B
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --as 'user:\u{430}da'").await, @"
        ! countersign: --as: the name of a principal cannot be used: it mixes scripts, whose letters can look alike: 'd' (U+0064) is of another script than the letters before it
        exit 2
        ");
        let watched = watch_plain::run_watch_plain(desk, "once\n", "--as 'agent:ab'").await;
        assert!(watched.contains("Nothing changed: agent:ab is not a person"), "{watched}");
    })
    .await;
}

/// An agent process leaves such a row behind.
#[tokio::test]
async fn allowing_a_call_of_a_lost_agent_warns() {
    with_desk(async |desk| {
        desk.propose_earlier("t", "call_1", "bash", r#"{"command":"ls"}"#).await;
        let seen = "INSERT INTO proposer_presence VALUES ('t', 'call_1', '2026-01-31T12:00:00.000Z')";
        desk.run_program("sqlite3", &["countersign.db", seen]).await;
        for list in ["pending", "show call_1"] {
            let shown = desk.types(list).await.stdout;
            assert!(shown.contains("last seen") && shown.contains("may be gone"), "{shown}");
        }
        let allowed = desk.types("allow call_1 --as user:ada").await;
        assert_eq!(allowed.code, 0);
        assert!(allowed.stdout.contains("agent:builder was last seen"), "{}", allowed.stdout);
        assert!(allowed.stdout.contains("call_1 may not run until it returns"), "{}", allowed.stdout);
    })
    .await;
}
