//! Notifications of real servers: one of several sends, and another goes on after it was killed.

use countersign_events::EventType;
use countersign_tests::{ProcessWorld, PushSubscriber, Server, TargetAnswer, WebhookTarget};
use serde_json::json;
use std::collections::BTreeSet;

on_each_database!(one_of_two_servers_sends, killed_server_hands_its_notifications_to_the_next);

const PRIVATE: &[(&str, &str)] = &[("COUNTERSIGN_PUSH_PRIVATE", "true")];

async fn serves(world: &ProcessWorld) -> Server {
    world.serves_with_variables(PRIVATE, &[]).await
}

async fn registers(server: &Server, phone: &PushSubscriber) {
    let answer = server.post("/v1/push/devices", phone.request(&json!({})).to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
}

async fn proposes(server: &Server, thread: &str) {
    let call = json!({"id": "a", "name": "bash", "arguments": {"command": "make"}});
    let answer =
        server.agent("bot").post(&format!("/v1/threads/{thread}/tool-calls"), call.to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
}

async fn one_of_two_servers_sends(world: ProcessWorld) {
    let (first, second) = (serves(&world).await, serves(&world).await);
    let mut service = WebhookTarget::accepting().await;
    let phone = PushSubscriber::new(1, &service.url());
    registers(&first, &phone).await;
    let mut told = BTreeSet::new();
    for number in 0..8 {
        let thread = format!("t{number}");
        proposes(if number % 2 == 0 { &first } else { &second }, &thread).await;
        let notice = phone.decrypts(&service.receives().await);
        assert!(told.insert(notice["thread"].to_string()), "{notice} was sent twice");
    }
    assert_eq!((first.terminated().await.code, second.terminated().await.code), (0, 0));
    assert!(service.received().is_empty(), "each is sent once");
    world.verified_log().await;
}

async fn killed_server_hands_its_notifications_to_the_next(world: ProcessWorld) {
    let mut first = serves(&world).await;
    let mut service = WebhookTarget::start(|number, _| match number {
        0 => TargetAnswer::Hang,
        _ => TargetAnswer::Status(201),
    })
    .await;
    let phone = PushSubscriber::new(1, &service.url());
    registers(&first, &phone).await;
    proposes(&first, "t").await;
    let interrupted = phone.decrypts(&service.receives().await);
    first.kill().await;
    let second = serves(&world).await;
    assert_eq!(phone.decrypts(&service.receives().await), interrupted, "with the same key");
    let body = r#"{"decision":"deny"}"#;
    assert_eq!(second.person("ada").post("/v1/threads/t/approvals/a", body).await.status, 200);
    assert_eq!(phone.decrypts(&service.receives().await)["kind"], "withdraw");
    assert_eq!(second.terminated().await.code, 0);
    let log = world.verified_log().await;
    assert_eq!(log.iter().filter(|event| event.kind == EventType::PushDeviceSet).count(), 1);
}
