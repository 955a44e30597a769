//! Delegations: a person hands their queue to another one.

use crate::{Principal, Timestamp};
use serde::{Deserialize, Serialize};

/// A request to hand the caller's queue to another person. It says either `until` or `expiresInSeconds`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"to": "user:ben", "expiresInSeconds": 604_800, "comment": "on leave"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelegationRequest {
    /// The person who may decide in the caller's place.
    pub to: Principal,
    /// The moment at which it ends, at most 90 days from now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The number of seconds after which it ends: up to 90 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, minimum = 1, maximum = 7_776_000_u32))]
    pub expires_in_seconds: Option<u32>,
    /// The reason, for people. The log keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1_024))]
    pub comment: Option<String>,
}

/// A request to end a delegation before its time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"comment": "back again"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EndDelegationRequest {
    /// The reason, for people. The log keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1_024))]
    pub comment: Option<String>,
}

/// A person has handed their queue to another person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "seq": 7, "from": "user:ada", "to": "user:ben", "at": "2026-01-31T12:00:00.000Z", "until": "2026-02-07T12:00:00.000Z", "comment": "on leave"
}))))]
#[serde(rename_all = "camelCase")]
pub struct Delegation {
    /// The `seq` of the event that set it, which identifies it.
    pub seq: i64,
    /// The person who handed over.
    pub from: Principal,
    /// The person who may decide in their place.
    pub to: Principal,
    /// When it was set.
    pub at: Timestamp,
    /// The moment at which it ends.
    pub until: Timestamp,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The active delegations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"delegations": [{
    "seq": 7, "from": "user:ada", "to": "user:ben", "at": "2026-01-31T12:00:00.000Z", "until": "2026-02-07T12:00:00.000Z", "comment": "on leave"
}]}))))]
#[serde(rename_all = "camelCase")]
pub struct DelegationList {
    /// The delegations, the oldest first.
    pub delegations: Vec<Delegation>,
}
