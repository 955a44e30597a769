//! The scene with chat accounts.

use super::{
    GoldenStage,
    stage::{named, read_body},
};
use countersign_api::{LinkChatAccountRequest, SendOperation, operations};
use countersign_gate::ChatLinkCode;
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use serde_json::json;
use std::sync::Arc;

/// A person links two accounts of a chat, and unlinks one.
pub(super) async fn play_chats(stage: &GoldenStage) {
    let key = WebhookKeyFile::new(stage.file("webhook.key"));
    let sender = Arc::new(HttpWebhooks::new(key, "https://approvals.example"));
    let token = json!({"name": "ada", "role": "approver", "kind": "token"});
    let token = stage.send("user:root", operations::CreateToken { body: read_body(&token) }).await.token.id;
    let gate = stage.gate.with_webhooks(sender.clone()).acting_as(named("user:ada"));
    let chat = json!({
        "name": "chat", "format": "slack-app", "allowPrivate": true, "arguments": true,
        "url": "https://127.0.0.1/api/chat.postMessage?channel=C1#xoxb-1:secret"
    });
    let chat = gate.send(operations::AddWebhook { body: read_body(&chat) }).await.expect("added");
    let log = gate.log_id().await.expect("a log");
    let link = async |account: &str, name: &str| {
        stage.passes(1);
        let (account, name) = (account.to_owned(), name.to_owned());
        let account = ChatLinkCode { webhook: chat.webhook.seq, account, name };
        let code = sender.make_link_code(log, &account, gate.clock().now()).expect("a code");
        gate.link_chat_account(&LinkChatAccountRequest { code }, Some(&token)).await.expect("linked")
    };
    link("slack:T1/U1", "ada").await;
    let old = link("slack:T1/U2", "ada.old").await;
    stage.passes(1);
    gate.send(operations::UnlinkChatAccount { seq: old.seq }).await.expect("unlinked");
}
