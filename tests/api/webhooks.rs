//! Webhooks over HTTP: what a request may contain, and what an answer never does.

use countersign_tests::{WebhookTarget, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn request(url: &str) -> Value {
    json!({"name": "ops", "url": url, "allowPrivate": true})
}

#[tokio::test]
async fn malformed_webhook_is_rejected_with_its_place() {
    over_http("", async |world| {
        let root = world.person("root");
        let target = "https://127.0.0.1/x";
        let with = |field: &str, value: Value| {
            let mut request = request(target);
            request[field] = value;
            request.to_string()
        };
        for (body, place) in [
            (with("name", json!("a b")), "name: "),
            (with("name", json!("")), "name: "),
            (with("url", json!("ftp://x")), "url: "),
            (with("url", json!("x".repeat(3_000))), "url: "),
            (with("format", json!("pager")), "format"),
            (with("topics", json!(["nothing"])), "topics"),
            (with("threads", json!(["["])), "threads: "),
            (with("secret", json!("whsec_AAAA")), "secret: "),
            (json!({"name": "a", "url": target, "allowPrivate": true, "format": "slack", "secret": "whsec_x"}).to_string(), "secret: "),
            (json!({"name": "a", "url": "https://ntfy.example/", "allowPrivate": true, "format": "ntfy"}).to_string(), "url: "),
            (json!({"name": "a", "url": target, "allowPrivate": true, "format": "pagerduty"}).to_string(), "url: "),
            (json!({"name": "a", "url": "https://127.0.0.1/#k", "allowPrivate": true, "format": "opsgenie"}).to_string(), "/v2/alerts"),
            (json!({"name": "a", "url": "https://127.0.0.1/#k", "allowPrivate": true, "format": "pagerduty", "topics": ["voted"]}).to_string(), "topics: pagerduty has no messages about voted"),
            (with("colour", json!("red")), "colour"),
        ] {
            let answer = root.post("/v1/webhooks", body.clone()).await;
            assert_eq!(answer.status, 422, "{body}: {answer}");
            assert!(answer.text("detail").contains(place), "{body}: {answer}");
        }
        assert_snapshot!(root.post("/v1/webhooks", json!({"name": "a", "url": "https://10.0.0.1/"}).to_string()).await, @"422 invalid: url: 10.0.0.1 has the private address 10.0.0.1; --allow-private permits it");
        for path in ["/v1/webhooks/none/test", "/v1/webhooks/none/retry", "/v1/webhooks/none/rotate"] {
            let answer = root.post(path, "{}").await;
            assert_eq!((answer.status, answer.text("code").as_str()), (404, "unknown_webhook"), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn webhook_is_added_tested_listed_and_removed() {
    over_http("", async |world| {
        let root = world.person("root");
        let mut target = WebhookTarget::accepting().await;
        let added = root.post("/v1/webhooks", request(&target.url()).to_string()).await;
        assert_eq!(added.status, 201, "{added}");
        assert!(added.text("secret").starts_with("whsec_"), "{added}");
        let again = root.post("/v1/webhooks", request(&target.url()).to_string()).await;
        assert_snapshot!(again, @"422 invalid: name: a webhook ops exists; remove it first");
        let tested = root.post("/v1/webhooks/ops/test", "{}").await;
        assert_eq!((tested.status, tested.text("detail").as_str()), (200, "the target answered 204"));
        assert_eq!(target.receives().await.json()["type"], "call.test");
        let list = root.get("/v1/webhooks").await;
        assert_eq!(list.status, 200);
        assert!(list.body.contains("127.0.0.1") && !list.body.contains("secret"), "{list}");
        for (event, state) in [("whsec_", "secrets"), ("secret-path", "addresses")] {
            let events = root.get("/v1/events").await;
            assert!(
                events.body.contains("WEBHOOK_ADDED") && !events.body.contains(event),
                "{state}: {events}"
            );
        }
        let gone = root.request(reqwest::Method::DELETE, "/v1/webhooks/ops").send().await.expect("an answer");
        assert_eq!(gone.status(), 200);
        assert_eq!(root.get("/v1/webhooks").await.body, r#"{"webhooks":[]}"#);
    })
    .await;
}

#[tokio::test]
async fn secret_is_rotated_and_the_old_one_ended() {
    over_http("", async |world| {
        let root = world.person("root");
        let first =
            root.post("/v1/webhooks", request("https://127.0.0.1/x").to_string()).await.text("secret");
        let rotate = async |body: Value| root.post("/v1/webhooks/ops/rotate", body.to_string()).await;
        for (body, place) in [
            (json!({"oldSecretSeconds": 2_592_001}), "oldSecretSeconds: "),
            (json!({"oldSecretSeconds": -1}), "integer `-1`"),
            (json!({"secret": "whsec_AAAA"}), "secret: "),
            (json!({"secret": first}), "secret: it is the current one"),
            (json!({"until": "tomorrow"}), "until"),
        ] {
            let answer = rotate(body.clone()).await;
            assert_eq!(answer.status, 422, "{body}: {answer}");
            assert!(answer.text("detail").contains(place), "{body}: {answer}");
        }
        let rotated = rotate(json!({})).await;
        assert_eq!(rotated.status, 200, "{rotated}");
        assert!(rotated.text("secret") != first && rotated.text("secret").starts_with("whsec_"), "{rotated}");
        let listed = root.get("/v1/webhooks").await;
        assert!(listed.body.contains("oldSecretUntil") && !listed.body.contains("whsec_"), "{listed}");
        assert_eq!(rotate(json!({})).await.status, 422, "two secrets sign already");
        let end_old = async || {
            let ended = root.request(reqwest::Method::DELETE, "/v1/webhooks/ops/old-secret").send().await;
            ended.expect("an answer").text().await.expect("a body")
        };
        assert!(!end_old().await.contains("oldSecretUntil"));
        assert!(!end_old().await.contains("oldSecretUntil"), "a second time changes nothing");
        let own = json!({"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "oldSecretSeconds": 0});
        assert!(!rotate(own).await.body.contains("oldSecretUntil"), "the old one ends at once");
        let events = root.get("/v1/events").await;
        assert_eq!(events.body.matches("WEBHOOK_SECRET_SET").count(), 3, "{events}");
        assert!(!events.body.contains("whsec_"), "readers of the log get no secret");
        let chat =
            json!({"name": "chat", "url": "https://127.0.0.1/x", "allowPrivate": true, "format": "slack"});
        assert_eq!(root.post("/v1/webhooks", chat.to_string()).await.status, 201);
        let unsigned = root.post("/v1/webhooks/chat/rotate", "{}").await;
        assert_snapshot!(unsigned, @"422 invalid: name: only the format standard is signed");
    })
    .await;
}
