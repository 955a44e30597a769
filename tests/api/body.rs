//! Bodies that are refused before anybody looks at what they ask for.

use crate::ASK;
use countersign_tests::api::{Answer, story};
use insta::assert_snapshot;
use reqwest::Method;

const CALLS: &str = "/v1/threads/t1/tool-calls";

#[tokio::test]
async fn a_body_that_does_not_say_it_is_json_is_refused() {
    story(ASK, async |town| {
        let request = town.agent("builder").request(Method::POST, CALLS);
        assert_snapshot!(Answer::to(request.header("content-type", "text/plain").body("{}")).await, @r#"
        415
        {
          "title": "Unsupported Media Type",
          "status": 415,
          "code": "not_json",
          "detail": "the body must be application/json, and the header content-type is \"text/plain\""
        }
        "#);
        let request = town.agent("builder").request(Method::POST, CALLS);
        assert_snapshot!(Answer::to(request).await, @r#"
        415
        {
          "title": "Unsupported Media Type",
          "status": 415,
          "code": "not_json",
          "detail": "the body must be application/json, and the header content-type is missing"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_charset_beside_the_content_type_is_no_obstacle() {
    story(ASK, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let request = town.agent("builder").request(Method::POST, "/v1/threads/t1/close");
        let answer =
            Answer::to(request.header("content-type", "Application/JSON; charset=utf-8").body("{}")).await;
        assert_eq!(answer.status, 200, "{answer}");
    })
    .await;
}

#[tokio::test]
async fn bad_json_is_refused_with_its_place() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        assert_snapshot!(builder.post(CALLS, "{\"id\": \"call_1\",\n oops}").await, @r#"
        400
        {
          "title": "Bad Request",
          "status": 400,
          "code": "bad_json",
          "detail": "the body is not JSON: key must be a string at line 2 column 2",
          "line": 2,
          "column": 2
        }
        "#);
        assert_snapshot!(builder.post(CALLS, "{\"id\": \"call_1\"").await, @r#"
        400
        {
          "title": "Bad Request",
          "status": 400,
          "code": "bad_json",
          "detail": "the body is not JSON: EOF while parsing an object at line 1 column 15",
          "line": 1,
          "column": 15
        }
        "#);
        assert_snapshot!(builder.post(CALLS, "{} {}").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `id` at line 1 column 2",
          "line": 1,
          "column": 2
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn unknown_missing_and_wrong_fields_are_named() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","name":"bash","arguments":{},"argument":1}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `argument`, expected one of `id`, `name`, `arguments`, `annotations`, `impact`, `description`, `definition`, `expiresInSeconds` at line 1 column 49",
          "line": 1,
          "column": 49
        }
        "#);
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `name` at line 1 column 25",
          "line": 1,
          "column": 25
        }
        "#);
        assert_snapshot!(builder.post(CALLS, "").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "missing field `id` at line 1 column 2",
          "line": 1,
          "column": 2
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn a_field_of_another_kind_and_one_that_stands_twice_are_named() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":7,"name":"bash","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "invalid type: integer `7`, expected a string at line 1 column 7",
          "line": 1,
          "column": 7
        }
        "#);
        assert_snapshot!(
            builder.post(CALLS, r#"{"id":"a","name":"bash","arguments":{},"expiresInSeconds":-1}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "-1 is not a whole number of seconds from 0 to 4294967295 at line 1 column 61",
          "line": 1,
          "column": 61
        }
        "#);
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","id":"b","name":"bash","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "duplicate field `id` at line 1 column 14",
          "line": 1,
          "column": 14
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn names_that_nobody_could_be_shown_are_refused() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a\u0000b","name":"bash","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the call's id cannot be used: it holds the control character U+0000 at line 1 column 16",
          "line": 1,
          "column": 16
        }
        "#);
        assert_snapshot!(builder.post(CALLS, r#"{"id":"a","name":"","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the tool's name cannot be used: it is empty at line 1 column 19",
          "line": 1,
          "column": 19
        }
        "#);
        assert_snapshot!(builder.post(CALLS, r#"{"id":"..","name":"bash","arguments":{}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the call's id cannot be used: \".\" and \"..\" cannot stand in a URL at line 1 column 10",
          "line": 1,
          "column": 10
        }
        "#);
        let long = format!(r#"{{"id":"{}","name":"bash","arguments":{{}}}}"#, "x".repeat(513));
        assert_snapshot!(builder.post(CALLS, &long).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the call's id cannot be used: it has 513 bytes, and 512 is the most at line 1 column 521",
          "line": 1,
          "column": 521
        }
        "#);
    })
    .await;
}

/// Read as the fields without their names, it would propose a call.
#[tokio::test]
async fn an_array_is_no_body() {
    story(ASK, async |town| {
        assert_snapshot!(town.agent("builder").post(CALLS, r#" ["call_1", "bash", {}]"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the body must be a JSON object"
        }
        "#);
        assert_snapshot!(town.agent("builder").post("/v1/threads/t1/close", "[]").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the body must be a JSON object"
        }
        "#);
        assert_snapshot!(town.agent("builder").post("/v1/threads/t1/close", "7").await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "the body must be a JSON object"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_is_packed_or_in_other_characters_is_not_read_as_json() {
    story(ASK, async |town| {
        let builder = town.agent("builder");
        let says = async |name: &str, value: &str| {
            let request = builder.request(Method::POST, CALLS).header("content-type", "application/json");
            let request = if name == "content-type" { builder.request(Method::POST, CALLS) } else { request };
            Answer::to(request.header(name, value).body("{}")).await.to_string()
        };
        assert_snapshot!(says("content-encoding", "gzip").await, @r#"
        415
        {
          "title": "Unsupported Media Type",
          "status": 415,
          "code": "not_json",
          "detail": "the body must not be encoded, and the header content-encoding is \"gzip\""
        }
        "#);
        assert_snapshot!(says("content-type", "application/json; charset=latin1").await, @r#"
        415
        {
          "title": "Unsupported Media Type",
          "status": 415,
          "code": "not_json",
          "detail": "the body must be UTF-8, and the header content-type says \"latin1\""
        }
        "#);
    })
    .await;
}
