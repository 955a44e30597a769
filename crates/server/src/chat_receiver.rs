//! The receiver of what chat platforms send.

use crate::problem::ProblemResponse;
use async_trait::async_trait;
use axum::http::HeaderMap;
use countersign_api::ErrorCode;
use serde_json::Value;
use std::fmt::Debug;

/// Receives the requests of chat platforms. They have no credential of this server: the platform's own signature proves them.
#[async_trait]
pub trait ChatReceiver: Debug + Send + Sync {
    /// Answers a request to the chat with this name.
    async fn receive(&self, chat: &str, headers: &HeaderMap, body: &[u8]) -> Result<Value, ChatRejection>;
}

/// Why a platform's request is not answered, with a text for people.
#[derive(Debug)]
pub enum ChatRejection {
    /// It does not prove that the platform sent it now.
    Unproven(String),
    /// It has not the form that the platform documents.
    Invalid(String),
    /// The chat cannot be used now.
    Unavailable(String),
}

impl From<ChatRejection> for ProblemResponse {
    fn from(rejection: ChatRejection) -> Self {
        match rejection {
            ChatRejection::Unproven(why) => Self::new(ErrorCode::Unauthenticated, why),
            ChatRejection::Invalid(why) => Self::new(ErrorCode::Invalid, why),
            ChatRejection::Unavailable(why) => Self::new(ErrorCode::DatabaseUnavailable, why),
        }
    }
}
