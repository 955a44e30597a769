//! Conversation messages.

use super::{ErasedTexts, MessageFormat};
use crate::{Json, Sha256};
use serde::{Deserialize, Serialize};

macro_rules! conversation_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Conversation {
            /// A person's message to the model.
            UserMessage(ConversationMessage) = "USER_MESSAGE" { content: ["content"], },
            /// A model message.
            AgentMessage(ConversationMessage) = "AGENT_MESSAGE" { content: ["content"], },
            /// The model's standing instructions.
            SystemPrompt(ConversationMessage) = "SYSTEM_PROMPT" { content: ["content"], },
            /// A person's own standing instructions.
            UserSystemPrompt(ConversationMessage) = "USER_SYSTEM_PROMPT" { content: ["content"], },
            /// A message of the program to the person, hidden from the model.
            LocalSystemMessage(ConversationMessage) = "LOCAL_SYSTEM_MESSAGE" { content: ["content"], },
            /// A summary that replaces the messages before it.
            Compaction(ConversationMessage) = "COMPACTION" { content: ["content"], },
        } }
    };
}
pub(super) use conversation_events;

/// `USER_MESSAGE`, `AGENT_MESSAGE` and the other types of messages: a part of the thread's conversation, in the form in
/// which it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationMessage {
    /// Its place in the conversation, from 0. A later event at the same place takes the place of this message and of all
    /// that follow it: the conversation was continued differently from there.
    pub position: u32,
    /// The message's format.
    pub format: MessageFormat,
    /// The SHA-256 of the message's canonical form as it was sent, with its secrets.
    pub content_hash: Sha256,
    /// The message. Secrets are masked.
    #[serde(default = "Json::null")]
    pub content: Json,
    /// RFC 6901 pointers to the masked values of `content`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The content's hash, if it was erased.
    #[serde(default, skip_serializing_if = "ErasedTexts::is_empty")]
    pub erased: ErasedTexts,
}
