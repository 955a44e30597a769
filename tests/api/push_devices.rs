//! Devices over HTTP: who registers, sees and removes one, and what an answer never has.

use crate::own_server::OwnServer;
use countersign_events::{Principal, Role, TokenKind};
use countersign_push::PushSender;
use countersign_server::ServerOptions;
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, PushSubscriber, in_time, server_options};
use countersign_webhooks::WebhookKeyFile;
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

const PATH: &str = "/v1/push/devices";

/// A server that permits push services on this machine, or does not.
pub(crate) async fn starts(options: ServerOptions, allow_private: bool) -> (OwnServer, Arc<PushSender>) {
    let mut sender = None;
    let server = OwnServer::start_with(options, |gate, folder| {
        let seal = WebhookKeyFile::new(folder.join("webhook.key"));
        let made =
            PushSender::new(&folder.join("push.key"), seal, "https://approvals.example", allow_private);
        let made = sender.insert(Arc::new(made));
        gate.with_push(made.clone())
    });
    let server = server.await;
    (server, sender.expect("made"))
}

async fn starts_usual(allow_private: bool) -> OwnServer {
    starts(server_options(Clock::System), allow_private).await.0
}

fn device(number: u8) -> PushSubscriber {
    PushSubscriber::new(number, "http://127.0.0.1:9/secret-path")
}

pub(crate) async fn registers(server: &OwnServer, token: &str, request: &Value) -> HttpAnswer {
    server.asks(token, Method::POST, PATH, &request.to_string()).await
}

fn names(answer: &HttpAnswer) -> Vec<String> {
    let list: Value = serde_json::from_str(&answer.body).expect("JSON");
    let devices = list["devices"].as_array().expect("devices").iter();
    devices.map(|device| device["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn malformed_device_is_rejected_with_its_place() {
    in_time(async {
        let server = starts_usual(true).await;
        let ada = server.token("ada", Role::Approver).await;
        let keys = |p256dh: &str, auth: &str| json!({"keys": {"p256dh": p256dh, "auth": auth}});
        let good = device(1).request(&json!({}));
        let (p256dh, auth) = (
            good["keys"]["p256dh"].as_str().expect("a key"),
            good["keys"]["auth"].as_str().expect("a secret"),
        );
        for (members, place) in [
            (json!({"name": ""}), "name: "),
            (json!({"name": "a\u{202e}b"}), "name: "),
            (json!({"endpoint": "ftp://x"}), "endpoint: "),
            (json!({"endpoint": "x".repeat(3_000)}), "endpoint: "),
            (keys("AAAA", auth), "keys: p256dh"),
            (keys(p256dh, "AAAA"), "keys: auth"),
            (keys(&format!("BA{}", &p256dh[2..]), auth), "keys: p256dh"),
            (json!({"quiet": {"startMinute": 60, "endMinute": 60, "utcOffsetMinutes": 0}}), "quiet: "),
            (json!({"quiet": {"startMinute": 60, "endMinute": 1440, "utcOffsetMinutes": 0}}), "quiet: "),
            (json!({"colour": "red"}), "colour"),
        ] {
            let answer = registers(&server, &ada, &device(1).request(&members)).await;
            assert_eq!(answer.status, 422, "{members}: {answer}");
            assert!(answer.text("detail").contains(place), "{members}: {answer}");
        }
        let unknown = server.asks(&ada, Method::DELETE, &format!("{PATH}/0123456789abcdef"), "").await;
        assert_snapshot!(unknown, @"404 unknown_device: no device with this id gets notifications");
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn push_service_with_private_address_is_refused() {
    in_time(async {
        let server = starts_usual(false).await;
        let ada = server.token("ada", Role::Approver).await;
        for endpoint in [
            "https://127.0.0.1/x",
            "https://[::1]/x",
            "https://10.1.2.3/x",
            "https://169.254.169.254/latest/meta-data",
            "https://2130706433/x",
            "https://localhost/x",
            "http://push.example/x",
        ] {
            let answer = registers(&server, &ada, &device(1).request(&json!({"endpoint": endpoint}))).await;
            assert_eq!(
                (answer.status, answer.text("code").as_str()),
                (422, "invalid"),
                "{endpoint}: {answer}"
            );
            assert!(answer.text("detail").starts_with("endpoint: "), "{endpoint}: {answer}");
        }
        assert_eq!(names(&server.asks(&ada, Method::GET, PATH, "").await), [""; 0]);
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn device_is_registered_listed_and_removed() {
    in_time(async {
        let server = starts_usual(true).await;
        let (ada, bob) = (server.token("ada", Role::Approver).await, server.token("bob", Role::Approver).await);
        let root = server.token("root", Role::Admin).await;
        let before = server.asks(&ada, Method::GET, PATH, "").await;
        assert_eq!(names(&before), [""; 0]);
        let added = registers(&server, &ada, &device(1).request(&json!({}))).await;
        assert_eq!(added.status, 201, "{added}");
        let again = registers(&server, &ada, &device(1).request(&json!({}))).await;
        assert_eq!(again.body, added.body, "a repeated request changes nothing");
        registers(&server, &bob, &device(2).request(&json!({"name": "tablet"}))).await;
        let list = server.asks(&ada, Method::GET, PATH, "").await;
        assert_eq!(names(&list), ["phone"]);
        assert_eq!(list.text("publicKey"), before.text("publicKey"), "one key pair");
        assert_eq!(names(&server.asks(&root, Method::GET, PATH, "").await), ["phone", "tablet"]);
        let path = format!("{PATH}/{}", added.text("id"));
        let foreign = server.asks(&bob, Method::DELETE, &path, "").await;
        assert_snapshot!(foreign, @"403 not_permitted: this is the device of another person, which only an admin removes");
        // The log keeps each change, and each removal of a device that comes back.
        for name in ["old phone", "phone"] {
            let renamed = registers(&server, &ada, &device(1).request(&json!({ "name": name }))).await;
            assert_eq!((renamed.status, renamed.text("id")), (201, added.text("id")), "{renamed}");
            assert_eq!(server.asks(&root, Method::DELETE, &path, "").await.status, 200);
        }
        assert_eq!(names(&server.asks(&ada, Method::GET, PATH, "").await), [""; 0]);
        let events = server.asks(&root, Method::GET, "/v1/events", "").await;
        assert!(events.body.contains("PUSH_DEVICE_REMOVED"), "{events}");
        for secret in ["secret-path", "p256dh", "auth\""] {
            assert!(!events.body.contains(secret) && !list.body.contains(secret), "readers get no address");
        }
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn only_people_who_decide_register_devices() {
    in_time(async {
        let server = starts_usual(true).await;
        for (name, role) in [("eve", Role::Auditor), ("root", Role::Admin), ("bot", Role::Agent)] {
            let token = server.token(name, role).await;
            let answer = registers(&server, &token, &device(1).request(&json!({}))).await;
            assert_eq!(
                (answer.status, answer.text("code").as_str()),
                (403, "not_permitted"),
                "{name}: {answer}"
            );
        }
        let limited = server.creates_token("cyd", Role::Approver, &["ci/*"], TokenKind::Token).await;
        assert_eq!(registers(&server, &limited, &device(1).request(&json!({}))).await.status, 201);
        server.end().await;
    })
    .await;
}

/// A caller whom a proxy names has no session here, so nothing would end the notifications.
#[tokio::test]
async fn caller_without_credential_registers_no_device() {
    in_time(async {
        let server = starts_usual(true).await;
        let gate = server.gate.acting_as(Principal::user("ada"));
        let request = serde_json::from_value(device(1).request(&json!({}))).expect("a request");
        let refused = gate.set_push_device(&request, None).await.expect_err("refused");
        assert!(refused.to_string().contains("only a session of this server"), "{refused}");
        server.end().await;
    })
    .await;
}
