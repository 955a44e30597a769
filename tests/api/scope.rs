//! `POST /v1/threads/{thread}/tool-calls/{id}/scope`

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const SCOPE: &str = "/v1/threads/t/tool-calls/call_1/scope";

#[tokio::test]
async fn scope_preview_of_an_unknown_call_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").post(SCOPE, r#"{"scope":"tool"}"#).await, @"404 unknown_call: thread t has no call call_1");
    })
    .await;
}

#[tokio::test]
async fn invalid_scope_is_refused_with_its_reason() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        assert_snapshot!(ada.post(SCOPE, "{}").await, @"
        422 invalid: missing field `scope` at line 1 column 2
        column: 2
        line: 1
        ");
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":"once"}"#).await, @r#"422 invalid: scope: a scope is "exact", "tool" or a pattern such as {"command": "git status **"}"#);
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":{"command":""}}"#).await, @"422 invalid: scope: the pattern `` is empty and would match nothing: write `*` for everything");
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":{"url":"ftp"}}"#).await, @"422 invalid: scope: the pattern `ftp` needs a scheme in lower case, as in `https://example.com/*` (http, https, ws, wss, ftp)");
    })
    .await;
}

#[tokio::test]
async fn duplicate_or_oversized_scope_is_refused() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":{"command":"ls","command":"rm"}}"#).await, @r#"422 invalid: scope: an object repeats the key "command" (at byte 16)"#);
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":"tool","limit":5}"#).await, @"
        422 invalid: unknown field `limit`, expected one of `scope`, `agents`, `uses`, `level` at line 1 column 23
        column: 23
        line: 1
        ");
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":7}"#).await, @r#"422 invalid: scope: a scope is "exact", "tool" or a pattern such as {"command": "git status **"}"#);
    })
    .await;
}

#[tokio::test]
async fn custom_pattern_is_previewed_before_it_is_chosen() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for (id, command) in
            [("a", "ls -l"), ("b", "ls -l; rm -rf /"), ("c", "npm test"), ("call_1", "ls -a")]
        {
            let call = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"{command}"}}}}"#);
            builder.post("/v1/threads/t/tool-calls", &call).await;
        }
        for id in ["a", "b", "c"] {
            ada.allows(id).await;
        }
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":{"command":"ls **"}}"#).await, @r#"
        200
        {
          "scope": {"command":"ls **"},
          "description": "command `ls **`",
          "earlier": {"compared":3,"allows":1,"denies":2,"masked":0,"calls":["b","a"]},
          "waiting": {"allows":[],"denies":[]}
        }
        "#);
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":{"command":"npm *"}}"#).await, @r#"
        200
        {
          "scope": {"command":"npm *"},
          "description": "command `npm *`",
          "earlier": {"compared":3,"allows":1,"denies":1,"masked":0,"calls":["c"]},
          "waiting": {"allows":[],"denies":[]}
        }
        "#);
        assert_snapshot!(ada.post(SCOPE, r#"{"scope":"exact"}"#).await, @r#"
        200
        {
          "scope": "exact",
          "description": "this exact call",
          "earlier": {"compared":3,"allows":0,"denies":0,"masked":0,"calls":[]},
          "waiting": {"allows":[],"denies":[]}
        }
        "#);
        assert_eq!(ada.get("/v1/threads/t").await.member("lastSeq"), "12", "nothing was written");
    })
    .await;
}
