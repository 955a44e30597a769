//! Arguments over HTTP: the server returns unusual arguments byte for byte, and refuses ambiguous arguments.

use crate::new_world;
use countersign_tests::{Database, HttpAnswer, Server, in_time};
use reqwest::Method;
use serde_json::Value;

/// Proposes a call with exactly the bytes of `arguments`. Returns the status and the body.
async fn propose(server: &Server, id: &str, arguments: &str) -> (u16, String) {
    let body = format!(r#"{{"id":"{id}","name":"tool","arguments":{arguments}}}"#);
    server.post("/v1/threads/t/tool-calls", body).await.into_parts()
}

/// A body's size, for calls with large arguments.
const LARGE_BODIES: [&str; 2] = ["--max-body", "4456448"];

#[tokio::test]
async fn unusual_arguments_are_returned_byte_for_byte() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let (first_server, second_server) =
            (world.serves_with(&LARGE_BODIES).await, world.serves_with(&LARGE_BODIES).await);
        let mebibyte = format!(r#"{{"text":"{}"}}"#, "é\\n\\\"x日".repeat(1024 * 1024 / 10));
        let deep = format!("{}null{}", r#"{"a":["#.repeat(100), "]}".repeat(100));
        for (number, arguments) in [
            mebibyte.as_str(),
            &deep,
            r#"{ "b" : 1 ,  "a":2,"\u0061\u0000":"\u0000 and \u0001","":[ ] }"#,
            r"[123456789012345678901234567890, 1e300, -0.0, 1.10, 9007199254740993, 0.1e-7, 1E+2]",
            r#"{"日本":"🧑‍🚀","\ud83d\ude00":"\u202e reversed","e\u0301":"é"}"#,
            r#""a text""#,
            "null",
        ]
        .into_iter()
        .enumerate()
        {
            let id = format!("call_{number}");
            let kept = format!(r#""arguments":{arguments}"#);
            let (status, body) = propose(&first_server, &id, arguments).await;
            assert!(status == 201 && body.contains(&kept), "{status} {body:.400}");
            let (_, call) = second_server.get(&format!("/v1/threads/t/tool-calls/{id}")).await.into_parts();
            assert!(call.contains(&kept), "{call:.400}");
            let (_, events) = second_server.get("/v1/threads/t/events?limit=1000").await.into_parts();
            assert!(events.contains(&kept), "{events:.400}");
            let (status, again) = propose(&second_server, &id, arguments).await;
            assert!(status == 201 && again.contains(&kept), "{status} {again:.400}");
            claims_what_it_proposed(&second_server, &id, &call, &kept).await;
        }
        let (_, pending) = first_server.get("/v1/approvals/pending").await.into_parts();
        assert_eq!(pending, r#"{"pending":[],"next":null}"#);
        world.verified_log().await;
    })
    .await;
}

async fn claims_what_it_proposed(server: &Server, id: &str, call: &str, kept: &str) {
    server.person("ada").allows(id).await;
    let hash = call.split(r#""argumentsHash":""#).nth(1).expect("a hash").get(..64).expect("64 digits");
    let claim = format!(r#"{{"executor":"e","argumentsHash":"{hash}"}}"#);
    let (status, body) =
        server.post(&format!("/v1/threads/t/tool-calls/{id}/claim"), claim).await.into_parts();
    assert!(status == 200 && body.contains(kept), "{status} {body:.400}");
}

#[tokio::test]
async fn unicode_names_pass_through_paths_headers_and_log() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let (thread, id, path) = ("gespräch/ü?#%", "日本 🚀", "%E6%97%A5%E6%9C%AC%20%F0%9F%9A%80");
        let under = "/v1/threads/gespr%C3%A4ch%2F%C3%BC%3F%23%25";
        let body = format!(r#"{{"id":"{id}","name":"outil é","arguments":{{}}}}"#);
        let (status, body) = server.post(&format!("{under}/tool-calls"), body).await.into_parts();
        assert_eq!(status, 201, "{body}");
        let decide = server.request(Method::POST, &format!("{under}/approvals/{path}"));
        let decide = decide
            .header("content-type", "application/json")
            .header("countersign-principal", "user:Zo%C3%AB");
        let (status, body) = HttpAnswer::to(decide.body(r#"{"decision":"allow_once"}"#)).await.into_parts();
        assert_eq!(status, 200, "{body}");
        let call: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&call["threadId"], &call["id"], &call["name"]),
            (&thread.into(), &id.into(), &"outil é".into())
        );
        assert_eq!(call["response"]["principal"], "user:Zoë");
        assert_eq!(world.runs(&["--json", "show", id, "--thread", thread]).await.0, 0);
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn ambiguous_arguments_are_refused_and_write_no_event() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        for (arguments, why) in [
            (r#"{"path":"\ud800"}"#, "not Unicode"),
            (r#"{"\udc00x":1}"#, "not Unicode"),
            (r#"{"path":"\ud800\ud800"}"#, "not Unicode"),
            (r#"{"a":1,"a":1}"#, r#"repeats the key "a""#),
            (r#"[{"b":{"a":1,"\u0061":2}}]"#, r#"repeats the key "a""#),
            (r#"{"a":1},"arguments":{"a":2}"#, "duplicate field `arguments`"),
            (&format!("{}{}", "[".repeat(300), "]".repeat(300)), "deeper than 256"),
            (&format!("1e{}", "9".repeat(40)), "exponent"),
        ] {
            let (status, body) = propose(&server, "call", arguments).await;
            assert_eq!(status, 422, "{arguments}: {body}");
            let problem: Value = serde_json::from_str(&body).expect("a problem");
            assert_eq!(problem["code"], "invalid", "{body}");
            assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(why)), "{body}");
            let between = r#","annotations":"#;
            if !arguments.contains("arguments") {
                let (status, body) = propose(&server, "call", &format!("{{}}{between}{arguments}")).await;
                assert_eq!(status, 422, "as annotations, {arguments}: {body}");
            }
        }
        let (status, body) = propose(&server, "a\\u0000b", "{}").await;
        assert!(status == 422 && body.contains("U+0000"), "{body}");
        assert_eq!(server.event_count().await, 1, "the policy is the only event");
    })
    .await;
}
