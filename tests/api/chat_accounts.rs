//! Chat accounts over HTTP: who links, sees and unlinks one, and how long it stands for its person.

use crate::own_server::OwnServer;
use countersign_api::{SendOperation, operations};
use countersign_events::{Principal, ProviderAccount, Role, Sha256, TokenKind};
use countersign_gate::{AccountHolder, ChatLinkCode, SessionPages, SessionSpans};
use countersign_store::{Clock, ManualClock};
use countersign_tests::{HttpAnswer, in_time, server_options};
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use insta::assert_snapshot;
use reqwest::Method;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

const PATH: &str = "/v1/chat-accounts";

const HOUR: Duration = Duration::from_hours(1);

/// A server with a chat, whose clock the test moves.
struct ChatServer {
    server: OwnServer,
    sender: Arc<HttpWebhooks>,
    clock: Arc<ManualClock>,
    webhook: i64,
}

impl ChatServer {
    async fn start() -> Self {
        let (clock, manual) = Clock::manual("2026-01-31T12:00:00.000Z".parse().expect("a time"));
        let mut sender = None;
        let server = OwnServer::start_with(server_options(clock), |gate, folder| {
            let key = WebhookKeyFile::new(folder.join("webhook.key"));
            let made = sender.insert(Arc::new(HttpWebhooks::new(key, "https://approvals.example")));
            gate.with_webhooks(made.clone())
        });
        let server = server.await;
        let chat = json!({
            "name": "ops", "format": "slack-app", "allowPrivate": true, "arguments": true,
            "url": "https://127.0.0.1/api/chat.postMessage?channel=C1#xoxb-1:secret"
        });
        let body = serde_json::from_value(chat).expect("a request");
        let root = server.gate.acting_as(Principal::user("root"));
        let webhook = root.send(operations::AddWebhook { body }).await.expect("added").webhook.seq;
        Self { server, sender: sender.expect("made"), clock: manual, webhook }
    }

    async fn code(&self, account: &str, name: &str) -> String {
        let log = self.server.gate.log_id().await.expect("a log");
        let (account, name) = (account.to_owned(), name.to_owned());
        let account = ChatLinkCode { webhook: self.webhook, account, name };
        self.sender.make_link_code(log, &account, self.server.gate.clock().now()).expect("a code")
    }

    async fn links(&self, token: &str, code: &str) -> HttpAnswer {
        self.server.asks(token, Method::POST, PATH, &json!({ "code": code }).to_string()).await
    }

    async fn accounts(&self, token: &str) -> Vec<String> {
        let list = self.server.asks(token, Method::GET, PATH, "").await.json();
        let accounts = list["accounts"].as_array().expect("accounts").iter();
        accounts.map(|account| account["account"].as_str().expect("an account").to_owned()).collect()
    }

    /// For whom the account decides now, or why it decides nothing.
    fn stands_for(&self, account: &str) -> String {
        match self.server.gate.check_chat_account(self.webhook, account, false) {
            None => "nobody".to_owned(),
            Some(checked) => match checked.holder {
                Ok(holder) => holder.name.clone(),
                Err(why) => why.to_string(),
            },
        }
    }
}

#[tokio::test]
async fn account_is_linked_listed_and_unlinked() {
    in_time(async {
        let chat = ChatServer::start().await;
        let server = &chat.server;
        let (ada, bob) = (server.token("ada", Role::Approver).await, server.token("bob", Role::Approver).await);
        let root = server.token("root", Role::Admin).await;
        let code = chat.code("slack:T1/U1", "ada.l").await;
        let linked = chat.links(&ada, &code).await;
        assert_eq!(linked.status, 201, "{linked}");
        assert_eq!((linked.text("person"), linked.text("chat")), ("user:ada".to_owned(), "ops".to_owned()));
        assert_eq!(chat.links(&ada, &code).await.body, linked.body, "a repeated request changes nothing");
        assert_snapshot!(chat.links(&bob, &code).await, @"422 invalid: account: it is linked to user:ada, who unlinks it first");
        assert_eq!(chat.links(&bob, &chat.code("slack:T1/U2", "bob").await).await.status, 201);
        assert_eq!(chat.accounts(&ada).await, ["slack:T1/U1"]);
        assert_eq!(chat.accounts(&root).await, ["slack:T1/U1", "slack:T1/U2"]);
        assert_eq!((chat.stands_for("slack:T1/U1"), chat.stands_for("slack:T1/U9")), ("ada".to_owned(), "nobody".to_owned()));
        let path = format!("{PATH}/{}", linked.value("seq"));
        let foreign = server.asks(&bob, Method::DELETE, &path, "").await;
        assert_snapshot!(foreign, @"403 not_permitted: this is the account of another person, which only an admin unlinks");
        assert_eq!(server.asks(&ada, Method::DELETE, &path, "").await.status, 200);
        assert_snapshot!(server.asks(&ada, Method::DELETE, &path, "").await, @"404 unknown_chat_account: no such chat account");
        assert_eq!(chat.stands_for("slack:T1/U1"), "nobody");
        assert_eq!(server.asks(&root, Method::DELETE, &format!("{PATH}/x"), "").await.status, 422);
        chat.server.end().await;
    })
    .await;
}

#[tokio::test]
async fn bad_code_links_nothing() {
    in_time(async {
        let chat = ChatServer::start().await;
        let ada = chat.server.token("ada", Role::Approver).await;
        let code = chat.code("slack:T1/U1", "ada.l").await;
        for bad in [code[1..].to_owned(), format!("{code}A"), String::new(), "x".repeat(3_000)] {
            let answer = chat.links(&ada, &bad).await;
            assert_eq!((answer.status, answer.text("code").as_str()), (422, "invalid"), "{bad}: {answer}");
            assert!(answer.text("detail").starts_with("code: "), "{answer}");
        }
        for (name, role) in [("eve", Role::Auditor), ("root", Role::Admin), ("bot", Role::Agent)] {
            let token = chat.server.token(name, role).await;
            assert_eq!(chat.links(&token, &code).await.status, 403, "{name}");
        }
        chat.clock.advance(Duration::from_mins(10));
        assert_snapshot!(chat.links(&ada, &code).await, @"422 invalid: code: it has expired; press the button in the chat again");
        let code = chat.code("slack:T1/U1", "ada.l").await;
        // A caller whom a proxy names has no credential here, so nothing would end the link.
        let gate = chat.server.gate.acting_as(Principal::user("ada"));
        let request = serde_json::from_value(json!({ "code": code })).expect("a request");
        let refused = gate.link_chat_account(&request, None).await.expect_err("refused");
        assert!(refused.to_string().contains("only a session of this server"), "{refused}");
        let root = chat.server.gate.acting_as(Principal::user("root"));
        root.send(operations::RemoveWebhook { name: "ops".to_owned() }).await.expect("removed");
        assert_eq!(chat.links(&ada, &code).await.text("code"), "unknown_webhook");
        chat.server.end().await;
    })
    .await;
}

/// Signs Ada in at an identity provider, and returns the id of her session.
async fn signs_in(chat: &ChatServer, role: Role) -> String {
    let account =
        ProviderAccount { issuer: "https://login.example".to_owned(), subject: "248289761001".to_owned() };
    let holder = AccountHolder {
        account,
        name: "ada".to_owned(),
        role,
        level: None,
        groups: Vec::new(),
        sign_in: Sha256::digest(chat.server.gate.clock().now().to_string().as_bytes()),
    };
    let pages = SessionPages::new(Some("https://approvals.example".to_owned())).expect("random");
    let spans = SessionSpans { idle: HOUR, longest: 8 * HOUR };
    let started = chat.server.gate.start_account_session(&holder, &pages, spans).await.expect("started");
    started.1.id
}

#[tokio::test]
async fn link_ends_with_the_credential_behind_it() {
    in_time(async {
        let chat = ChatServer::start().await;
        let link = async |account: &str, token: &str| {
            let request: Value = json!({ "code": chat.code(account, "ada").await });
            let request = serde_json::from_value(request).expect("a request");
            let gate = chat.server.gate.acting_as(Principal::user("ada"));
            gate.link_chat_account(&request, Some(token)).await.expect("linked");
        };
        let first = signs_in(&chat, Role::Approver).await;
        link("slack:T1/U1", &first).await;
        assert_eq!(chat.stands_for("slack:T1/U1"), "ada");
        chat.clock.advance(2 * HOUR);
        assert_eq!(chat.stands_for("slack:T1/U1"), "ada", "a session idles, and the link works");
        chat.clock.advance(7 * HOUR);
        assert_eq!(chat.stands_for("slack:T1/U1"), "the session of its person is over");
        let second = signs_in(&chat, Role::Approver).await;
        assert_eq!(chat.stands_for("slack:T1/U1"), "ada", "the next session continues the link");
        let root = chat.server.gate.acting_as(Principal::user("root"));
        let body = serde_json::from_value(json!({ "reason": "signed out" })).expect("a request");
        root.send(operations::RevokeToken { id: second, body }).await.expect("revoked");
        assert_eq!(
            chat.stands_for("slack:T1/U1"),
            "its person has signed out, or the credential was revoked"
        );
        chat.clock.advance(HOUR);
        signs_in(&chat, Role::Auditor).await;
        assert_eq!(chat.stands_for("slack:T1/U1"), "its person may not decide any more");
        let token = chat.server.creates_token("ada", Role::Approver, &[], TokenKind::Token).await;
        let id = token.split('_').nth(1).expect("an id").to_owned();
        link("slack:T1/U2", &id).await;
        assert_eq!(chat.stands_for("slack:T1/U2"), "ada");
        chat.clock.advance(2 * HOUR);
        assert_eq!(
            chat.stands_for("slack:T1/U2"),
            "the session of its person is over",
            "the token has expired"
        );
        chat.server.end().await;
    })
    .await;
}
