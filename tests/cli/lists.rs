//! `countersign calls`, and the filters of `pending`

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn calls_are_listed_newest_first() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("calls").await, @"
        This log has no events but policies: [here]/countersign.db
        If it should have some: a copy of a live file lacks the events of its -wal file; make copies with `countersign backup FILE`.
        exit 0
        ");
        desk.propose("t1", "call_1", "bash", r#"{"command":"make\nmake install"}"#).await;
        desk.propose("t2", "call_2", "mail", r#"{"to":"a\u001bda","text":"hello"}"#).await;
        desk.types("deny call_1 --as user:ada").await;
        assert_snapshot!(desk.types("calls").await, @r#"
        ID      TOOL  STATE    PROPOSED  BY             DECIDED BY  THREAD  ARGUMENTS
        call_2  mail  pending  [ago]  agent:builder              t2      {"to":"a\u001bda","text":"hello"}
        call_1  bash  denied   [ago]  agent:builder  user:ada    t1      make …
        exit 0
        "#);
        assert_snapshot!(desk.types("calls --state denied").await, @"
        ID      TOOL  STATE   PROPOSED  BY             DECIDED BY  THREAD  ARGUMENTS
        call_1  bash  denied  [ago]  agent:builder  user:ada    t1      make …
        exit 0
        ");
        assert_snapshot!(desk.types("calls --tool mail --thread t1").await, @"
        No calls found.
        exit 0
        ");
        assert_snapshot!(desk.types("calls -n 1").await, @r#"
        ID      TOOL  STATE    PROPOSED  BY             DECIDED BY  THREAD  ARGUMENTS
        call_2  mail  pending  [ago]  agent:builder              t2      {"to":"a\u001bda","text":"hello"}
        ! There are more. Use -n 4 to list more of them.
        exit 0
        "#);
        assert_snapshot!(desk.types("calls --state maybe").await, @"
        ! error: invalid value 'maybe' for '--state <STATE>'
        !   [possible values: pending, allowed, denied, running, finished, unknown, cancelled, expired, unanswered, blocked, lapsed, succeeded, failed]
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("calls -n 0").await, @"
        ! error: invalid value '0' for '--limit <N>': 0 is not in 1..9223372036854775807
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn calls_continue_after_their_cursor() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        let first = desk.types("calls --json -n 2").await.stdout;
        let first: serde_json::Value = serde_json::from_str(&first).expect("JSON");
        assert_eq!(
            (&first["calls"][0]["id"], &first["calls"][1]["id"]),
            (&"call_3".into(), &"call_2".into())
        );
        let rest = desk.types(&format!("calls --json --after {}", first["next"])).await.stdout;
        let rest: serde_json::Value = serde_json::from_str(&rest).expect("JSON");
        assert_eq!((&rest["calls"][0]["id"], &rest["next"]), (&"call_1".into(), &serde_json::Value::Null));
    })
    .await;
}

/// With a state filter, the command reads more calls than it prints. It must not omit a call between two pages.
#[tokio::test]
async fn pages_with_a_state_filter_omit_none() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2", "call_3", "call_4", "call_5"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        desk.types("deny call_3 --as user:ada").await;
        let (mut found, mut after) = (Vec::new(), "0".to_owned());
        while after != "null" {
            let line = format!("calls --state pending --json -n 1 --after {after}");
            let page: serde_json::Value =
                serde_json::from_str(&desk.types(&line).await.stdout).expect("JSON");
            let calls = page["calls"].as_array().expect("a list");
            assert!(calls.len() <= 1, "{page}");
            found.extend(calls.iter().map(|call| call["id"].clone()));
            after = page["next"].to_string();
        }
        assert_eq!(found, ["call_5", "call_4", "call_2", "call_1"]);
    })
    .await;
}

#[tokio::test]
async fn pending_calls_are_filtered() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.propose("t1", "call_2", "mail", "{}").await;
        assert!(desk.types("pending --tool mail").await.stdout.starts_with("call_2"));
        assert!(desk.types("pending --by agent:builder --tool bash").await.stdout.starts_with("call_1"));
        assert_eq!(
            desk.types("pending --until 1h").await.stdout,
            "No call is pending in [here]/countersign.db.\n"
        );
    })
    .await;
}
