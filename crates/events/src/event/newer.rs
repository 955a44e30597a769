//! Events of types that a newer version has added.

use super::kind::NewerType;
use crate::{CallId, Json};
use serde::Deserialize;

/// An event whose type this version does not know. Its author says what older versions may do beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewerEvent {
    /// The type.
    pub kind: NewerType,
    /// The call that it is about (`toolCallId`); `None` if it is about its thread, or about the whole log.
    pub call: Option<CallId>,
    /// Whether its author says that versions without this type may decide and claim as if it were not there
    /// (`harmless`).
    pub is_harmless: bool,
    /// Everything that it says.
    pub data: Json,
}

/// The members that have the same meaning in every later type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommonMembers {
    tool_call_id: Option<serde_json::Value>,
    harmless: Option<serde_json::Value>,
}

impl NewerEvent {
    pub(super) fn read(kind: NewerType, data: &Json) -> Result<Self, serde_json::Error> {
        let CommonMembers { tool_call_id, harmless } = data.read()?;
        // What cannot be read names no call, and the event then concerns every call of its thread.
        let call = tool_call_id.and_then(|id| serde_json::from_value(id).ok());
        Ok(Self { kind, call, is_harmless: harmless == Some(true.into()), data: data.clone() })
    }
}
