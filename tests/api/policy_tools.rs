//! `GET /v1/policy/rules`, `POST /v1/policy/check`, `POST /v1/policy/replay` and `GET /v1/policy/suggestions`

use crate::ASK;
use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};

const NO_PUSH: &str = "[[rule]]\nname = \"no pushes\"\ntool = \"bash\"\ncommand = \"git push **\"\nverdict = \"block\"\nreason = \"shared\"\n";

fn sample(command: &str) -> Value {
    json!({"threadId": "t", "principal": "agent:builder", "name": "bash", "arguments": {"command": command}})
}

#[tokio::test]
async fn rules_in_force_have_file_and_line() {
    over_http(NO_PUSH, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/policy/rules").await, @r#"
        200
        {
          "policy": "[hash:policy]",
          "default": "ask",
          "rules": [
            {
              "rule": "no pushes",
              "line": 2,
              "verdict": "block",
              "reason": "shared",
              "shadow": false,
              "zone": false,
              "managed": false
            }
          ],
          "warnings": []
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn sample_call_is_judged_and_not_recorded() {
    over_http(NO_PUSH, async |world| {
        let ada = world.person("ada");
        let tip = ada.get("/v1/events?limit=1").await.member("tip");
        assert_snapshot!(ada.post("/v1/policy/check", sample("git push origin").to_string()).await, @r#"
        200
        {
          "verdict": "block",
          "basis": "rule",
          "rule": "no pushes",
          "reason": "shared",
          "terms": {
            "expires": null,
            "onExpiry": "deny",
            "level": null,
            "defaultLevel": null,
            "quorum": 1,
            "denials": 1,
            "approvers": [],
            "remindAfter": null,
            "escalateAfter": null,
            "escalateTo": null
          },
          "matched": [
            {
              "rule": "no pushes",
              "verdict": "block",
              "why": "tool `bash` matches, command `git push **` matches",
              "shadow": false
            }
          ],
          "shadow": [],
          "policy": "[hash:policy]"
        }
        "#);
        let mut candidate = sample("git push origin");
        candidate["policy"] = json!({"text": "default = \"allow\""});
        let judged = ada.post("/v1/policy/check", candidate.to_string()).await;
        assert_eq!(
            (judged.text("verdict"), judged.text("basis")),
            ("allow".to_owned(), "default".to_owned())
        );
        assert_eq!(ada.get("/v1/events?limit=1").await.member("tip"), tip, "nothing was written");
        candidate["policy"] = json!({"text": "default = \"ask\"\n[[rule]]\nname = \"no shell\"\ntool = \"bash\"\nverdict = \"block\"\n[[rule]]\nname = \"listing\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n"});
        assert_snapshot!(ada.post("/v1/policy/check", candidate.to_string()).await.member("warnings"), @r#"[{"column":8,"line":7,"neverMatches":false,"text":"rule \"listing\" never decides: rule \"no shell\" blocks every call that it matches, and the strictest wins; narrow \"no shell\", or exclude calls from it with `unless`"}]"#);
        candidate["policy"] = json!({"text": "default = \"perhaps\""});
        assert_snapshot!(ada.post("/v1/policy/check", candidate.to_string()).await, @r#"422 invalid: policy: the policy is invalid at line 1, column 11: unknown verdict "perhaps"; expected one of `allow`, `ask`, `block`"#);
        candidate["policy"] = json!({"text": "", "source": "x"});
        assert_snapshot!(ada.post("/v1/policy/check", candidate.to_string()).await, @"
        422 invalid: unknown field `source`, expected `text` or `layers` at line 1 column 75
        column: 75
        line: 1
        ");
    })
    .await;
}

/// Two calls that a person answered: one allowed, one denied.
async fn decide_two(world: &HttpWorld) {
    let (builder, ada) = (world.agent("builder"), world.person("ada"));
    builder.proposes("allowed").await;
    ada.allows("allowed").await;
    builder.proposes_unlike_others("denied").await;
    ada.denies("denied").await;
}

#[tokio::test]
async fn replay_lists_calls_with_another_verdict() {
    over_http(ASK, async |world| {
        decide_two(world).await;
        let replay = json!({"policy": {"text": "default = \"allow\""}}).to_string();
        assert_snapshot!(world.person("ada").post("/v1/policy/replay", replay).await, @r#"
        200
        {
          "log": {"complete":true,"fromSeq":1,"throughSeq":8,"unreadable":0},
          "policy": "43ad9e68cc3d0de4fa7845d63c303f55241efb771903ea11e773384e9ebf46bb",
          "calls": 2,
          "masked": 0,
          "unsettled": 0,
          "then": {"asked":2,"allowed":0,"blocked":0,"answered":0},
          "now": {"asked":0,"allowed":2,"blocked":0,"answered":0},
          "unchanged": 0,
          "saved": {"allowed":2,"blocked":0},
          "added": 0,
          "allowedThoughDenied": {
            "count": 1,
            "calls": [
              {
                "seq": 5,
                "threadId": "t",
                "id": "denied",
                "name": "bash",
                "arguments": {"command":"make denied"},
                "principal": "agent:builder",
                "at": "2026-01-31T12:00:00.000Z",
                "then": {"by":"user:ada","source":"approver","denied":true},
                "now": {"verdict":"allow","basis":"default","reason":"no rule matches this call"}
              }
            ]
          },
          "blockedThoughRun": {"count":0,"calls":[]},
          "askedThoughRun": {"count":0,"calls":[]},
          "askedOtherwise": {"count":0,"calls":[]},
          "rules": [{"basis":"default","verdict":"allow","calls":2}],
          "shadow": []
        }
        "#);
        let unchanged = world.person("ada").post("/v1/policy/replay", "{}").await;
        assert_eq!(
            (unchanged.member("calls"), unchanged.member("unchanged")),
            ("2".to_owned(), "2".to_owned())
        );
    })
    .await;
}

#[tokio::test]
async fn lists_of_replay_are_paged() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c"] {
            builder.proposes_unlike_others(id).await;
            ada.denies(id).await;
        }
        let page = async |after: i64, limit: usize| {
            let body = json!({"policy": {"text": "default = \"allow\""}, "after": after, "limit": limit});
            ada.post("/v1/policy/replay", body.to_string()).await
        };
        let list = page(0, 2).await.json()["allowedThoughDenied"].clone();
        assert_eq!(
            (&list["count"], &list["calls"][1]["id"], &list["calls"][2]),
            (&json!(3), &json!("b"), &Value::Null)
        );
        let cursor = list["calls"][1]["seq"].as_i64().expect("a number");
        assert_eq!(page(cursor, 2).await.json()["allowedThoughDenied"]["calls"][0]["id"], json!("c"));
        assert_snapshot!(page(0, 0).await, @"422 invalid: limit: it must be from 1 to 1000");
        assert_snapshot!(page(0, 1_001).await, @"422 invalid: limit: it must be from 1 to 1000");
    })
    .await;
}

#[tokio::test]
async fn suggested_rule_is_not_suggested_after_acceptance() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for thread in 0..10 {
            let thread = format!("t{thread}");
            builder.in_thread(&thread).proposes("a").await;
            ada.in_thread(&thread).allows("a").await;
        }
        let suggested = ada.get("/v1/policy/suggestions?atLeast=10").await;
        assert_snapshot!(suggested, @r#"
        200
        {
          "log": {"complete":true,"fromSeq":1,"throughSeq":31,"unreadable":0},
          "atLeast": 10,
          "prompts": 10,
          "saved": 10,
          "skipped": {
            "askedOnPurpose": 0,
            "askedByThread": 0,
            "settled": 0,
            "masked": 0,
            "dangerous": 0,
            "denied": 0,
            "notAllowed": 0
          },
          "rules": [
            {
              "name": "suggested: bash, command \"ls\"",
              "tool": "bash",
              "toml": "[[rule]] # 10 prompts in 10 threads, 1 different, allowed by user:ada\nname = \"suggested: bash, command \\\"ls\\\"\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\nargs = { \"\" = { size = { eq = 1 } }, \"/command\" = { eq = \"ls\" } }\nverdict = \"allow\"\n",
              "prompts": 10,
              "saves": 10,
              "arguments": 1,
              "threads": 10,
              "people": ["user:ada"],
              "proposers": ["agent:builder"],
              "first": "2026-01-31T12:00:00.000Z",
              "last": "2026-01-31T12:00:00.000Z",
              "nearMisses": 0,
              "suchAs": []
            }
          ],
          "moreRules": 0,
          "moreSaves": 0
        }
        "#);
        let hash = ada.get("/v1/policy").await.text("hash");
        let rule = suggested.json()["rules"][0]["toml"].clone();
        let accepted =
            ada.post("/v1/policy/managed-rules", json!({"rule": rule, "replaces": hash}).to_string()).await;
        assert_eq!(accepted.status, 200, "{accepted}");
        assert_eq!(builder.in_thread("new").proposes("a").await.text("state"), "allowed");
        let again = ada.get("/v1/policy/suggestions?atLeast=10").await;
        assert_eq!(
            (again.member("rules"), again.member("skipped.settled")),
            ("[]".to_owned(), "10".to_owned())
        );
        assert_snapshot!(ada.get("/v1/policy/suggestions?atLeast=1").await, @r#"
        422 invalid: atLeast must be a number from 2 to 1000000, not "1"
        parameter: "atLeast"
        "#);
    })
    .await;
}
