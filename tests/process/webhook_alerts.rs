//! Webhooks that open and close alerts: `PagerDuty`, Opsgenie and an automation rule of Jira, each with the requests that its
//! service documents.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, ProcessWorld, Server, TargetAnswer, WebhookTarget, in_time};
use serde_json::{Value, json};
use std::fs;

on_each_database!(pagerduty_is_triggered_and_resolved,);

/// The key of each target's address.
const KEY: &str = "K3Y-of-the-target";

const POLICY: &str = r#"
[[rule]]
name = "production"
tool = "page"
verdict = "ask"
escalateAfter = "1s"
escalateTo = "admin"
"#;

const TOPICS: [&str; 6] = ["--topic", "escalated", "--topic", "decided", "--topic", "expired"];

async fn serve(world: &ProcessWorld) -> Server {
    fs::write(world.file("policy.toml"), POLICY).expect("a file");
    let path = world.file("policy.toml").display().to_string();
    world.serves_with(&["--policy", &path, "--public-url", "https://approvals.example"]).await
}

/// Adds a webhook for escalated calls. `path` is that of the target's address.
async fn adds_pager(world: &ProcessWorld, format: &str, target: &WebhookTarget, path: &str) {
    let url = format!("{}#{KEY}", target.url().replace("/secret-path", path));
    let words = ["webhook", "add", "pager", &url, "--allow-private", "--format", format];
    let (code, output) = world.runs(&[&words[..], &TOPICS].concat()).await;
    assert_eq!(code, 0, "{output}");
    assert!(!output.contains(KEY) && !output.contains(path), "the address may be a secret: {output}");
}

async fn proposes(server: &Server, tool: &str, id: &str) {
    let call = json!({"id": id, "name": tool, "arguments": {"command": "make deploy"},
        "impact": {"message": "deploys \"all\"", "riskLevel": "critical"}});
    let answer = server.post("/v1/threads/t/tool-calls", call.to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
}

/// A call that is decided before its escalation.
async fn allows_quietly(server: &Server) {
    proposes(server, "bash", "quiet").await;
    let answer =
        server.person("ada").post("/v1/threads/t/approvals/quiet", r#"{"decision":"allow_once"}"#).await;
    assert_eq!(answer.status, 200, "{answer}");
}

async fn withdraws(server: &Server, id: &str) {
    let answer = server.post(&format!("/v1/threads/t/tool-calls/{id}/cancel"), "{}").await;
    assert_eq!(answer.status, 200, "{answer}");
}

async fn ends(world: ProcessWorld, server: Server) {
    assert_eq!(server.terminated().await.code, 0);
    let log = world.verified_log().await;
    assert!(!log.iter().any(|event| event.data.as_str().contains(KEY)), "readers of the log get no key");
    let parked = log.iter().filter(|event| event.kind == EventType::WebhookParked).count();
    assert_eq!(parked, 0, "every message was accepted");
}

async fn pagerduty_is_triggered_and_resolved(world: ProcessWorld) {
    let server = serve(&world).await;
    let mut target = WebhookTarget::start(|number, _| match number {
        0 => TargetAnswer::Status(429),
        _ => TargetAnswer::Status(202),
    })
    .await;
    adds_pager(&world, "pagerduty", &target, "/v2/enqueue").await;
    allows_quietly(&server).await;
    proposes(&server, "page", "a").await;
    let [refused, trigger] = [target.receives().await, target.receives().await];
    assert_eq!(refused.body, trigger.body, "429 is tried again");
    withdraws(&server, "a").await;
    let resolve = target.receives().await;
    for (message, action) in [(&trigger, "trigger"), (&resolve, "resolve")] {
        assert_eq!((message.method.as_str(), message.path.as_str()), ("POST", "/v2/enqueue"));
        assert!(!message.headers.contains_key("authorization") && !message.body.contains("make deploy"));
        let event = message.json();
        assert_eq!((&event["routing_key"], &event["event_action"]), (&json!(KEY), &json!(action)));
        assert_eq!(event["client_url"], "https://approvals.example/calls/t/a");
        assert_eq!(event["dedup_key"], trigger.json()["dedup_key"]);
    }
    let payload = &trigger.json()["payload"];
    assert_eq!(
        json!([payload["summary"], payload["severity"], payload["source"], payload["class"]]),
        json!(["Escalated: page", "critical", "approvals.example", "escalated"])
    );
    let details = &payload["custom_details"];
    assert_eq!(
        json!([details["level"], details["rule"], details["message"]]),
        json!(["admin", "production", "deploys \"all\""])
    );
    let (code, output) = world.runs(&["webhook", "test", "pager"]).await;
    assert_eq!(code, 0, "{output}");
    let test = [target.receives().await, target.receives().await];
    let actions = test.each_ref().map(|message| message.json()["event_action"].clone());
    assert_eq!(actions, ["trigger", "resolve"], "a test leaves no open alert");
    assert_eq!(test[0].json()["dedup_key"], test[1].json()["dedup_key"]);
    assert!(target.received().is_empty());
    ends(world, server).await;
}

#[tokio::test]
async fn opsgenie_alert_is_created_and_closed() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = serve(&world).await;
        // A person has deleted the first alert, so that it cannot be closed.
        let mut target = WebhookTarget::start(|_, message| {
            TargetAnswer::Status(if message.path.ends_with("=alias") { 404 } else { 202 })
        })
        .await;
        adds_pager(&world, "opsgenie", &target, "/jsm/ops/integration/v2/alerts").await;
        allows_quietly(&server).await;
        proposes(&server, "page", "a").await;
        let open = target.receives().await;
        withdraws(&server, "a").await;
        let close = target.receives().await;
        for message in [&open, &close] {
            assert_eq!(message.method, "POST");
            assert_eq!(message.header("authorization"), format!("GenieKey {KEY}"));
            assert!(!message.body.contains(KEY) && !message.body.contains("make deploy"), "{}", message.body);
        }
        let alert = open.json();
        let alias = alert["alias"].as_str().expect("an alias");
        assert_eq!(open.path, "/jsm/ops/integration/v2/alerts");
        assert_eq!(close.path, format!("{}/{alias}/close?identifierType=alias", open.path));
        assert_eq!(
            json!([alert["message"], alert["priority"], alert["details"]["level"], alert["tags"]]),
            json!(["Escalated: page", "P1", "admin", ["countersign", "escalated"]])
        );
        let note = close.json()["note"].as_str().expect("a note").to_owned();
        assert!(note.starts_with("Denied: page\nhttps://approvals.example/calls/t/a\n"), "{note}");
        proposes(&server, "page", "b").await;
        let next = target.receives().await.json();
        assert_ne!(next["alias"].as_str().expect("an alias"), alias, "the answer 404 is not tried again");
        ends(world, server).await;
    })
    .await;
}

#[tokio::test]
async fn jira_rule_gets_open_and_close() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = serve(&world).await;
        let mut target = WebhookTarget::accepting().await;
        let path = "/automation/webhooks/jira/a/cloud/rule";
        adds_pager(&world, "jira", &target, path).await;
        allows_quietly(&server).await;
        proposes(&server, "page", "a").await;
        let open = target.receives().await;
        withdraws(&server, "a").await;
        let close = target.receives().await;
        for message in [&open, &close] {
            assert_eq!((message.method.as_str(), message.path.as_str()), ("POST", path));
            assert_eq!(message.header("x-automation-webhook-token"), KEY);
            assert!(!message.body.contains(KEY) && !message.body.contains("make deploy"), "{}", message.body);
            let members = message.json();
            assert!(members.as_object().expect("an object").values().all(Value::is_string), "{members}");
        }
        let (open, close) = (open.json(), close.json());
        let told = |members: &Value| json!([members["action"], members["topic"], members["title"]]);
        assert_eq!(told(&open), json!(["open", "escalated", "Escalated: page"]));
        assert_eq!(told(&close), json!(["close", "decided", "Denied: page"]));
        assert!(open["key"] == close["key"] && open["call"] == "a", "{open}");
        assert_eq!(close["source"], "cancellation");
        assert_eq!(open["link"], "https://approvals.example/calls/t/a");
        ends(world, server).await;
    })
    .await;
}
