//! A chat that decides, with a real server: Slack is played on this machine from its documentation.

use countersign_events::{Event, EventType};
use countersign_store::Clock;
use countersign_tests::{HttpAnswer, ProcessWorld, Server, TargetAnswer, WebhookTarget, new_client};
use reqwest::{Method, Url};
use ring::hmac;
use serde_json::{Value, json};
use std::{fs, sync::Arc};

on_each_database!(click_decides_for_the_person_behind_the_account, refused_clicks_decide_nothing);

/// The secret with which the played Slack signs.
const SECRET: &str = "8f742231b10e8888abcd99yyyzzz85a5";

const POLICY: &str = r#"
default = "ask"

[[rule]]
name = "deployments"
tool = "deploy"
verdict = "ask"
decideIn = ["chat"]

[[rule]]
name = "transfers"
tool = "transfer"
verdict = "ask"
"#;

/// A server with a chat, and Ada with a token of her own.
struct PlayedChat {
    world: ProcessWorld,
    server: Server,
    slack: WebhookTarget,
    ada: String,
    token_id: String,
}

impl PlayedChat {
    async fn start(world: ProcessWorld) -> Self {
        let file = world.file("policy.toml");
        fs::write(&file, POLICY).expect("a file");
        let words = ["--public-url", "https://approvals.example", "--policy", &file.display().to_string()];
        let server = world.serves_with(&words).await;
        let posted = json!({ "ok": true, "channel": "C1", "ts": "1700000000.000100" }).to_string();
        let slack = WebhookTarget::start(move |_, _| TargetAnswer::Json(posted.clone())).await;
        let origin = slack.url().replace("/secret-path", "");
        let url = format!("{origin}/api/chat.postMessage?channel=C1#xoxb-T0K3N:{SECRET}");
        let add = [
            "--json",
            "webhook",
            "add",
            "ops",
            &url,
            "--format",
            "slack-app",
            "--allow-private",
            "--arguments",
        ];
        let (code, output) = world.runs(&add).await;
        assert_eq!(code, 0, "{output}");
        assert!(!output.contains("T0K3N") && !output.contains(SECRET), "{output}");
        let (code, output) =
            world.runs(&["--json", "token", "create", "--name", "ada", "--role", "approver"]).await;
        assert_eq!(code, 0, "{output}");
        let created: Value = serde_json::from_str(&output).expect("JSON");
        let text = |name: &str| created[name].as_str().expect("a string").to_owned();
        Self {
            ada: text("secret"),
            token_id: created["token"]["id"].as_str().expect("an id").to_owned(),
            world,
            server,
            slack,
        }
    }

    /// Proposes a call, and waits for its message. Requests about earlier calls are skipped.
    async fn proposes(&mut self, id: &str, tool: &str) -> Value {
        let call = json!({ "id": id, "name": tool, "arguments": { "cluster": id } });
        let answer = self.server.agent("bot").post("/v1/threads/t/tool-calls", call.to_string()).await;
        assert_eq!(answer.status, 201, "{answer}");
        loop {
            let received = self.slack.receives().await;
            if received.path == "/api/chat.postMessage" {
                return received.json();
            }
        }
    }

    /// Presses a button of a message.
    async fn clicks(&self, message: &Value, button: &str) -> HttpAnswer {
        let body = self.click_body(message, button);
        self.sends(&body, &sign(SECRET, now(), &body), now()).await
    }

    fn click_body(&self, message: &Value, button: &str) -> String {
        let buttons = message["blocks"].as_array().expect("blocks").last().expect("a block");
        let buttons = buttons["elements"].as_array().expect("buttons");
        let pressed = buttons.iter().find(|found| found["text"]["text"] == button);
        let pressed = pressed.unwrap_or_else(|| panic!("no button {button}: {message}"));
        let payload = json!({
            "type": "block_actions",
            "team": { "id": "T1" },
            "user": { "id": "U2", "username": "ada.l", "name": "ada.l", "team_id": "T1" },
            "container": { "type": "message", "message_ts": "1700000000.000100", "channel_id": "C1" },
            "channel": { "id": "C1" },
            "message": { "ts": "1700000000.000100", "text": message["text"], "blocks": message["blocks"] },
            "response_url": self.slack.url().replace("secret-path", "answer"),
            "actions": [pressed],
        });
        form(&payload)
    }

    async fn sends(&self, body: &str, signature: &str, seconds: u64) -> HttpAnswer {
        let request = new_client().post(format!("{}/chats/ops", self.server.url));
        let request = request
            .header("content-type", "application/x-www-form-urlencoded")
            .header("x-slack-request-timestamp", seconds.to_string())
            .header("x-slack-signature", signature);
        HttpAnswer::to(request.body(body.to_owned())).await
    }

    /// What the person alone reads after a click.
    async fn is_told(&mut self) -> String {
        let told = self.slack.receives().await;
        assert_eq!(told.path, "/answer");
        assert_eq!(told.json()["replace_original"], false, "{}", told.body);
        told.body
    }

    /// Links the account with the code in what the chat has told.
    async fn links(&self, told: &str) -> HttpAnswer {
        let code = told.split("/settings?chat=").nth(1).expect("a link");
        let is_code = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
        let code: String = code.chars().take_while(is_code).collect();
        self.asks(Method::POST, "/v1/chat-accounts", &json!({ "code": code })).await
    }

    async fn asks(&self, method: Method, path: &str, body: &Value) -> HttpAnswer {
        let request =
            new_client().request(method, format!("{}{path}", self.server.url)).bearer_auth(&self.ada);
        HttpAnswer::to(request.header("content-type", "application/json").body(body.to_string())).await
    }

    async fn state(&self, id: &str) -> String {
        self.server.get(&format!("/v1/threads/t/tool-calls/{id}")).await.text("state")
    }

    async fn ends(self) -> Vec<Arc<Event>> {
        assert_eq!(self.server.terminated().await.code, 0);
        self.world.verified_log().await
    }
}

/// The body of a form with the payload of Slack.
fn form(payload: &Value) -> String {
    let mut url = Url::parse("http://form/").expect("an address");
    url.query_pairs_mut().append_pair("payload", &payload.to_string());
    url.query().expect("a query").to_owned()
}

fn now() -> u64 {
    Clock::System.now().as_millis().unsigned_abs() / 1_000
}

fn sign(secret: &str, seconds: u64, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("v0:{seconds}:{body}").as_bytes());
    tag.as_ref().iter().fold("v0=".to_owned(), |text, byte| format!("{text}{byte:02x}"))
}

async fn click_decides_for_the_person_behind_the_account(world: ProcessWorld) {
    let mut chat = PlayedChat::start(world).await;
    let message = chat.proposes("a", "deploy").await;
    assert_eq!(chat.clicks(&message, "Allow").await.status, 200);
    let told = chat.is_told().await;
    assert!(told.contains("https://approvals.example/settings?chat="), "{told}");
    assert_eq!(chat.state("a").await, "pending", "an account that is linked to nobody decides nothing");
    let linked = chat.links(&told).await;
    assert_eq!(
        (linked.status, linked.text("account"), linked.text("person")),
        (201, "slack:T1/U2".to_owned(), "user:ada".to_owned())
    );
    assert_eq!(chat.clicks(&message, "Allow").await.status, 200);
    assert_eq!(chat.state("a").await, "allowed");
    // The answer to the click and the delivery both change the message.
    let changed = chat.slack.receives().await;
    assert!(
        changed.body.contains("Allowed: deploy") && changed.body.contains("user:ada"),
        "{}",
        changed.body
    );
    assert!(!changed.body.contains("\"value\""), "no button decides any more: {}", changed.body);
    let message = chat.proposes("b", "deploy").await;
    assert_eq!(chat.clicks(&message, "Allow for 1 hour").await.status, 200);
    assert_eq!(chat.state("b").await, "allowed");
    let log = chat.ends().await;
    let responses: Vec<Value> = log
        .iter()
        .filter(|event| event.kind == EventType::ApprovalResponse)
        .map(|event| {
            let data: Value = event.data.read().expect("JSON");
            json!([event.principal, data["decision"], data["channel"], data["scope"]])
        })
        .collect();
    assert_eq!(
        responses,
        [
            json!(["user:ada", "allow_once", "chat", null]),
            json!(["user:ada", "allow_session", "chat", "exact"])
        ]
    );
}

async fn refused_clicks_decide_nothing(world: ProcessWorld) {
    let mut chat = PlayedChat::start(world).await;
    let message = chat.proposes("a", "deploy").await;
    chat.clicks(&message, "Allow").await;
    let told = chat.is_told().await;
    assert_eq!(chat.links(&told).await.status, 201);
    let body = chat.click_body(&message, "Allow");
    for (signature, seconds) in [
        (sign("another secret", now(), &body), now()),
        (sign(SECRET, now(), &format!("{body}&x")), now()),
        (sign(SECRET, now() - 600, &body), now() - 600),
        (sign(SECRET, now() - 600, &body), now()),
        (String::new(), now()),
    ] {
        let answer = chat.sends(&body, &signature, seconds).await;
        assert_eq!(answer.status, 401, "{signature} {seconds}: {answer}");
    }
    let forged = body.replace("a.", "h.");
    assert_ne!(forged, body);
    assert_eq!(chat.sends(&forged, &sign(SECRET, now(), &forged), now()).await.status, 401, "another button");
    let edited = body.replace("deploy", "harmless");
    let answer = chat.sends(&edited, &sign(SECRET, now(), &edited), now()).await;
    assert_eq!(answer.status, 200, "the person is told: {answer}");
    assert_eq!(chat.state("a").await, "pending");
    let unknown = new_client().post(format!("{}/chats/other", chat.server.url)).body("payload={}");
    assert_eq!(HttpAnswer::to(unknown).await.status, 401);
    // A rule without decideIn offers only a link.
    let transfer = chat.proposes("b", "transfer").await;
    assert!(!transfer.to_string().contains("\"value\""), "{transfer}");
    // Without her token, Ada's account decides nothing.
    let revoked = chat.world.runs(&["token", "revoke", &chat.token_id.clone()]).await;
    assert_eq!(revoked.0, 0, "{}", revoked.1);
    assert_eq!(chat.clicks(&message, "Allow").await.status, 200);
    assert_eq!(chat.state("a").await, "pending");
    // A decided call is not decided again, and the click that comes too late is told so.
    let denied = chat.server.person("ben").denies("a").await;
    assert_eq!(denied.status, 200, "{denied}");
    assert_eq!(chat.clicks(&message, "Allow").await.status, 200);
    assert_eq!(chat.state("a").await, "denied");
    let log = chat.ends().await;
    let by: Vec<_> = log.iter().filter(|event| event.kind == EventType::ApprovalResponse).collect();
    assert_eq!(by.iter().map(|event| event.principal.as_str()).collect::<Vec<_>>(), ["user:ben"]);
}
