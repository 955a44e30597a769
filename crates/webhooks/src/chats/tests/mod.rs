//! Chat apps end to end in one process: the platforms are played from their documentation.

mod discord;
mod mattermost;
mod played_platform;
mod slack;
mod telegram;

use crate::{
    HttpWebhooks, WebhookKeyFile,
    chat_sending::ChatState,
    chats::chat_types::{ChatClick, ChatRefusal, ChatRequest},
    delivery_queue::FailedAttempt,
    http_webhooks::OpenTarget,
    posted_messages::PostedChange,
    webhook_message::{CallSubject, WebhookMessage},
};
use countersign_api as api;
use countersign_approvals::webhook_directory::{WebhookDirectory, WebhookRecord};
use countersign_events::{
    Body, Event, EventType, Json, Principal, Sha256, ThreadId, Timestamp, WebhookAdded, WebhookFormat,
    WebhookTopic,
};
use countersign_gate::{ChatOffer, WebhookTransport};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::fmt::Write as _;

const LOG: Sha256 = Sha256::ZERO;
const BASE: &str = "https://approvals.example";
const ALL: ChatOffer = ChatOffer { allow: true, allow_hour: true, deny: true };

/// The strings that must not become markup, a mention or another text.
const HOSTILE: &str = "``` ```` ~~~ </pre> <!channel> <@U1> @everyone @here @all <@&1> #tag /cmd \\ *b* _i_ ||s|| [x](https://evil.example) https://evil.example\nline\r\n```\n# h";

/// The time of all tests: 2026-01-31T12:00:00Z.
fn now() -> Timestamp {
    "2026-01-31T12:00:00.000Z".parse().expect("a time")
}

/// A sender with a key of its own, and one webhook.
struct ChatWorld {
    sender: HttpWebhooks,
    record: WebhookRecord,
    _folder: tempfile::TempDir,
}

impl ChatWorld {
    async fn new(format: WebhookFormat, url: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sender = HttpWebhooks::new(WebhookKeyFile::new(folder.path().join("webhook.key")), BASE);
        let record = record(&sender, 3, format, url).await;
        Self { sender, record, _folder: folder }
    }

    fn target(&self) -> OpenTarget {
        self.sender.open(&self.record, LOG).expect("opened")
    }

    /// Sends the message about an event, as the delivery does.
    async fn sends(
        &self,
        topic: WebhookTopic,
        call: &api::Call,
        posted: Option<&str>,
    ) -> Result<Option<PostedChange>, FailedAttempt> {
        let message = WebhookMessage {
            topic,
            is_test: false,
            call: Some(CallSubject::from_call(call)),
            ..WebhookMessage::test("evt_1".to_owned(), now(), BASE)
        };
        let state = ChatState { call: call.clone(), offer: ALL };
        self.sender.send_state(&self.target(), &message, &state, posted, now()).await
    }

    /// Posts the message about a call, and returns its name.
    async fn posts(&self, call: &api::Call) -> String {
        match self.sends(WebhookTopic::Opened, call, None).await {
            Ok(Some(PostedChange::Keep(posted))) => posted.message,
            other => panic!("{other:?}"),
        }
    }

    fn reads(&self, headers: &HeaderMap, body: &str) -> Result<ChatRequest, ChatRefusal> {
        self.sender.read_chat_request(&self.record, LOG, headers, body.as_bytes(), now())
    }

    fn reads_click(&self, headers: &HeaderMap, body: &str) -> ChatClick {
        match self.reads(headers, body) {
            Ok(ChatRequest::Click(click)) => *click,
            other => panic!("{other:?}"),
        }
    }

    async fn checks(&self, click: &ChatClick, call: &api::Call) -> Result<(), ChatRefusal> {
        self.sender.check_click(&self.record, LOG, click, call, ALL).await
    }
}

async fn record(sender: &HttpWebhooks, seq: i64, format: WebhookFormat, url: &str) -> WebhookRecord {
    let request =
        json!({ "name": "ops", "url": url, "format": format, "allowPrivate": true, "arguments": true });
    let request: api::WebhookRequest = serde_json::from_value(request).expect("a request");
    let added: WebhookAdded = match sender.prepare(&request).await {
        Ok(prepared) => prepared.added,
        Err(why) => panic!("{why}"),
    };
    let event = Event {
        seq,
        thread_id: ThreadId::whole_log(),
        kind: EventType::WebhookAdded,
        timestamp: now(),
        principal: Principal::user("root"),
        data: Json::encode(&added).expect("JSON"),
        hash: None,
    };
    let mut directory = WebhookDirectory::default();
    directory.evolve(&event, &Body::WebhookAdded(added));
    directory.get(seq).cloned().expect("a webhook")
}

/// A pending call with these arguments.
fn call(arguments: &Value) -> api::Call {
    let hash = Sha256::digest(arguments.to_string().as_bytes());
    let text = |text: &str| Value::from(text);
    let call = json!({
        "threadId": "ci/7", "id": "call_1", "name": "deploy", "state": "pending",
        "arguments": arguments, "argumentsHash": hash.to_string(),
        "impact": { "message": "ships <it>", "riskLevel": "high" },
        "proposal": { "seq": 41, "principal": "agent:builder", "at": text("2026-01-31T11:59:00.000Z") },
        "request": {
            "seq": 42, "requestedAt": "2026-01-31T11:59:00.000Z", "options": ["allow_once", "deny"],
            "reason": "production", "rule": "deployments", "policy": Sha256::ZERO.to_string()
        }
    });
    serde_json::from_value(call).expect("a call")
}

/// The same call, decided.
fn decided(call: &api::Call, decision: &str, comment: &str) -> api::Call {
    let mut value = serde_json::to_value(call).expect("JSON");
    value["state"] = json!(if decision == "deny" { "denied" } else { "allowed" });
    value["response"] = json!({
        "decision": decision, "source": "approver", "principal": "user:ada", "at": "2026-01-31T12:00:00.000Z",
        "seq": 50, "comment": comment
    });
    serde_json::from_value(value).expect("a call")
}

/// The same call with other members.
fn changed(call: &api::Call, members: &Value) -> api::Call {
    let mut value = serde_json::to_value(call).expect("JSON");
    for (name, member) in members.as_object().expect("an object") {
        value[name] = member.clone();
    }
    serde_json::from_value(value).expect("a call")
}

fn headers(given: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        let name = HeaderName::from_bytes(name.as_bytes()).expect("a name");
        (name, HeaderValue::from_str(value).expect("a value"))
    };
    given.iter().map(pair).collect()
}

/// The hexadecimal digits of bytes.
fn hex(bytes: &[u8]) -> String {
    let mut digits = String::new();
    for byte in bytes {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// A request that the library of its platform accepts at [`now`]; `tests/webhooks/run` checks that.
#[derive(serde::Deserialize)]
struct OfficialRequest {
    platform: String,
    secret: String,
    timestamp: String,
    body: String,
    signature: String,
}

impl OfficialRequest {
    fn read(platform: &str) -> Self {
        let text = include_str!("../../../../../tests/webhooks/chat_requests.json");
        let requests: Vec<Self> = serde_json::from_str(text).expect("JSON");
        requests.into_iter().find(|request| request.platform == platform).expect("a request")
    }

    fn headers(&self, time: &str, signature: &str) -> HeaderMap {
        headers(&[(time, &self.timestamp), (signature, &self.signature)])
    }
}
