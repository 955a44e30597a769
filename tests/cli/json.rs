//! `--json` of each command: what a program reads is JSON, and so is what went wrong.

use crate::desk::{DeskScreen, at_a_desk};
use countersign_tests::lay_out;
use insta::assert_snapshot;

fn laid_out(screen: &DeskScreen) -> String {
    format!("{}\n! {}\nexit {}", lay_out(&screen.stdout), lay_out(&screen.stderr), screen.code)
}

#[tokio::test]
async fn what_waits_is_json() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(laid_out(&desk.types("pending --json").await), @r#"
        {
          "pending": [
            {
              "threadId": "t1",
              "id": "call_1",
              "name": "bash",
              "state": "pending",
              "arguments": {},
              "argumentsHash": "[sha256]",
              "proposal": {"seq":1,"principal":"agent:builder","at":"[time]"},
              "request": {
                "seq": 2,
                "requestedAt": "[time]",
                "options": ["allow_once","allow_session","deny"],
                "reason": "no rule matches this call",
                "basis": "default",
                "availableLevels": ["user","admin","super_admin"],
                "defaultLevel": "user",
                "quorum": 1,
                "denials": 1,
                "similarOperationsCount": 0,
                "wouldAlsoMatch": [
                  {"match":"exact","says":"these exact arguments","allows":0,"denies":0,"calls":[],"of":0},
                  {"match":"tool","says":"the whole tool","allows":0,"denies":0,"calls":[],"of":0}
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
async fn a_decision_gives_the_call_as_it_stands() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        let allowed = desk.types("allow call_1 --as user:ada --json").await;
        assert_snapshot!(laid_out(&allowed), @r#"
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "allowed",
          "arguments": {},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":1,"principal":"agent:builder","at":"[time]"},
          "request": {
            "seq": 2,
            "requestedAt": "[time]",
            "options": ["allow_once","allow_session","deny"],
            "reason": "no rule matches this call",
            "basis": "default",
            "quorum": 1,
            "denials": 1,
            "policy": "[sha256]"
          },
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "[time]",
            "seq": 3,
            "policy": "[sha256]"
          }
        }
        ! 
        exit 0
        "#);
        assert_eq!(desk.types("show call_1 --json").await.stdout, allowed.stdout);
        assert_snapshot!(laid_out(&desk.types("deny call_1 --as user:ben --json").await), @r#"
        ! {
          "code": "already_decided",
          "detail": "decided already: allow_once by user:ada at [time]",
          "hint": "`countersign show ID` shows the call and its events",
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "[time]",
            "seq": 3,
            "policy": "[sha256]"
          }
        }
        exit 3
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_verify_found_is_json() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(laid_out(&desk.types("verify --json").await), @r#"
        {
          "broken": null,
          "chainHolds": true,
          "events": 2,
          "holds": true,
          "inadmissible": [],
          "inadmissibleCount": 0,
          "indexHolds": true,
          "repaired": false,
          "tip": "[sha256]",
          "unsealed": 0
        }
        ! 
        exit 0
        "#);
    })
    .await;
}

/// What the command printed would stand between the lines of JSON, so that goes to stderr.
#[tokio::test]
async fn a_run_gives_the_call_as_it_ended() {
    at_a_desk(async |desk| {
        desk.writes("policy.toml", "default = \"allow\"");
        let ran =
            desk.types("run --as agent:builder --policy policy.toml --json --id call_1 -- echo hi").await;
        assert_snapshot!(laid_out(&ran), @r#"
        {
          "threadId": "terminal",
          "id": "call_1",
          "name": "bash",
          "state": "finished",
          "arguments": {"command":"echo hi","cwd":"[here]"},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":1,"principal":"agent:builder","at":"[time]"},
          "response": {
            "decision": "allow_once",
            "source": "policy",
            "principal": "policy:default",
            "at": "[time]",
            "seq": 2,
            "basis": "default",
            "policy": "[sha256]"
          },
          "execution": {
            "seq": 3,
            "executor": "[executor]",
            "principal": "agent:builder",
            "startedAt": "[time]",
            "leaseExpiresAt": "[time]"
          },
          "result": {
            "seq": 4,
            "status": "success",
            "content": {"exitCode":0,"output":"hi\n","outputBytes":3},
            "principal": "agent:builder",
            "at": "[time]"
          }
        }
        ! hi
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_goes_wrong_is_json_too() {
    at_a_desk(async |desk| {
        assert_snapshot!(laid_out(&desk.types("pending --json").await), @r#"

        ! {
          "code": "database_unavailable",
          "detail": "there is no database at countersign.db; `countersign serve` or `countersign run` creates one, --database names another",
          "reason": "missing"
        }
        exit 5
        "#);
        assert_snapshot!(laid_out(&desk.types("pending --json --server http://127.0.0.1:1").await), @r#"

        ! {
          "code": "unreachable",
          "detail": "no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server"
        }
        exit 5
        "#);
        desk.proposes("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(laid_out(&desk.types("show call_2 --json").await), @r#"
        ! {
          "code": "unknown_call",
          "detail": "no recent call has an id that begins with \"call_2\"; add --thread to find older calls",
          "hint": "`countersign pending` lists pending calls, `countersign calls` lists all calls"
        }
        exit 4
        "#);
        desk.writes("policy.toml", "default = \"maybe\"");
        assert_snapshot!(laid_out(&desk.types("run --json --policy policy.toml -- ls").await), @r#"
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
async fn a_run_that_was_denied_gives_the_call_and_no_more() {
    at_a_desk(async |desk| {
        desk.writes("policy.toml", "default = \"block\"");
        let ran =
            desk.types("run --as agent:builder --policy policy.toml --json --id call_1 -- echo hi").await;
        assert_snapshot!(laid_out(&ran), @r#"
        {
          "threadId": "terminal",
          "id": "call_1",
          "name": "bash",
          "state": "denied",
          "arguments": {"command":"echo hi","cwd":"[here]"},
          "argumentsHash": "[sha256]",
          "proposal": {"seq":1,"principal":"agent:builder","at":"[time]"},
          "response": {
            "decision": "deny",
            "source": "policy",
            "principal": "policy:default",
            "at": "[time]",
            "seq": 2,
            "basis": "default",
            "comment": "no rule matches this call",
            "policy": "[sha256]"
          },
          "result": {
            "seq": 3,
            "status": "denied",
            "content": "Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it.",
            "principal": "policy:default",
            "at": "[time]"
          }
        }
        ! 
        exit 77
        "#);
    })
    .await;
}
