//! `GET /v1/threads/{thread}/grants` and `DELETE /v1/threads/{thread}/grants/{seq}`

use crate::ASK;
use countersign_tests::api::story;
use insta::assert_snapshot;

const GRANTS: &str = "/v1/threads/t1/grants";

#[tokio::test]
async fn what_gave_no_grant_cannot_be_revoked() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        assert_snapshot!(town.person("ada").delete(&format!("{GRANTS}/3")).await, @r#"
        404
        {
          "title": "Not Found",
          "status": 404,
          "code": "unknown_grant",
          "detail": "there is no grant 3 in this thread"
        }
        "#);
        assert_snapshot!(town.person("ada").delete(&format!("{GRANTS}/three")).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "grant: must be the seq of the event that gave it"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_grant_answers_later_calls_until_it_is_revoked() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        builder.proposes("t1", "call_1").await;
        ada.decides("t1", "call_1", "allow_session").await;
        assert_snapshot!(ada.get(GRANTS).await, @r#"
        200
        {
          "grants": [
            {
              "seq": 3,
              "tool": "bash",
              "principal": "user:ada",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "call_1",
              "decision": "allow_session",
              "match": "tool",
              "says": "the whole tool"
            }
          ],
          "next": null
        }
        "#);
        let granted = builder.proposes("t1", "call_2").await;
        assert_snapshot!(granted.member("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","basis":"default","decision":"allow_once","grant":3,"policy":"4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51","principal":"policy:grant","seq":5,"source":"grant"}"#);
        assert_eq!(builder.proposes("t2", "call_2").await.text("state"), "pending", "of another thread");
        assert_snapshot!(ada.delete(&format!("{GRANTS}/3")).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
        assert_eq!(ada.delete(&format!("{GRANTS}/3")).await.status, 200, "once more is no harm");
        let refused = builder.delete(&format!("{GRANTS}/3")).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (403, "not_an_approver"));
        assert_eq!(builder.proposes("t1", "call_3").await.text("state"), "pending");
        assert_eq!(builder.get("/v1/threads/t1/tool-calls/call_2").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn a_closed_thread_has_no_grants() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_session").await;
        town.agent("builder").post("/v1/threads/t1/close", "{}").await;
        assert_snapshot!(town.person("ada").get(GRANTS).await, @r#"
        200
        {"grants":[],"next":null}
        "#);
    })
    .await;
}

#[tokio::test]
async fn pages_of_grants_follow_one_another() {
    story(ASK, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        // Asked before the first of them is granted, so that each is granted by itself.
        for id in ["a", "b", "c"] {
            builder.proposes("t1", id).await;
        }
        for id in ["a", "b", "c"] {
            ada.decides("t1", id, "allow_session").await;
        }
        let (mut seqs, mut after) = (Vec::new(), "0".to_owned());
        while after != "null" {
            let page = ada.get(&format!("{GRANTS}?limit=2&after={after}")).await;
            let grants: Vec<serde_json::Value> =
                serde_json::from_str(&page.member("grants")).expect("grants");
            seqs.extend(grants.iter().filter_map(|grant| grant["seq"].as_i64()));
            after = page.member("next");
        }
        assert_eq!(seqs, [7, 8, 9]);
        assert_eq!(ada.get(&format!("{GRANTS}?after=x")).await.text("code"), "invalid");
        assert_eq!(ada.get(&format!("{GRANTS}?tool=bash")).await.text("code"), "invalid");
    })
    .await;
}
