//! A decision's scope: the field `scope` of a decision, and the `scopes` that a request offers.

use crate::ASK;
use countersign_tests::{Persona, ToServer, over_http};
use insta::assert_snapshot;
use serde_json::Value;

const CALLS: &str = "/v1/threads/t/tool-calls";
const GRANTS: &str = "/v1/threads/t/grants";

fn decide(id: &str) -> String {
    format!("/v1/threads/t/approvals/{id}")
}

/// Proposes a command, and returns the call's state.
async fn runs(agent: &Persona<ToServer>, id: &str, command: &str) -> String {
    let call = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"{command}"}}}}"#);
    agent.post(CALLS, &call).await.text("state")
}

#[tokio::test]
async fn invalid_scope_of_a_decision_is_refused() {
    over_http(ASK, async |world| {
        let ada = world.person("ada");
        runs(&world.agent("builder"), "a", "git status").await;
        let at = |scope: &str| format!(r#"{{"decision":"allow_session","scope":{scope}}}"#);
        assert_snapshot!(ada.post(&decide("a"), &at("\"wide\"")).await, @r#"422 invalid: scope: a scope is "exact", "tool" or a pattern such as {"command": "git status **"}"#);
        assert_snapshot!(ada.post(&decide("a"), &at("{}")).await, @"422 invalid: scope: a pattern needs `command`, `url`, `path` or `args`");
        assert_snapshot!(ada.post(&decide("a"), &at(r#"{"comand":"git *"}"#)).await, @"422 invalid: scope: a pattern has no key `comand`; did you mean `command`?");
        assert_snapshot!(ada.post(&decide("a"), &at(r#"{"command":"npm *"}"#)).await, @"422 invalid: scope: the pattern does not match the call that it is decided on");
        let once = r#"{"decision":"allow_once","scope":"exact"}"#;
        assert_snapshot!(ada.post(&decide("a"), once).await, @"422 invalid: scope: only allow_session and deny are remembered; leave it out");
        assert_eq!(ada.get(GRANTS).await.member("grants"), "[]");
    })
    .await;
}

#[tokio::test]
async fn request_offers_scopes_that_previews_explain() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (id, command) in
            [("a", "git status"), ("b", "git status -s"), ("c", "git status && rm -rf /"), ("d", "npm test")]
        {
            runs(&builder, id, command).await;
        }
        builder.post(CALLS, r#"{"id":"e","name":"mail","arguments":{"to":"ada"}}"#).await;
        builder.in_thread("t2").proposes("a").await;
        runs(&builder, "f", "git status").await;
        let shown = ada.get(&format!("{CALLS}/f")).await;
        let request: Value = serde_json::from_str(&shown.member("request")).expect("a request");
        assert_eq!(request["similarOperationsCount"], 4);
        assert_snapshot!(serde_json::to_string_pretty(&request["scopes"]).expect("JSON"), @r#"
        [
          {
            "says": "this exact call",
            "scope": "exact"
          },
          {
            "says": "command `git status **`",
            "scope": {
              "command": "git status **"
            }
          },
          {
            "says": "the whole tool",
            "scope": "tool"
          }
        ]
        "#);
        for path in ["/v1/approvals/pending", "/v1/threads/t/approvals/pending"] {
            let listed: Vec<Value> =
                serde_json::from_str(&ada.get(path).await.member("pending")).expect("calls");
            let last = listed.iter().find(|call| call["id"] == "f").expect("listed");
            assert_eq!(last["request"], request, "{path}");
        }
        let all: Value = serde_json::from_str(&ada.get(CALLS).await.member("calls")).expect("calls");
        assert_eq!(all[0]["request"]["scopes"], Value::Null, "only a request has scopes");
    })
    .await;
}

#[tokio::test]
async fn exact_scope_allows_only_the_same_arguments() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        runs(&builder, "a", "git status").await;
        let exact = r#"{"decision":"allow_session","scope":"exact","comment":"harmless"}"#;
        assert_snapshot!(ada.post(&decide("a"), exact).await.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","comment":"harmless","decision":"allow_session","policy":"[hash:policy]","principal":"user:ada","scope":"exact","seq":4,"source":"approver"}"#);
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {
          "grants": [
            {
              "seq": 4,
              "tool": "bash",
              "principal": "user:ada",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "a",
              "decision": "allow_session",
              "scope": "exact",
              "says": "this exact call",
              "agent": "agent:builder",
              "comment": "harmless"
            }
          ],
          "next": null
        }
        "#);
        assert_eq!(runs(&builder, "b", "git status").await, "allowed");
        assert_eq!(runs(&builder, "c", "git status -s").await, "pending");
        let wider = r#"{"decision":"allow_session","scope":"tool"}"#;
        assert_eq!(
            ada.post(&decide("a"), wider).await.text("code"),
            "already_decided",
            "the scope is part of the decision"
        );
    })
    .await;
}

#[tokio::test]
async fn pattern_scope_allows_only_what_it_shows() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        runs(&builder, "a", "git status -s").await;
        let pattern = r#"{"decision":"allow_session","scope":{"command":"git status **"}}"#;
        assert_eq!(ada.post(&decide("a"), pattern).await.text("state"), "allowed");
        let grants: Value = serde_json::from_str(&ada.get(GRANTS).await.member("grants")).expect("grants");
        assert_snapshot!(grants[0]["match"], @"null");
        assert_snapshot!(grants[0]["says"], @r#""command `git status **`""#);
        assert_eq!(runs(&builder, "b", "git status --short").await, "allowed");
        assert_eq!(runs(&builder, "c", "git status -s; rm -rf /").await, "pending");
        assert_eq!(runs(&builder, "d", "git push").await, "pending");
        let other = r#"{"id":"e","name":"zsh","arguments":{"command":"git status -s"}}"#;
        assert_eq!(builder.post(CALLS, other).await.text("state"), "pending", "of another tool");
        builder.in_thread("t2").proposes("f").await;
        let elsewhere = builder.get("/v1/threads/t2/tool-calls/f").await;
        assert_eq!(elsewhere.text("state"), "pending", "of another thread");
    })
    .await;
}

#[tokio::test]
async fn denial_scope_answers_until_it_is_revoked() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        runs(&builder, "a", "rm -r build").await;
        let never = r#"{"decision":"deny","scope":{"command":"rm *"},"comment":"nothing is removed here"}"#;
        assert_eq!(ada.post(&decide("a"), never).await.text("state"), "denied");
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {
          "grants": [
            {
              "seq": 4,
              "tool": "bash",
              "principal": "user:ada",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "a",
              "decision": "deny",
              "scope": {"command":"rm *"},
              "says": "command `rm *`",
              "comment": "nothing is removed here"
            }
          ],
          "next": null
        }
        "#);
        let call = r#"{"id":"b","name":"bash","arguments":{"command":"cd build; rm -r *"}}"#;
        let again = builder.post(CALLS, call).await;
        assert_snapshot!(again.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","basis":"default","comment":"user:ada denied it at 2026-01-31T12:00:00.000Z: nothing is removed here","decision":"deny","grant":4,"grantOrigin":{"at":"2026-01-31T12:00:00.000Z","decision":"deny","principal":"user:ada","says":"command `rm *`","scope":{"command":"rm *"},"toolCallId":"a"},"policy":"[hash:policy]","principal":"policy:grant","seq":7,"source":"grant"}"#);
        assert_snapshot!(again.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Denied without asking again, because user:ada denied it at 2026-01-31T12:00:00.000Z: nothing is removed here (do not retry this call unchanged)","principal":"policy:grant","seq":8,"status":"denied"}"#);
        assert_eq!(runs(&builder, "c", "ls build").await, "pending");
        assert_snapshot!(ada.delete(&format!("{GRANTS}/4")).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        assert_eq!(runs(&builder, "d", "rm -r build/debug").await, "pending");
    })
    .await;
}

#[tokio::test]
async fn pattern_preview_counts_masked_calls_apart() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let masked = r#"{"id":"a","name":"bash","arguments":{"command":"git status","password":"hunter2"}}"#;
        let masked_command =
            r#"{"id":"b","name":"bash","arguments":{"command":"git log --password=hunter2"}}"#;
        for call in [masked, masked_command] {
            builder.post(CALLS, call).await;
        }
        for (id, command) in [("c", "git status"), ("d", "git status -s")] {
            runs(&builder, id, command).await;
        }
        for id in ["a", "b", "c"] {
            ada.allows(id).await;
        }
        let preview = async |scope: &str| {
            ada.post(&format!("{CALLS}/d/scope"), &format!(r#"{{"scope":{scope}}}"#)).await
        };
        assert_snapshot!(preview(r#"{"command":"git status **"}"#).await, @r#"
        200
        {
          "scope": {"command":"git status **"},
          "description": "command `git status **`",
          "earlier": {"compared":3,"allows":1,"denies":1,"masked":2,"calls":["c"]},
          "waiting": {"allows":[],"denies":[]}
        }
        "#);
        assert_snapshot!(preview("\"tool\"").await, @r#"
        200
        {
          "scope": "tool",
          "description": "the whole tool",
          "earlier": {"compared":3,"allows":3,"denies":3,"masked":0,"calls":["c","b","a"]},
          "waiting": {"allows":[],"denies":[]}
        }
        "#);
    })
    .await;
}
