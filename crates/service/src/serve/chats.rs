//! The receiver of clicks in chats.

use async_trait::async_trait;
use axum::http::{HeaderMap, StatusCode};
use countersign_server::ChatReceiver;
use countersign_webhooks::ChatDoor;
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
    async fn receive(&self, chat: &str, headers: &HeaderMap, body: &[u8]) -> (StatusCode, Option<Value>) {
        let (status, body) = self.0.receive(chat, headers, body).await;
        (StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), body)
    }
}
