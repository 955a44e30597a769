//! The message of a chat app about a call: it is posted once, and changes with the call, also after a restart of the server.

use crate::new_world;
use countersign_tests::{Database, ProcessWorld, TargetAnswer, WebhookTarget, in_time};
use serde_json::json;

const SECRETS: &str = "xoxb-T0K3N:S1GN1NG";
const TS: &str = "1700000000.000100";

async fn starts_slack() -> WebhookTarget {
    WebhookTarget::start(|number, _| {
        // The first answer is a failure in a good status.
        let answer = if number == 0 {
            json!({ "ok": false, "error": "internal_error" })
        } else {
            json!({ "ok": true, "channel": "C1", "ts": TS })
        };
        TargetAnswer::Json(answer.to_string())
    })
    .await
}

async fn adds_chat(world: &ProcessWorld, target: &WebhookTarget) {
    let url = target.url().replace("/secret-path", &format!("/api/chat.postMessage?channel=C1#{SECRETS}"));
    let words = ["webhook", "add", "chat", &url, "--allow-private", "--arguments", "--format", "slack-app"];
    let (code, output) = world.runs(&[&words[..], &["--topic", "opened"]].concat()).await;
    assert_eq!(code, 0, "{output}");
    assert!(!output.contains("T0K3N") && !output.contains("S1GN1NG"), "the secrets are not shown: {output}");
    let (code, output) = world.runs(&["webhook", "list", "--json"]).await;
    assert_eq!(code, 0, "{output}");
    assert!(
        output.contains("decided") && output.contains("expired"),
        "the message ends with its call: {output}"
    );
}

#[tokio::test]
async fn chat_message_outlives_a_restart() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut target = starts_slack().await;
        let server = world.serves_with(&["--public-url", "https://approvals.example"]).await;
        adds_chat(&world, &target).await;
        let call = json!({ "id": "a", "name": "deploy", "arguments": { "cluster": "prod" } });
        let answer = server.post("/v1/threads/t/tool-calls", call.to_string()).await;
        assert_eq!(answer.status, 201, "{answer}");
        let [failed, post] = [target.receives().await, target.receives().await];
        assert_eq!(
            (failed.path.as_str(), &failed.body),
            ("/api/chat.postMessage", &post.body),
            "tried again"
        );
        assert_eq!(post.header("authorization"), "Bearer xoxb-T0K3N");
        assert_eq!(
            (&post.json()["channel"], &post.json()["text"]),
            (&json!("C1"), &json!("Approval needed: deploy"))
        );
        assert!(post.body.contains("cluster") && post.body.contains("https://approvals.example/calls/t/a"));
        assert_eq!(server.terminated().await.code, 0);
        let server = world.serves_with(&["--public-url", "https://approvals.example"]).await;
        let denial = r#"{"decision":"deny","comment":"wrong cluster"}"#;
        let answer = server.person("ada").post("/v1/threads/t/approvals/a", denial).await;
        assert_eq!(answer.status, 200, "{answer}");
        let edit = target.receives().await;
        assert_eq!((edit.path.as_str(), &edit.json()["ts"]), ("/api/chat.update", &json!(TS)));
        assert_eq!(edit.json()["text"], "Denied: deploy");
        assert!(edit.body.contains("wrong cluster") && edit.body.contains("user:ada"), "{}", edit.body);
        assert_eq!(server.terminated().await.code, 0);
        let log = world.verified_log().await;
        let shows = |secret| log.iter().any(|event| event.data.as_str().contains(secret));
        assert!(!shows("T0K3N") && !shows("S1GN1NG"), "readers of the log get no secret");
    })
    .await;
}
