//! Decisions on several calls with one command.

use crate::desk::{TerminalDesk, with_desk};
use countersign_tests::lay_out;
use insta::assert_snapshot;

#[tokio::test]
async fn one_invalid_id_decides_nothing() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 call_9 --as user:ada").await, @r#"
        ! countersign: no recent call has an id that begins with "call_9"; add --thread to find older calls
        ! hint: `countersign pending` lists pending calls, `countersign calls` lists all calls
        exit 4
        "#);
        assert!(desk.types("pending").await.stdout.starts_with("call_1"));
        assert_snapshot!(desk.types("deny call_1 --all-pending").await, @"
        ! error: the argument '[ID]...' cannot be used with '--all-pending'
        ! 
        ! Usage: countersign deny <ID>...
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("deny").await, @"
        ! error: the following required arguments were not provided:
        !   <ID>...
        ! 
        ! Usage: countersign deny <ID>...
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
    })
    .await;
}

async fn propose_three(desk: &TerminalDesk) {
    for id in ["call_1", "call_2", "call_3"] {
        desk.propose("t1", id, "bash", "{}").await;
    }
}

#[tokio::test]
async fn each_call_has_its_own_result() {
    with_desk(async |desk| {
        propose_three(desk).await;
        desk.types("deny call_2 --as user:ben").await;
        assert_snapshot!(desk.types("allow call_1 call_2 call_3 call_1 --as user:ada").await, @"
        Allowed call_1 once.
        Allowed call_3 once.
        ! countersign: call_2: decided already: deny by user:ben at [time]
        exit 3
        ");
        let output = desk.types("deny call_1 call_2 --json --as user:ben").await;
        assert_snapshot!(lay_out(&output.stdout), @r#"
        {
          "results": [
            {
              "threadId": "t1",
              "id": "call_1",
              "problem": {
                "code": "already_decided",
                "detail": "decided already: allow_once by user:ada at [time]"
              }
            },
            {
              "threadId": "t1",
              "id": "call_2",
              "call": {
                "threadId": "t1",
                "id": "call_2",
                "name": "bash",
                "state": "denied",
                "arguments": {},
                "argumentsHash": "[sha256]",
                "proposal": {"seq":4,"principal":"agent:builder","at":"[time]"},
                "request": {
                  "seq": 5,
                  "requestedAt": "[time]",
                  "options": ["allow_once","allow_session","deny"],
                  "reason": "no rule matches this call",
                  "basis": "default",
                  "quorum": 1,
                  "denials": 1,
                  "expiresAt": "[time]",
                  "onExpiry": "deny",
                  "policy": "[sha256]"
                },
                "response": {
                  "decision": "deny",
                  "source": "approver",
                  "principal": "user:ben",
                  "at": "[time]",
                  "seq": 8,
                  "policy": "[sha256]"
                },
                "result": {
                  "seq": 9,
                  "status": "denied",
                  "content": "Denied by user:ben, without a comment (do not retry this call unchanged)",
                  "principal": "user:ben",
                  "at": "[time]"
                },
                "outcome": "It did not run: ben denied it."
              }
            }
          ]
        }
        "#);
        assert_eq!(output.code, 3);
    })
    .await;
}

#[tokio::test]
async fn all_pending_calls_are_denied_at_once() {
    with_desk(async |desk| {
        for (thread, id) in [("t1", "call_1"), ("t2", "call_2"), ("t2", "call_3")] {
            desk.propose(thread, id, "bash", "{}").await;
        }
        assert_snapshot!(desk.types("deny --all-pending --yes --thread t2 --comment stop --as user:ada").await, @"
        Denied call_2.
        Denied call_3.
        exit 0
        ");
        assert_snapshot!(desk.types("deny --all-pending --as user:ada").await, @"
        ! countersign: Deny 1 pending call? Add --yes, which is required without a terminal and with --json
        exit 2
        ");
        assert_eq!(desk.types("deny --all-pending --json --as user:ada").await.code, 2, "not with --json either");
        assert_snapshot!(desk.types("deny --all-pending --yes --as user:ada").await, @"
        Denied call_1.
        exit 0
        ");
        assert_snapshot!(desk.types("deny --all-pending --as user:ada").await, @"
        No call is pending.
        exit 0
        ");
        assert_snapshot!(desk.types("deny --all-pending --as user:ada --json").await, @r#"
        {"results":[]}
        exit 0
        "#);
    })
    .await;
}

/// The arguments are printed byte for byte: in their order, and with all digits of numbers that no number type can
/// hold.
#[tokio::test]
async fn huge_numbers_in_arguments_are_printed_unchanged() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2"] {
            desk.propose("t1", id, "pay", "{\"z\":1.50,\n\"a\":1e400}").await;
        }
        let output = desk.types("deny call_1 call_2 --json --as user:ada").await;
        assert_eq!((output.code, output.stderr.as_str()), (0, ""));
        assert_eq!(
            output.stdout.matches(r#""arguments":{"z":1.50, "a":1e400}"#).count(),
            2,
            "{}",
            output.stdout
        );
        assert_eq!(output.stdout.lines().count(), 1);
    })
    .await;
}
