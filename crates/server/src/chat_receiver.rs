//! The receiver of what chat platforms send.

use async_trait::async_trait;
use axum::http::{HeaderMap, StatusCode};
use serde_json::Value;
use std::fmt::Debug;

/// Receives the requests of chat platforms. They have no credential of this server: the platform's own signature proves them.
#[async_trait]
pub trait ChatReceiver: Debug + Send + Sync {
    /// Answers a request to the chat with this name. `None` is an empty body.
    async fn receive(&self, chat: &str, headers: &HeaderMap, body: &[u8]) -> (StatusCode, Option<Value>);
}
