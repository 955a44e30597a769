//! Webhooks of real servers: every message arrives at least once, and those of a thread in order, whatever target and
//! servers do.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{
    Database, Process, ProcessWorld, ReceivedMessage, Server, TargetAnswer, WebhookTarget, in_time,
};
use countersign_webhooks::SigningSecret;
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_each_database!(
    messages_arrive_signed_and_in_order,
    old_secret_signs_until_it_is_ended,
    arguments_are_sent_with_masked_secrets,
    killed_server_hands_its_messages_to_the_next,
    target_that_is_gone_parks_until_a_person_retries,
);

pub(crate) async fn adds(
    world: &ProcessWorld,
    name: &str,
    target: &WebhookTarget,
    options: &[&str],
) -> Value {
    let url = target.url();
    let words = [&["--json", "webhook", "add", name, &url, "--allow-private"], options].concat();
    let (code, output) = world.runs(&words).await;
    assert_eq!(code, 0, "{output}");
    assert!(!output.contains("secret-path"), "the address may be a secret: {output}");
    serde_json::from_str(&output).expect("JSON")
}

async fn proposes(server: &Server, thread: &str, id: &str) {
    let call = json!({"id": id, "name": "bash", "arguments": {"command": format!("secret words {id}")},
        "impact": {"message": "deploys", "riskLevel": "high"}});
    let answer = server.post(&format!("/v1/threads/{thread}/tool-calls"), call.to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
}

async fn allows(server: &Server, thread: &str, id: &str) {
    let path = format!("/v1/threads/{thread}/approvals/{id}");
    let answer = server.person("ada").post(&path, r#"{"decision":"allow_once","comment":"go"}"#).await;
    assert_eq!(answer.status, 200, "{answer}");
}

/// Waits until the list of webhooks, as `countersign webhook list` prints it, meets a condition.
async fn wait_for_list(world: &ProcessWorld, condition: impl Fn(&Value) -> bool) -> Value {
    loop {
        let (code, output) = world.runs(&["--json", "webhook", "list"]).await;
        assert_eq!(code, 0, "{output}");
        let list: Value = serde_json::from_str(&output).expect("JSON");
        if condition(&list["webhooks"][0]) {
            return list["webhooks"][0].clone();
        }
    }
}

async fn messages_arrive_signed_and_in_order(world: ProcessWorld) {
    let server = world.serves_with(&["--public-url", "https://approvals.example"]).await;
    let mut target = WebhookTarget::accepting().await;
    let added = adds(&world, "ops", &target, &[]).await;
    let secret = SigningSecret::parse(added["secret"].as_str().expect("a secret")).expect("a secret");
    proposes(&server, "t", "a").await;
    allows(&server, "t", "a").await;
    for expected in ["call.opened a", "call.decided a"] {
        let message = target.receives().await;
        assert_eq!(message.subject(), expected);
        let (id, timestamp) = (message.header("webhook-id"), message.header("webhook-timestamp"));
        let signature = secret.sign(id, timestamp.parse().expect("seconds"), &message.body);
        assert_eq!(message.header("webhook-signature"), signature);
        let data = &message.json()["data"];
        assert_eq!(data["link"], "https://approvals.example/calls/t/a");
        assert_eq!(
            (&data["risk"], &data["message"], &data["tool"]),
            (&json!("high"), &json!("deploys"), &json!("bash"))
        );
        assert!(!message.body.contains("secret words"), "no message has arguments: {}", message.body);
    }
    assert_eq!(server.terminated().await.code, 0);
    let log = world.verified_log().await;
    let cursor = log.iter().rfind(|event| event.kind == EventType::WebhookDelivered).expect("a cursor");
    let cursor: Value = cursor.data.read().expect("JSON");
    let decided = log.iter().find(|event| event.kind == EventType::ApprovalResponse).expect("a decision");
    assert_eq!(cursor["upTo"], decided.seq, "the server writes how far it is when it stops");
    let text = log.iter().map(|event| event.data.as_str()).collect::<String>();
    assert!(
        !text.contains("secret-path") && !text.contains("whsec_"),
        "readers of the log get no secret: {text}"
    );
}

/// The running server learns of new secrets while it delivers.
async fn old_secret_signs_until_it_is_ended(world: ProcessWorld) {
    let server = world.serves().await;
    let mut target = WebhookTarget::accepting().await;
    let added = adds(&world, "ops", &target, &["--topic", "opened"]).await;
    let first = read_secret(&added);
    proposes(&server, "t", "a").await;
    assert_eq!(signers(&target.receives().await, &[&first]), [true]);
    let second = read_secret(&rotates(&world, &["rotate", "ops", "--old-ends", "1h"]).await);
    proposes(&server, "t", "b").await;
    assert_eq!(signers(&target.receives().await, &[&second, &first]), [true, true]);
    let (code, refused) = world.runs(&["webhook", "rotate", "ops"]).await;
    assert_ne!(code, 0, "{refused}");
    let ended = rotates(&world, &["end-old", "ops"]).await;
    assert_eq!(ended["oldSecretUntil"], Value::Null, "{ended}");
    proposes(&server, "t", "c").await;
    assert_eq!(signers(&target.receives().await, &[&second]), [true]);
    let third = read_secret(&rotates(&world, &["rotate", "ops", "--old-ends", "now"]).await);
    proposes(&server, "t", "d").await;
    assert_eq!(signers(&target.receives().await, &[&third]), [true]);
    assert_eq!(server.terminated().await.code, 0);
    let log = world.verified_log().await;
    assert_eq!(log.iter().filter(|event| event.kind == EventType::WebhookSecretSet).count(), 3);
    assert!(!log.iter().any(|event| event.data.as_str().contains("whsec_")), "readers get no secret");
}

/// Runs `webhook` with these words, and returns its JSON.
async fn rotates(world: &ProcessWorld, words: &[&str]) -> Value {
    let (code, output) = world.runs(&[&["--json", "webhook"], words].concat()).await;
    assert_eq!(code, 0, "{output}");
    serde_json::from_str(&output).expect("JSON")
}

fn read_secret(answer: &Value) -> SigningSecret {
    SigningSecret::parse(answer["secret"].as_str().expect("a secret")).expect("a secret")
}

/// For each signature of the message, whether it is that of the secret in the same place.
fn signers(message: &ReceivedMessage, secrets: &[&SigningSecret]) -> Vec<bool> {
    let signatures: Vec<_> = message.header("webhook-signature").split(' ').collect();
    assert_eq!(signatures.len(), secrets.len(), "{signatures:?}");
    let (id, timestamp) = (message.header("webhook-id"), message.header("webhook-timestamp"));
    let timestamp = timestamp.parse().expect("seconds");
    let pairs = signatures.iter().zip(secrets);
    pairs.map(|(given, secret)| **given == secret.sign(id, timestamp, &message.body)).collect()
}

async fn arguments_are_sent_with_masked_secrets(world: ProcessWorld) {
    let server = world.serves().await;
    let mut target = WebhookTarget::accepting().await;
    adds(&world, "ops", &target, &["--arguments", "--topic", "opened"]).await;
    let call = json!({"id": "b", "name": "bash", "arguments": {"command": "make deploy", "token": "ghp_0123456789abcdefghijklmnopqrstuvwxyz"},
        "description": "release 4.2", "place": {"folder": "/srv/shop"}});
    assert_eq!(server.post("/v1/threads/t/tool-calls", call.to_string()).await.status, 201);
    let message = target.receives().await;
    let data = &message.json()["data"];
    assert_eq!(
        (&data["arguments"]["command"], &data["description"]),
        (&json!("make deploy"), &json!("release 4.2"))
    );
    assert_eq!(data["place"], json!({"folder": "/srv/shop"}));
    assert!(!message.body.contains("ghp_0123"), "secrets are masked: {}", message.body);
    assert_eq!(server.terminated().await.code, 0);
}

async fn killed_server_hands_its_messages_to_the_next(world: ProcessWorld) {
    const CALLS: usize = 6;
    let mut first = world.serves().await;
    // The first server sends some messages, and then waits for an answer.
    let mut target = WebhookTarget::start(|number, _| match number {
        3 => TargetAnswer::Hang,
        _ => TargetAnswer::Status(200),
    })
    .await;
    adds(&world, "ops", &target, &["--topic", "opened"]).await;
    for number in 0..CALLS {
        proposes(&first, "t", &format!("call_{number}")).await;
    }
    let mut received = target.receives_subjects(4).await;
    let second = world.serves().await;
    first.kill().await;
    let expected: BTreeSet<_> = (0..CALLS).map(|number| format!("call.opened call_{number}")).collect();
    while received.iter().cloned().collect::<BTreeSet<_>>() != expected {
        received.push(target.receives().await.subject());
    }
    let mut firsts: Vec<_> = Vec::new();
    for subject in &received {
        if !firsts.contains(subject) {
            firsts.push(subject.clone());
        }
    }
    assert!(firsts.is_sorted(), "the messages of a thread arrive in order: {received:?}");
    assert!(received.iter().filter(|subject| **subject == "call.opened call_3").count() >= 2, "{received:?}");
    assert_eq!(second.terminated().await.code, 0);
    world.verified_log().await;
}

async fn target_that_is_gone_parks_until_a_person_retries(world: ProcessWorld) {
    let server = world.serves().await;
    let mut target = WebhookTarget::start(|number, _| match number {
        0 => TargetAnswer::Status(410),
        _ => TargetAnswer::Status(200),
    })
    .await;
    adds(&world, "ops", &target, &["--topic", "opened"]).await;
    proposes(&server, "t", "a").await;
    proposes(&server, "t", "b").await;
    assert_eq!(target.receives_subjects(2).await, ["call.opened a", "call.opened b"], "the next one is sent");
    let list = wait_for_list(&world, |webhook| webhook["parkedCount"] == 1).await;
    assert_eq!(list["parked"][0]["reason"], "the target answered 410");
    let (code, doctor) = world.runs(&["doctor"]).await;
    assert!(doctor.contains("webhook retry"), "{code}: {doctor}");
    let ready = server.get("/readyz").await;
    assert!(ready.text("webhookTrouble").contains("ops (1)"), "{ready}");
    let (code, output) = world.runs(&["webhook", "retry", "ops"]).await;
    assert_eq!((code, output.trim()), (0, "ops sends its parked messages again."));
    assert_eq!(target.receives_subjects(1).await, ["call.opened a"]);
    wait_for_list(&world, |webhook| webhook["parkedCount"] == 0).await;
    assert_eq!(server.terminated().await.code, 0);
    world.verified_log().await;
}

#[tokio::test]
async fn failed_message_is_sent_again_before_later_ones() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let mut target = WebhookTarget::start(|number, _| match number {
            0 => TargetAnswer::Status(500),
            1 => TargetAnswer::Redirect,
            _ => TargetAnswer::Status(200),
        })
        .await;
        adds(&world, "ops", &target, &["--threads", "t*"]).await;
        proposes(&server, "other", "hidden").await;
        proposes(&server, "t", "a").await;
        let first = target.receives().await;
        allows(&server, "t", "a").await;
        let (second, third) = (target.receives().await, target.receives().await);
        assert_eq!([&first, &second, &third].map(ReceivedMessage::subject), ["call.opened a"; 3]);
        assert_eq!(
            first.header("webhook-id"),
            third.header("webhook-id"),
            "a receiver knows repeated messages"
        );
        assert_eq!(second.path, "/secret-path", "redirects are not followed");
        assert_eq!(target.receives_subjects(1).await, ["call.decided a"]);
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn target_that_hangs_delays_nothing_else() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let mut hanging = WebhookTarget::start(|_, _| TargetAnswer::Hang).await;
        let mut other = WebhookTarget::accepting().await;
        adds(&world, "hangs", &hanging, &[]).await;
        adds(&world, "works", &other, &[]).await;
        for number in 0..5 {
            let id = format!("call_{number}");
            proposes(&server, "t", &id).await;
            allows(&server, "t", &id).await;
        }
        let received = other.receives_subjects(10).await;
        assert_eq!(
            (received[0].as_str(), received[9].as_str()),
            ("call.opened call_0", "call.decided call_4")
        );
        assert_eq!(hanging.receives_subjects(1).await, ["call.opened call_0"]);
        assert_eq!(server.get("/readyz").await.status, 200);
        assert_eq!(server.terminated().await.code, 0, "the server stops without the answer");
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn lost_executor_is_reported_once_its_lease_ends() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let mut target = WebhookTarget::accepting().await;
        adds(&world, "ops", &target, &["--topic", "outcome_unknown"]).await;
        for id in ["finished", "lost"] {
            proposes(&server, "t", id).await;
            allows(&server, "t", id).await;
            let path = format!("/v1/threads/t/tool-calls/{id}");
            let call = server.get(&path).await;
            let claim =
                json!({"executor": "worker", "argumentsHash": call.text("argumentsHash"), "leaseSeconds": 1});
            let claimed = server.post(&format!("{path}/claim"), claim.to_string()).await;
            assert_eq!(claimed.status, 200, "{claimed}");
        }
        let result = json!({"executor": "worker", "status": "success", "content": "done"}).to_string();
        assert_eq!(server.post("/v1/threads/t/tool-calls/finished/result", result).await.status, 200);
        let message = target.receives().await;
        assert_eq!(message.subject(), "call.outcome_unknown lost");
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn private_targets_are_refused() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        for url in [
            "https://127.0.0.1/x",
            "https://localhost/x",
            "https://[::ffff:10.0.0.1]/x",
            "https://169.254.169.254/latest/meta-data",
            "https://0x7f.1/x",
        ] {
            let mut add = world.countersign_over_log(&["webhook", "add", "ops", url]);
            let ended = Process::start(&mut add).ended().await;
            assert_ne!(ended.code, 0, "{url}: {ended:?}");
            assert!(
                ended.stderr.contains("private address") && ended.stderr.contains("--allow-private"),
                "{ended:?}"
            );
            let body = json!({"name": "ops", "url": url}).to_string();
            let answer = server.person("root").post("/v1/webhooks", body).await;
            assert_eq!((answer.status, answer.text("code").as_str()), (422, "invalid"), "{url}: {answer}");
        }
        let http = json!({"name": "ops", "url": "http://example.com/"}).to_string();
        assert_eq!(server.person("root").post("/v1/webhooks", http).await.status, 422);
        let agent = server.agent("bot").request(Method::GET, "/v1/webhooks").send().await.expect("an answer");
        assert_eq!(agent.status(), 403, "only an admin sees webhooks");
        assert_eq!(server.terminated().await.code, 0);
    })
    .await;
}

/// The Python function of the guide, which needs no library.
fn receiver_of_the_guide() -> String {
    let guide = include_str!("../../docs/guides/webhooks.md");
    let code = guide.lines().skip_while(|line| !line.starts_with("    import base64"));
    let code = code.take_while(|line| line.is_empty() || line.starts_with("    "));
    code.map(|line| line.get(4..).unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn receiver_of_the_guide_tells_forged_messages() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let _server = world.serves().await;
        let mut target = WebhookTarget::accepting().await;
        let added = adds(&world, "ops", &target, &[]).await;
        let (code, output) = world.runs(&["webhook", "test", "ops"]).await;
        assert_eq!((code, output.trim()), (0, "Delivered: the target answered 204."));
        let message = target.receives().await;
        let script = format!(
            "{}\nimport json, sys\nsecret, headers, body = json.loads(sys.argv[1])\n\
             print(is_genuine(secret, headers, body.encode()), is_genuine(secret, headers, body.encode() + b' '))",
            receiver_of_the_guide()
        );
        let input = json!([added["secret"], message.headers, message.body]).to_string();
        let ended = Process::start(world.program("python3").args(["-c", &script, &input])).ended().await;
        assert_eq!((ended.stdout.trim(), ended.stderr.as_str()), ("True False", ""));
    })
    .await;
}
