//! `--json` of each command: results and errors are JSON.

use crate::desk::{DeskScreen, with_desk, with_empty_desk};
use countersign_tests::lay_out;
use insta::assert_snapshot;

fn format_json(screen: &DeskScreen) -> String {
    format!("{}\n! {}\nexit {}", lay_out(&screen.stdout), lay_out(&screen.stderr), screen.code)
}

#[tokio::test]
async fn pending_as_json() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(format_json(&desk.types("pending --json").await), @r#"
        {
          "pending": [
            {
              "threadId": "t1",
              "id": "call_1",
              "name": "bash",
              "state": "pending",
              "arguments": {},
              "argumentsHash": "[sha256]",
              "proposal": {"seq":2,"principal":"agent:builder","at":"[time]"},
              "request": {
                "seq": 3,
                "requestedAt": "[time]",
                "options": ["allow_once","allow_session","deny"],
                "reason": "no rule matches this call",
                "basis": "default",
                "availableLevels": ["user","admin","super_admin"],
                "defaultLevel": "user",
                "quorum": 1,
                "denials": 1,
                "expiresAt": "[time]",
                "onExpiry": "deny",
                "similarOperationsCount": 0,
                "scopes": [
                  {"scope":"exact","says":"this exact call"},
                  {"scope":"tool","says":"the whole tool"}
                ],
                "policy": "[sha256]"
              }
            }
          ],
          "next": null
        }
        ! 
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn decision_prints_the_call_as_json() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let allowed = desk.types("allow call_1 --as user:ada --json").await;
        assert_snapshot!(format_json(&allowed), @r#"
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "allowed",
          "arguments": {},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":2,"principal":"agent:builder","at":"[time]"},
          "request": {
            "seq": 3,
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
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "[time]",
            "seq": 4,
            "policy": "[sha256]"
          }
        }
        ! 
        exit 0
        "#);
        assert_eq!(desk.types("show call_1 --json").await.stdout, allowed.stdout);
        assert_snapshot!(format_json(&desk.types("deny call_1 --as user:ben --json").await), @r#"

        ! {
          "code": "already_decided",
          "detail": "decided already: allow_once by user:ada at [time]",
          "hint": "`countersign show ID` shows the call and its events",
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "[time]",
            "seq": 4,
            "policy": "[sha256]"
          }
        }
        exit 3
        "#);
    })
    .await;
}

#[tokio::test]
async fn verify_faults_as_json() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(format_json(&desk.types("verify --json").await), @r#"
        {
          "archives": [],
          "broken": null,
          "chainHolds": true,
          "checkpoint": "3:[sha256]",
          "empty": false,
          "events": 3,
          "holds": true,
          "inadmissible": [],
          "inadmissibleCount": 0,
          "indexHolds": true,
          "integrity": {"problems":[],"skipped":null},
          "judgedOtherwise": 0,
          "mismatches": 0,
          "newerEvents": 0,
          "proofs": {"proved":0,"unknownOrigin":0,"unproved":0},
          "repaired": false,
          "schema": {"notes":[],"problems":[]},
          "tip": "[sha256]",
          "unjudged": 0,
          "unsealed": 0
        }
        ! 
        exit 0
        "#);
    })
    .await;
}

/// Command output goes to stderr, because stdout contains only JSON.
#[tokio::test]
async fn run_prints_the_finished_call_as_json() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"allow\"").await;
        let ran = desk.types("run --as agent:builder --json --id call_1 -- echo hi").await;
        assert_snapshot!(format_json(&ran), @r#"
        {
          "threadId": "terminal",
          "id": "call_1",
          "name": "bash",
          "state": "finished",
          "arguments": {"command":"echo hi","cwd":"[here]"},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":3,"principal":"agent:builder","at":"[time]"},
          "place": {"folder":"[here]"},
          "response": {
            "decision": "allow_once",
            "source": "policy",
            "principal": "policy:default",
            "at": "[time]",
            "seq": 4,
            "basis": "default",
            "policy": "[sha256]",
            "setBy": {"seq":2,"principal":"user:operator"}
          },
          "execution": {
            "seq": 5,
            "executor": "[executor]",
            "principal": "agent:builder",
            "startedAt": "[time]",
            "leaseExpiresAt": "[time]"
          },
          "result": {
            "seq": 6,
            "status": "success",
            "content": {"exitCode":0,"output":"hi\n","outputBytes":3},
            "principal": "agent:builder",
            "at": "[time]"
          },
          "outcome": "The tool succeeded."
        }
        ! hi
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn errors_as_json() {
    with_empty_desk(async |desk| {
        assert_snapshot!(format_json(&desk.types("pending --json").await), @r#"

        ! {
          "code": "database_unavailable",
          "detail": "there is no database at [here]/.local/share/countersign/countersign.db; `countersign serve` or `countersign run` creates one, --database names another",
          "reason": "missing"
        }
        exit 5
        "#);
        assert_snapshot!(format_json(&desk.types("pending --json --server http://127.0.0.1:1").await), @r#"

        ! {
          "code": "unreachable",
          "detail": "no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server"
        }
        exit 5
        "#);
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(format_json(&desk.types("show call_2 --json").await), @r#"
        ! {
          "code": "unknown_call",
          "detail": "no recent call has an id that begins with \"call_2\"; add --thread to find older calls",
          "hint": "`countersign pending` lists pending calls, `countersign calls` lists all calls"
        }
        exit 4
        "#);
        desk.write_file("policy.toml", "default = \"maybe\"");
        assert_snapshot!(format_json(&desk.types("run --json --policy policy.toml -- ls").await), @r#"
        ! {
          "code": "bad_policy",
          "detail": "policy.toml: the policy is invalid at line 1, column 11: unknown verdict \"maybe\"; expected one of `allow`, `ask`, `block`",
          "hint": "correct the policy (see docs/policy.md), or use another file with --policy"
        }
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn denied_run_prints_only_the_call() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"block\"").await;
        let ran =
            desk.types("run --as agent:builder --json --id call_1 -- echo hi").await;
        assert_snapshot!(format_json(&ran), @r#"
        {
          "threadId": "terminal",
          "id": "call_1",
          "name": "bash",
          "state": "denied",
          "arguments": {"command":"echo hi","cwd":"[here]"},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":3,"principal":"agent:builder","at":"[time]"},
          "place": {"folder":"[here]"},
          "response": {
            "decision": "deny",
            "source": "policy",
            "principal": "policy:default",
            "at": "[time]",
            "seq": 4,
            "basis": "default",
            "comment": "no rule matches this call",
            "policy": "[sha256]",
            "setBy": {"seq":2,"principal":"user:operator"}
          },
          "result": {
            "seq": 5,
            "status": "denied",
            "content": "Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it.",
            "principal": "policy:default",
            "at": "[time]"
          },
          "outcome": "It did not run: the policy blocks it, set by operator."
        }
        ! 
        exit 77
        "#);
    })
    .await;
}
