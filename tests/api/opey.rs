//! Opey: the flows of its document, with the requests of its client and the states that its pages go through.

use crate::ASK;
use countersign_tests::{EventStreamReader, HttpAnswer, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};

const APPROVAL: &str = "/approval/t";
const CALLS: &str = "/v1/threads/t/tool-calls";

const LEVELS: &str = r#"
[approvers]
"user:ada" = { level = "admin" }

[[rule]]
name = "admins delete customers"
tool = "delete_customer"
verdict = "ask"
level = "admin"

[[rule]]
name = "no drops"
tool = "drop_*"
verdict = "block"
reason = "tables stay"
"#;

/// A message from the client page, which goes through the documented states.
#[derive(Debug, Default, PartialEq)]
struct ToolMessage {
    waiting_for_approval: bool,
    approval_status: Option<&'static str>,
    is_streaming: bool,
    status: Option<String>,
    tool_output: Value,
}

impl ToolMessage {
    /// The page shows a button at once as pressed, before the server answers.
    fn decide(&mut self, status: &'static str) {
        (self.waiting_for_approval, self.approval_status) = (false, Some(status));
    }

    /// The page reads a stream event.
    fn read(&mut self, event: &Value) {
        match event["type"].as_str().expect("a type") {
            "approval_request" => self.waiting_for_approval = true,
            "tool_start" => self.is_streaming = true,
            "tool_complete" => {
                self.is_streaming = false;
                self.status = event["status"].as_str().map(str::to_owned);
                self.tool_output = event["tool_output"].clone();
            }
            other => panic!("{other}"),
        }
    }
}

fn delete_customer() -> String {
    json!({
        "id": "call_abc123", "name": "delete_customer", "arguments": {"customer_id": "12345"},
        "impact": {
            "message": "Delete customer John Doe (ID: 12345)", "riskLevel": "high", "reversible": false,
            "affectedResources": ["customer:12345", "orders:67890"],
            "estimatedImpact": "This will permanently delete the customer and all associated orders",
        },
    })
    .to_string()
}

fn decision(id: &str, approval: &str, level: Option<&str>) -> String {
    json!({"tool_call_id": id, "approval": approval, "approval_level": level}).to_string()
}

/// A refusal in short, with the words that the client shows.
fn refusal(answer: &HttpAnswer) -> String {
    format!("{} {}: {}", answer.status, answer.text("code"), answer.text("error"))
}

async fn event(stream: &mut EventStreamReader) -> Value {
    stream.data().await.expect("another event")
}

#[tokio::test]
async fn opey_page_goes_through_its_states() {
    over_http(LEVELS, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let mut page = ada.streams(APPROVAL, None).await;
        builder.post(CALLS, delete_customer()).await;
        let request = event(&mut page).await;
        assert_snapshot!(serde_json::to_string_pretty(&request).expect("JSON"), @r#"
        {
          "affected_resources": [
            "customer:12345",
            "orders:67890"
          ],
          "available_approval_levels": [
            "admin",
            "super_admin"
          ],
          "default_approval_level": "admin",
          "description": "Delete customer John Doe (ID: 12345)",
          "estimated_impact": "This will permanently delete the customer and all associated orders",
          "message": "Delete customer John Doe (ID: 12345)",
          "reversible": false,
          "risk_level": "high",
          "similar_operations_count": 0,
          "tool_call_id": "call_abc123",
          "tool_input": {
            "customer_id": "12345"
          },
          "tool_name": "delete_customer",
          "type": "approval_request"
        }
        "#);
        let mut message = ToolMessage::default();
        message.read(&request);
        assert_eq!(message, ToolMessage { waiting_for_approval: true, ..ToolMessage::default() });
        message.decide("approved");
        let approved = decision("call_abc123", "approve", Some("admin"));
        let mut answer = ada.posts_for_stream(APPROVAL, approved).await;
        builder.claims("call_abc123").await;
        message.read(&event(&mut answer).await);
        assert!(message.is_streaming, "{message:?}");
        builder.finishes("call_abc123").await;
        message.read(&event(&mut answer).await);
        assert_eq!(
            message,
            ToolMessage {
                approval_status: Some("approved"),
                status: Some("success".to_owned()),
                tool_output: message.tool_output.clone(),
                ..ToolMessage::default()
            }
        );
        assert!(!message.tool_output.is_null());
        assert_eq!(answer.next().await.as_deref(), Some("data: [DONE]"));
        assert_eq!(answer.next().await, None, "the stream of a decision ends with its call");
        let types = [event(&mut page).await["type"].clone(), event(&mut page).await["type"].clone()];
        assert_eq!(types, ["tool_start", "tool_complete"], "the other pages see the same");
    })
    .await;
}

#[tokio::test]
async fn opey_denial_ends_the_request() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let mut page = world.person("bob").streams(APPROVAL, None).await;
        builder.proposes("call_1").await;
        let mut message = ToolMessage::default();
        message.read(&event(&mut page).await);
        let mut answer = ada.posts_for_stream(APPROVAL, decision("call_1", "deny", None)).await;
        let told = event(&mut answer).await;
        message.read(&told);
        assert_eq!(told["status"], "error");
        assert_eq!(
            told["tool_output"],
            "Denied by user:ada, without a comment (do not retry this call unchanged)"
        );
        let old = event(&mut answer).await;
        assert_eq!(
            old["type"], "tool_end",
            "a decision without a level may be of a client that reads this name"
        );
        assert_eq!(answer.next().await.as_deref(), Some("data: [DONE]"));
        assert_eq!(event(&mut page).await, told, "the page of another person learns of it too");
    })
    .await;
}

#[tokio::test]
async fn refused_opey_decision_is_an_error() {
    over_http(LEVELS, async |world| {
        let (builder, ada, bob) = (world.agent("builder"), world.person("ada"), world.person("bob"));
        builder.post(CALLS, delete_customer()).await;
        let approve = decision("call_abc123", "approve", Some("admin"));
        assert_snapshot!(refusal(&bob.post(APPROVAL, &approve).await), @"403 not_eligible: user:bob cannot decide this: it takes level admin, and theirs is user");
        assert_snapshot!(refusal(&builder.post(APPROVAL, &approve).await), @"403 not_permitted: the role agent may not decide");
        assert_snapshot!(refusal(&ada.post(APPROVAL, decision("call_9", "approve", None)).await), @"404 unknown_call: thread t has no call call_9");
        let maybe = r#"{"tool_call_id":"call_abc123","approval":"maybe"}"#;
        assert_snapshot!(refusal(&ada.post(APPROVAL, maybe).await), @"422 invalid: unknown variant `maybe`, expected `approve` or `deny` at line 1 column 48");
        let denied = ada.request(reqwest::Method::POST, APPROVAL).header("accept", "application/json");
        let denied = denied.header("content-type", "application/json");
        let denied = denied.body(decision("call_abc123", "deny", None));
        assert_eq!(HttpAnswer::to(denied).await.text("state"), "denied");
        let late = ada.post(APPROVAL, &approve).await;
        assert_snapshot!(refusal(&late), @"409 already_decided: decided already: deny by user:ada at 2026-01-31T12:00:00.000Z");
        assert_eq!(late.text("response.principal"), "user:ada");
    })
    .await;
}

#[tokio::test]
async fn opey_page_that_reloads_loses_nothing() {
    over_http(LEVELS, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for id in ["call_1", "call_2"] {
            builder.proposes(id).await;
        }
        let mut page = ada.streams(APPROVAL, None).await;
        let asked = [event(&mut page).await, event(&mut page).await];
        assert_eq!([&asked[0]["tool_call_id"], &asked[1]["tool_call_id"]], ["call_1", "call_2"]);
        builder.post(CALLS, r#"{"id":"call_3","name":"drop_table","arguments":{}}"#).await;
        let message = page.message().await;
        assert!(
            message.contains(r#""error_code":"blocked""#) && message.contains("tables stay"),
            "{message}"
        );
        let id = message.lines().find_map(|line| line.strip_prefix("id: ")).expect("an id");
        drop(page);
        ada.denies("call_1").await;
        let mut resumed = ada.streams(APPROVAL, Some(id)).await;
        assert_eq!(event(&mut resumed).await["type"], "tool_complete", "what it missed comes first");
        let mut reloaded = ada.streams(APPROVAL, None).await;
        assert_eq!(event(&mut reloaded).await["tool_call_id"], "call_2", "what is pending comes first");
        let listed = ada.get_with(APPROVAL, "accept", "application/json").await;
        assert_eq!(listed.value("pending").as_array().map(Vec::len), Some(1));
    })
    .await;
}

#[tokio::test]
async fn repeated_opey_approval_streams_the_whole_run() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        let approve = decision("call_1", "approve", Some("once"));
        drop(ada.posts_for_stream(APPROVAL, &approve).await);
        builder.claims("call_1").await;
        builder.finishes("call_1").await;
        let mut again = ada.posts_for_stream(APPROVAL, &approve).await;
        let types = [event(&mut again).await["type"].clone(), event(&mut again).await["type"].clone()];
        assert_eq!(types, ["tool_start", "tool_complete"]);
        builder.proposes("call_2").await;
        drop(ada.posts_for_stream(APPROVAL, decision("call_2", "approve", Some("session"))).await);
        builder.proposes("call_3").await;
        assert_eq!(
            builder.call("call_3").await.text("state"),
            "allowed",
            "its tool is allowed for the session"
        );
    })
    .await;
}
