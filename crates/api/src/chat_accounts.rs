//! Chat accounts that stand for people.

use countersign_events::{Principal, Timestamp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A request to link a chat account to the caller.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({ "code": "eyJ3Ijo3LCJhIjoiVDEvVTIifQ.c2lnbmF0dXJl" }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LinkChatAccountRequest {
    /// The code that the chat gave to the account. It is valid for ten minutes.
    #[cfg_attr(feature = "openapi", schema(max_length = 2_048))]
    pub code: String,
}

/// Without the code.
impl fmt::Debug for LinkChatAccountRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkChatAccountRequest").finish_non_exhaustive()
    }
}

/// A chat account that stands for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "seq": 12, "chat": "ops", "account": "T01/U02", "name": "ada", "person": "user:ada", "linkedAt": "2026-01-31T12:00:00.000Z"
}))))]
#[serde(rename_all = "camelCase")]
pub struct ChatAccount {
    /// The `seq` of the event that linked it, which identifies the link.
    pub seq: i64,
    /// The name of the chat's webhook; absent if it was removed, which ends the link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat: Option<String>,
    /// The account, as the chat names it permanently.
    pub account: String,
    /// The account name, as the chat showed it.
    pub name: String,
    /// The person.
    pub person: Principal,
    /// When the person linked it.
    pub linked_at: Timestamp,
    /// Why it decides nothing, if it does not: its person has signed out, or may not decide any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// Chat accounts that stand for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({ "accounts": [{
    "seq": 12, "chat": "ops", "account": "T01/U02", "name": "ada", "person": "user:ada", "linkedAt": "2026-01-31T12:00:00.000Z"
}] }))))]
#[serde(rename_all = "camelCase")]
pub struct ChatAccountList {
    /// The accounts, the earliest link first.
    pub accounts: Vec<ChatAccount>,
}
