//! `GET /v1/threads/{thread}/grants`, `DELETE /v1/threads/{thread}/grants/{seq}` and `POST /v1/threads/{thread}/grants/{seq}/prolong`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;
use std::time::Duration;

const GRANTS: &str = "/v1/threads/t/grants";

#[tokio::test]
async fn revoking_an_unknown_grant_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        assert_snapshot!(world.person("ada").delete(&format!("{GRANTS}/4")).await, @"404 unknown_grant: there is no grant 4 in this thread");
        assert_snapshot!(world.person("ada").delete(&format!("{GRANTS}/three")).await, @"422 invalid: grant: must be the seq of the event that gave it");
    })
    .await;
}

#[tokio::test]
async fn grant_answers_later_calls_until_it_is_revoked() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        builder.proposes("call_1").await;
        ada.allows_for_the_session("call_1").await;
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {
          "grants": [
            {
              "seq": 4,
              "tool": "bash",
              "principal": "user:ada",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "call_1",
              "decision": "allow_session",
              "scope": "tool",
              "says": "the whole tool",
              "agent": "agent:builder"
            }
          ],
          "next": null
        }
        "#);
        let granted = builder.proposes("call_2").await;
        assert_snapshot!(granted.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","basis":"default","decision":"allow_once","grant":4,"grantOrigin":{"at":"2026-01-31T12:00:00.000Z","decision":"allow_session","principal":"user:ada","says":"the whole tool","scope":"tool","toolCallId":"call_1"},"policy":"[hash:policy]","principal":"policy:grant","seq":6,"source":"grant"}"#);
        assert_eq!(builder.in_thread("t2").proposes("call_2").await.text("state"), "pending", "of another thread");
        assert_snapshot!(ada.delete(&format!("{GRANTS}/4")).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        assert_eq!(ada.delete(&format!("{GRANTS}/4")).await.status, 200, "a repeated revocation succeeds");
        let refused = builder.delete(&format!("{GRANTS}/4")).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (403, "not_permitted"));
        assert_eq!(builder.proposes("call_3").await.text("state"), "pending");
        assert_eq!(builder.get("/v1/threads/t/tool-calls/call_2").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn remembered_denial_is_listed_and_lifted() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        ada.denies("call_1").await;
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {
          "grants": [
            {
              "seq": 4,
              "tool": "bash",
              "principal": "user:ada",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "call_1",
              "decision": "deny",
              "scope": "exact",
              "says": "this exact call",
              "until": "2026-01-31T12:05:00.000Z"
            }
          ],
          "next": null
        }
        "#);
        let denied = builder.proposes("call_2").await;
        assert_snapshot!(denied.text("outcome"), @"It did not run: ada denied the same on the call call_1; a person can lift that denial, which is grant 4 of the thread.");
        assert_snapshot!(ada.delete(&format!("{GRANTS}/4")).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        assert_eq!(builder.proposes("call_3").await.text("state"), "pending");
        ada.denies("call_3").await;
        world.clock().advance(Duration::from_mins(5));
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
    })
    .await;
}

/// `policy:grant` alone does not say who allowed the call.
#[tokio::test]
async fn refused_decision_names_the_origin_of_the_grant() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        ada.allows_for_the_session("call_1").await;
        builder.proposes("call_2").await;
        let origin = r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_session","principal":"user:ada","says":"the whole tool","scope":"tool","toolCallId":"call_1"}"#;
        let denial = r#"{"decision":"deny"}"#;
        let refused = ada.post("/v1/threads/t/approvals/call_2", denial).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "already_decided"));
        let response = refused.shown("response");
        assert!(response.contains(&format!(r#""grantOrigin":{origin}"#)), "{response}");
        let detail = refused.text("detail");
        assert!(detail.ends_with("; user:ada gave this answer at 2026-01-31T12:00:00.000Z: allow_session on call_1"), "{detail}");
        let several = r#"{"decisions":[{"threadId":"t","id":"call_2","decision":"deny"}]}"#;
        let refused = ada.post("/v1/approvals/decide", several).await.to_string();
        assert!(refused.contains(r#""grantOrigin""#) && refused.contains(r#""says": "the whole tool""#), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn closed_thread_has_no_grants() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows_for_the_session("call_1").await;
        world.agent("builder").post("/v1/threads/t/close", "{}").await;
        assert_snapshot!(world.person("ada").get(GRANTS).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
    })
    .await;
}

#[tokio::test]
async fn grant_pages_continue_until_next_is_null() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        // All calls are proposed before the first grant, so that each decision creates its own grant.
        for id in ["a", "b", "c"] {
            builder.proposes(id).await;
        }
        for id in ["a", "b", "c"] {
            ada.allows_for_the_session(id).await;
        }
        let (mut seqs, mut after) = (Vec::new(), "0".to_owned());
        while after != "null" {
            let page = ada.get(&format!("{GRANTS}?limit=2&after={after}")).await;
            let grants: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("grants")).expect("grants");
            seqs.extend(grants.iter().filter_map(|grant| grant["seq"].as_i64()));
            after = page.member("next");
        }
        assert_eq!(seqs, [8, 9, 10]);
        assert_eq!(ada.get(&format!("{GRANTS}?after=x")).await.text("code"), "invalid");
        assert_eq!(ada.get(&format!("{GRANTS}?tool=bash")).await.text("code"), "invalid");
    })
    .await;
}

#[tokio::test]
async fn grant_ends_at_its_limits() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let session = r#"{"decision":"allow_session","scope":"tool","expiresInSeconds":60,"uses":2}"#;
        let decided = ada.post("/v1/threads/t/approvals/call_1", session).await;
        let response: serde_json::Value = serde_json::from_str(&decided.member("response")).expect("JSON");
        assert_eq!(
            (&response["expiresAt"], &response["uses"]),
            (&"2026-01-31T12:01:00.000Z".into(), &2.into())
        );
        assert_eq!(builder.proposes("call_2").await.text("state"), "allowed");
        let listed = ada.get(GRANTS).await.to_string();
        assert!(listed.contains(r#""until": "2026-01-31T12:01:00.000Z""#), "{listed}");
        assert!(listed.contains(r#""uses": 2"#) && listed.contains(r#""used": 1"#), "{listed}");
        let mut ends = ada.streams("/v1/events?type=GRANT_ENDED", Some("0")).await;
        world.clock().advance(Duration::from_mins(1));
        assert_eq!(builder.proposes("call_3").await.text("state"), "pending");
        assert_eq!(ends.data().await.expect("an event")["type"], "GRANT_ENDED");
        let ended = ada.get(&format!("{GRANTS}?all=true")).await.json();
        let end = &ended["grants"][0]["end"];
        assert_eq!(
            (&end["cause"], &end["principal"]),
            (&"expired".into(), &"system:expiry".into()),
            "{ended}"
        );
        assert!(!ada.get(GRANTS).await.to_string().contains("until"), "it is not active");
    })
    .await;
}

#[tokio::test]
async fn person_prolongs_a_grant() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let session = r#"{"decision":"allow_session","scope":"tool","expiresInSeconds":60}"#;
        ada.post("/v1/threads/t/approvals/call_1", session).await;
        let prolong = format!("{GRANTS}/4/prolong");
        let prolonged = ada.post(&prolong, r#"{"expiresInSeconds":3600,"uses":1}"#).await.to_string();
        assert!(prolonged.contains(r#""until": "2026-01-31T13:00:00.000Z""#), "{prolonged}");
        world.clock().advance(Duration::from_mins(30));
        assert_eq!(builder.proposes("call_2").await.text("state"), "allowed");
        assert_snapshot!(ada.post(&prolong, "{}").await, @"409 grant_ended: grant 4 has ended; give another one on the next call");
        assert_snapshot!(ada.post(&format!("{GRANTS}/9/prolong"), "{}").await, @"404 unknown_grant: there is no grant 9 in this thread");
        let none = ada.post(&prolong, r#"{"uses":0}"#).await;
        assert_eq!((none.status, none.text("code").as_str()), (422, "invalid"));
        assert!(none.text("detail").starts_with("uses: give 1 to 1,000 calls, or leave it out"));
        let unknown = ada.post(&prolong, r#"{"hours":1}"#).await;
        assert_eq!((unknown.status, unknown.text("code").as_str()), (422, "invalid"));
        let refused = builder.post(&prolong, "{}").await;
        assert_eq!((refused.status, refused.text("code").as_str()), (403, "not_permitted"));
        let ended = ada.get(&format!("{GRANTS}?all=true")).await.json();
        assert_eq!(ended["grants"][0]["end"]["cause"], "used_up", "{ended}");
    })
    .await;
}

#[tokio::test]
async fn preview_counts_no_more_calls_than_uses() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["a", "b", "c", "d"] {
            builder.proposes(id).await;
        }
        let preview = ada.post("/v1/threads/t/tool-calls/a/scope", r#"{"scope":"tool","uses":2}"#).await;
        let waiting: serde_json::Value = serde_json::from_str(&preview.member("waiting")).expect("JSON");
        assert_eq!(waiting["allows"], serde_json::json!(["b", "c"]));
    })
    .await;
}
