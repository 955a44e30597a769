//! The receiver of clicks in chats.

use async_trait::async_trait;
use axum::http::HeaderMap;
use countersign_server::{ChatReceiver, ChatRejection};
use countersign_webhooks::{ChatDoor, ChatRefusal};
use serde_json::Value;
use std::fmt;

/// Passes what chat platforms send to the chats of the log.
pub(super) struct ChatRequests(pub(super) ChatDoor);

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
