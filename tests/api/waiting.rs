//! A remembered decision that also decides calls that wait (`andWaiting`).

use crate::ASK;
use countersign_tests::{Persona, ToServer, over_http};
use insta::assert_snapshot;

const CALLS: &str = "/v1/threads/t/tool-calls";
const BULK: &str = "/v1/approvals/decide";

fn decide(id: &str) -> String {
    format!("/v1/threads/t/approvals/{id}")
}

/// Proposes a command that must be asked about.
async fn waits(agent: &Persona<ToServer>, id: &str, command: &str) {
    let call = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"{command}"}}}}"#);
    assert_eq!(agent.post(CALLS, &call).await.text("state"), "pending", "{id}");
}

#[tokio::test]
async fn waiting_without_a_scope_is_refused() {
    over_http(ASK, async |world| {
        waits(&world.agent("builder"), "a", "git status").await;
        let ada = world.person("ada");
        for decision in ["allow_once", "deny"] {
            let body = format!(r#"{{"decision":"{decision}","andWaiting":true}}"#);
            let refused = ada.post(&decide("a"), &body).await;
            assert_eq!((refused.status, refused.text("code").as_str()), (422, "invalid"), "{refused}");
            assert!(refused.text("detail").starts_with("andWaiting: "), "{refused}");
        }
    })
    .await;
}

#[tokio::test]
async fn session_grant_allows_the_calls_that_wait() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        waits(&builder, "a", "git status").await;
        ada.allows("a").await;
        for (id, command) in [("b", "git status -s"), ("c", "git status -b"), ("d", "npm test")] {
            waits(&builder, id, command).await;
        }
        waits(&world.agent("other"), "e", "git status").await;
        let scope = r#"{"command":"git status **"}"#;
        let preview = async |more: &str| {
            let body = format!(r#"{{"scope":{scope}{more}}}"#);
            ada.post(&format!("{CALLS}/b/scope"), &body).await
        };
        assert_snapshot!(preview("").await, @r#"
        200
        {
          "scope": {"command":"git status **"},
          "description": "command `git status **`",
          "earlier": {"compared":1,"allows":1,"denies":1,"masked":0,"calls":["a"]},
          "waiting": {"allows":["c"],"denies":["c","e"]}
        }
        "#);
        assert_eq!(preview(r#","agents":"any""#).await.member("waiting"), r#"{"allows":["c","e"],"denies":["c","e"]}"#);
        let body = format!(r#"{{"decision":"allow_session","scope":{scope},"andWaiting":true}}"#);
        let decided = ada.post(&decide("b"), &body).await;
        assert_eq!((decided.text("state").as_str(), decided.member("alsoDecided").as_str()), ("allowed", r#"["c"]"#));
        let released = ada.get(&format!("{CALLS}/c")).await;
        assert_snapshot!(released.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","grant":13,"grantOrigin":{"at":"2026-01-31T12:00:00.000Z","decision":"allow_session","principal":"user:ada","says":"command `git status **`","scope":{"command":"git status **"},"toolCallId":"b"},"policy":"[hash:policy]","principal":"policy:grant","seq":14,"source":"grant"}"#);
        for id in ["d", "e"] {
            assert_eq!(ada.get(&format!("{CALLS}/{id}")).await.text("state"), "pending", "{id}");
        }
        let again = ada.post(&decide("b"), &body).await;
        assert_eq!(again.status, 200, "a repeat succeeds and changes nothing");
        ada.delete("/v1/threads/t/grants/13").await;
        let hash = released.member("argumentsHash");
        let claim = format!(r#"{{"executor":"w","argumentsHash":{hash}}}"#);
        assert_eq!(builder.post(&format!("{CALLS}/c/claim"), &claim).await.text("code"), "blocked");
    })
    .await;
}

#[tokio::test]
async fn remembered_denial_denies_the_calls_that_wait() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (id, command) in [("a", "rm -r build"), ("b", "cd x && rm -r y"), ("c", "ls")] {
            waits(&builder, id, command).await;
        }
        let denial = r#"{"threadId":"t","id":"a","decision":"deny","scope":{"command":"rm **"},"comment":"no","andWaiting":true}"#;
        let answer = ada.post(BULK, &format!(r#"{{"decisions":[{denial}]}}"#)).await;
        assert!(answer.body.contains(r#""alsoDecided":["b"]"#), "{}", answer.body);
        let result = ada.get(&format!("{CALLS}/b")).await.shown("result");
        assert!(result.contains("because user:ada denied it at"), "{result}");
        assert_eq!(ada.get(&format!("{CALLS}/c")).await.text("state"), "pending");
        let metrics = ada.get("/metrics").await.body;
        assert!(metrics.contains(r#"decision="deny",source="grant"} 1"#), "{metrics}");
    })
    .await;
}

#[tokio::test]
async fn newer_policy_judges_the_calls_that_wait() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (id, command) in [("a", "git status"), ("b", "git push"), ("c", "git log")] {
            waits(&builder, id, command).await;
        }
        let rule = "[[rule]]\nname = \"push\"\ntool = \"bash\"\ncommand = \"git push **\"\nverdict = \"ask\"\nquorum = 2\n";
        world.apply_policy(rule).await;
        let preview = ada.post(&format!("{CALLS}/a/scope"), r#"{"scope":"tool"}"#).await;
        assert_eq!(preview.member("waiting"), r#"{"allows":["c"],"denies":["b","c"]}"#);
        let body = r#"{"decision":"allow_session","scope":"tool","andWaiting":true}"#;
        assert_eq!(ada.post(&decide("a"), body).await.member("alsoDecided"), r#"["c"]"#);
    })
    .await;
}
