//! Thread conversations in one format, for a model or for a client.

use crate::{CallState, Json, ThreadId};
use countersign_events::MessageFormat;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// For whom a conversation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationReader {
    /// A model: without approvals, and with one result after each call.
    Model,
    /// A client: everything, and the requests for pending calls.
    Client,
}

impl ConversationReader {
    /// The name in a request.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Client => "client",
        }
    }
}

impl FromStr for ConversationReader {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Model, Self::Client]
            .into_iter()
            .find(|reader| reader.as_str() == text)
            .ok_or("use model or client")
    }
}

/// A conversation in one format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "threadId": "t1", "format": "openai", "messages": [{"role": "user", "content": "Deploy it."}], "length": 1
}))))]
#[serde(rename_all = "camelCase")]
pub struct ConversationView {
    /// The thread.
    pub thread_id: ThreadId,
    /// The message format.
    pub format: MessageFormat,
    /// The instructions, if the model's API has them outside the messages: Anthropic's `system`, and Google's
    /// `systemInstruction`. Only for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub system: Option<Json>,
    /// The messages, in their order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub messages: Vec<Json>,
    /// The calls that have no result yet. The message after the call says so. Only for a model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<UnfinishedCall>,
    /// The parts that are left out, because the format cannot carry them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOutPart>,
    /// The number of messages that the conversation has in the log.
    pub length: u32,
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"id": "call_1", "state": "pending"}))))]
#[serde(rename_all = "camelCase")]
pub struct UnfinishedCall {
    /// The call's id.
    pub id: String,
    /// The call's state; absent if it was not proposed to Countersign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<CallState>,
}

/// A message part that is left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"position": 3, "what": "image_url"}))))]
#[serde(rename_all = "camelCase")]
pub struct LeftOutPart {
    /// Its message's position in the conversation.
    pub position: u32,
    /// The part, as its format names it.
    pub what: String,
}
