//! Arguments over HTTP: what is odd comes back to the byte, what two readers might read in two ways is
//! refused.

use crate::harness::{Place, Server, in_time};
use reqwest::Method;
use serde_json::Value;

/// Posts arguments as they are, in an otherwise plain proposal.
async fn propose(server: &Server, id: &str, arguments: &str) -> (u16, String) {
    let body = format!(r#"{{"id":"{id}","name":"tool","arguments":{arguments}}}"#);
    server.post("/v1/threads/t/tool-calls", body).await
}

#[tokio::test]
async fn large_deep_and_odd_arguments_come_back_to_the_byte() {
    in_time(async {
        let place = Place::new();
        let (here, there) = (place.serve().await, place.serve().await);
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
            let (status, body) = propose(&here, &id, arguments).await;
            assert!(status == 201 && body.contains(&kept), "{status} {body:.400}");
            let (_, call) = there.get(&format!("/v1/threads/t/tool-calls/{id}")).await;
            assert!(call.contains(&kept), "{call:.400}");
            let (_, events) = there.get("/v1/threads/t/events?limit=1000").await;
            assert!(events.contains(&kept), "{events:.400}");
            let (status, again) = propose(&there, &id, arguments).await;
            assert!(status == 201 && again.contains(&kept), "{status} {again:.400}");
            claims_what_it_proposed(&there, &id, &call, &kept).await;
        }
        let (_, pending) = here.get("/v1/approvals/pending").await;
        assert_eq!(pending, r#"{"pending":[],"next":null}"#);
        place.sound_log().await;
    })
    .await;
}

async fn claims_what_it_proposed(server: &Server, id: &str, call: &str, kept: &str) {
    server.allow("t", id).await;
    let hash = call.split(r#""argumentsHash":""#).nth(1).expect("a hash").get(..64).expect("64 digits");
    let claim = format!(r#"{{"executor":"e","argumentsHash":"{hash}"}}"#);
    let (status, body) = server.post(&format!("/v1/threads/t/tool-calls/{id}/claim"), claim).await;
    assert!(status == 200 && body.contains(kept), "{status} {body:.400}");
}

#[tokio::test]
async fn names_in_any_script_go_through_the_address_the_header_and_the_log() {
    in_time(async {
        let place = Place::new();
        let server = place.serve().await;
        let (thread, id, path) =
            ("gespräch/ü?#%", "日本 🧑‍🚀", "%E6%97%A5%E6%9C%AC%20%F0%9F%A7%91%E2%80%8D%F0%9F%9A%80");
        let under = "/v1/threads/gespr%C3%A4ch%2F%C3%BC%3F%23%25";
        let body = format!(r#"{{"id":"{id}","name":"outil é","arguments":{{}}}}"#);
        let (status, body) = server.post(&format!("{under}/tool-calls"), body).await;
        assert_eq!(status, 201, "{body}");
        let decide = server.request(Method::POST, &format!("{under}/approvals/{path}"));
        let decide = decide
            .header("content-type", "application/json")
            .header("countersign-principal", "user:Zo%C3%AB");
        let (status, body) = server.answer(decide.body(r#"{"decision":"allow_once"}"#)).await;
        assert_eq!(status, 200, "{body}");
        let call: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&call["threadId"], &call["id"], &call["name"]),
            (&thread.into(), &id.into(), &"outil é".into())
        );
        assert_eq!(call["response"]["principal"], "user:Zoë");
        assert_eq!(place.ends(&["--json", "show", id, "--thread", thread]).await.0, 0);
        place.sound_log().await;
    })
    .await;
}

#[tokio::test]
async fn what_two_readers_might_read_in_two_ways_is_refused_and_nothing_is_written() {
    in_time(async {
        let place = Place::new();
        let server = place.serve().await;
        for (arguments, why) in [
            (r#"{"path":"\ud800"}"#, "not Unicode"),
            (r#"{"\udc00x":1}"#, "not Unicode"),
            (r#"{"path":"\ud800\ud800"}"#, "not Unicode"),
            (r#"{"a":1,"a":1}"#, r#"the key "a" twice"#),
            (r#"[{"b":{"a":1,"\u0061":2}}]"#, r#"the key "a" twice"#),
            (r#"{"a":1},"arguments":{"a":2}"#, "duplicate field `arguments`"),
            (&format!("{}{}", "[".repeat(300), "]".repeat(300)), "deeper than 256"),
            (&format!("1e{}", "9".repeat(40)), "exponent"),
        ] {
            let (status, body) = propose(&server, "call", arguments).await;
            assert_eq!(status, 422, "{arguments}: {body}");
            let problem: Value = serde_json::from_str(&body).expect("a problem");
            assert_eq!(problem["code"], "invalid", "{body}");
            assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(why)), "{body}");
            let place = r#","annotations":"#;
            if !arguments.contains("arguments") {
                let (status, body) = propose(&server, "call", &format!("{{}}{place}{arguments}")).await;
                assert_eq!(status, 422, "as annotations, {arguments}: {body}");
            }
        }
        let (status, body) = propose(&server, "a\\u0000b", "{}").await;
        assert!(status == 422 && body.contains("U+0000"), "{body}");
        assert_eq!(server.tip().await, 0, "something was written");
    })
    .await;
}
