//! Bodies that the server refuses before it handles the request.

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use insta::assert_snapshot;
use reqwest::Method;

const CALLS: &str = "/v1/threads/t/tool-calls";

#[tokio::test]
async fn body_without_json_content_type_is_refused() {
    over_http(ASK, async |world| {
        let request = world.agent("builder").request(Method::POST, CALLS);
        assert_snapshot!(HttpAnswer::to(request.header("content-type", "text/plain").body("{}")).await, @r#"415 not_json: the body must be application/json, and the header content-type is "text/plain""#);
        let request = world.agent("builder").request(Method::POST, CALLS);
        assert_snapshot!(HttpAnswer::to(request).await, @"415 not_json: the body must be application/json, and the header content-type is missing");
    })
    .await;
}

#[tokio::test]
async fn content_type_with_charset_is_accepted() {
    over_http(ASK, async |world| {
        world.agent("builder").proposes("call_1").await;
        let request = world.agent("builder").request(Method::POST, "/v1/threads/t/close");
        let answer =
            HttpAnswer::to(request.header("content-type", "Application/JSON; charset=utf-8").body("{}"))
                .await;
        assert_eq!(answer.status, 200, "{answer}");
    })
    .await;
}

#[tokio::test]
async fn malformed_json_is_refused_with_its_position() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(CALLS, "{\"id\": \"call_1\",\n oops}").await, @r"
        400 bad_json: the body is not JSON: key must be a string at line 2 column 2
        column: 2
        line: 2
        ");
        assert_snapshot!(builder.post(CALLS, "{\"id\": \"call_1\"").await, @r"
        400 bad_json: the body is not JSON: EOF while parsing an object at line 1 column 15
        column: 15
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, "{} {}").await, @r"
        422 invalid: missing field `id` at line 1 column 2
        column: 2
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn unknown_missing_and_invalid_fields_are_named() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","name":"bash","arguments":{},"argument":1}"#).await, @"
        422 invalid: unknown field `argument`, expected one of `id`, `name`, `arguments`, `annotations`, `impact`, `description`, `place`, `definition`, `expiresInSeconds`, `replaces`, `withdrawWhenGone` at line 1 column 49
        column: 49
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","arguments":{}}"#).await, @r"
        422 invalid: missing field `name` at line 1 column 25
        column: 25
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, "").await, @r"
        422 invalid: missing field `id` at line 1 column 2
        column: 2
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn mistyped_and_duplicate_fields_are_named() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":7,"name":"bash","arguments":{}}"#).await, @r"
        422 invalid: invalid type: integer `7`, expected a string at line 1 column 7
        column: 7
        line: 1
        ");
        assert_snapshot!(
            builder.post(CALLS, r#"{"id":"a","name":"bash","arguments":{},"expiresInSeconds":-1}"#).await, @"
        422 invalid: -1 is not a whole number of seconds from 0 to 4294967295 at line 1 column 61
        column: 61
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","id":"b","name":"bash","arguments":{}}"#).await, @r"
        422 invalid: duplicate field `id` at line 1 column 14
        column: 14
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn unprintable_names_are_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a\u0000b","name":"bash","arguments":{}}"#).await, @r"
        422 invalid: the call id cannot be used: it contains the control character U+0000 at line 1 column 16
        column: 16
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","name":"","arguments":{}}"#).await, @r"
        422 invalid: the tool name cannot be used: it is empty at line 1 column 19
        column: 19
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"..","name":"bash","arguments":{}}"#).await, @r#"
        422 invalid: the call id cannot be used: it is "." or "..", which cannot be used in a URL at line 1 column 10
        column: 10
        line: 1
        "#);
        let long = format!(r#"{{"id":"{}","name":"bash","arguments":{{}}}}"#, "x".repeat(513));
        assert_snapshot!(builder.post(CALLS, &long).await, @r"
        422 invalid: the call id cannot be used: it has 513 bytes; the limit is 512 at line 1 column 521
        column: 521
        line: 1
        ");
    })
    .await;
}

/// Serde reads an array as struct fields in order, so this body would propose a call.
#[tokio::test]
async fn array_as_body_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.agent("builder").post(CALLS, r#" ["call_1", "bash", {}]"#).await, @"422 invalid: the body must be a JSON object");
        assert_snapshot!(world.agent("builder").post("/v1/threads/t/close", "[]").await, @"422 invalid: the body must be a JSON object");
        assert_snapshot!(world.agent("builder").post("/v1/threads/t/close", "7").await, @"422 invalid: the body must be a JSON object");
    })
    .await;
}

#[tokio::test]
async fn compressed_or_recoded_body_is_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let post_with_header = async |name: &str, value: &str| {
            let request = builder.request(Method::POST, CALLS).header("content-type", "application/json");
            let request = if name == "content-type" { builder.request(Method::POST, CALLS) } else { request };
            HttpAnswer::to(request.header(name, value).body("{}")).await.to_string()
        };
        assert_snapshot!(post_with_header("content-encoding", "gzip").await, @r#"415 not_json: the body must not be encoded, and the header content-encoding is "gzip""#);
        assert_snapshot!(post_with_header("content-type", "application/json; charset=latin1").await, @r#"415 not_json: the body must be UTF-8, and the header content-type says "latin1""#);
    })
    .await;
}
