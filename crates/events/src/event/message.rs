//! The messages of a conversation.

use super::{ErasedTexts, MessageFormat};
use crate::{Json, Sha256};
use serde::{Deserialize, Serialize};

/// `USER_MESSAGE`, `AGENT_MESSAGE` and the other types of messages: a part of the thread's conversation, in the form in
/// which it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationMessage {
    /// Its place in the conversation, from 0. A later event at the same place takes the place of this message and of all
    /// that follow it: the conversation was continued differently from there.
    pub position: u32,
    /// The format of the message.
    pub format: MessageFormat,
    /// The SHA-256 of the canonical form of the message as it was sent, with its secrets.
    pub content_hash: Sha256,
    /// The message. Secrets are masked.
    #[serde(default = "Json::null")]
    pub content: Json,
    /// RFC 6901 pointers to the masked values of `content`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The hash of the content, if it was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}
