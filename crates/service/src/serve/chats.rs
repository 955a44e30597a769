//! The sender of webhook messages, and the receiver of clicks in chats.

use async_trait::async_trait;
use axum::http::HeaderMap;
use countersign_console::{CommandContext, webhook_sender};
use countersign_gate::EmbeddedGate;
use countersign_server::{ChatReceiver, ChatRejection, ServerOptions};
use countersign_webhooks::{ChatDoor, ChatRefusal, HttpWebhooks};
use serde_json::Value;
use std::{fmt, sync::Arc};

/// Creates the sender, and the gate that adds webhooks with it, and sets the receiver of clicks. `pages` is the server's address
/// for people.
pub(super) fn add_sender(
    context: &CommandContext,
    pages: Option<&str>,
    gate: &EmbeddedGate,
    options: &mut ServerOptions,
) -> (EmbeddedGate, Arc<HttpWebhooks>) {
    let sender = webhook_sender(&context.settings, pages);
    let gate = gate.with_webhooks(sender.clone());
    let door = ChatDoor::new(gate.clone(), Arc::clone(&sender), options.solo);
    options.chats = Some(Arc::new(ChatRequests(door)));
    (gate, sender)
}

/// Passes what chat platforms send to the chats of the log.
struct ChatRequests(ChatDoor);

impl fmt::Debug for ChatRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChatRequests")
    }
}

#[async_trait]
impl ChatReceiver for ChatRequests {
    async fn receive(&self, chat: &str, headers: &HeaderMap, body: &[u8]) -> Result<Value, ChatRejection> {
        self.0.receive(chat, headers, body).await.map_err(|refusal| {
            let why = refusal.to_string();
            match refusal {
                ChatRefusal::Forged | ChatRefusal::Old => ChatRejection::Unproven(why),
                ChatRefusal::Unusable(_) => ChatRejection::Unavailable(why),
                _ => ChatRejection::Invalid(why),
            }
        })
    }
}
