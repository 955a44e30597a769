//! The readiness report, and the count of open requests.

use crate::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

/// The report on a successful readiness check: the log accepts writes and reads, and the feed keeps up with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "status": "ready",
        "events": 5,
        "open": 0,
        "rules": 1,
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51",
        "version": "0.1.0"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ReadinessReport {
    /// Always `ready`.
    pub status: String,
    /// The number of events in the log.
    pub events: i64,
    /// The number of open requests.
    pub open: i64,
    /// The number of rules in the policy.
    pub rules: usize,
    /// The active policy's hash.
    pub policy: Sha256,
    /// Why a newer policy file cannot be read and is not active; absent if the newest file is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_trouble: Option<String>,
    /// When the server's TLS certificate expires; absent without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_expires_at: Option<Timestamp>,
    /// Why the newest TLS certificate is not in use, or that it has expired; absent if all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_trouble: Option<String>,
    /// The time at which this server last found its newest checkpoint at the log's end, or signed one; absent if it
    /// signs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_at: Option<Timestamp>,
    /// Why this server could not sign the last checkpoint; absent if all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_trouble: Option<String>,
    /// The webhooks with messages that could not be delivered; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_trouble: Option<String>,
    /// The program's version.
    pub version: String,
}

/// The number and age of the open requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRequestCount {
    /// The number of open requests.
    pub open: i64,
    /// The oldest open request's time; `None` without open requests.
    pub oldest: Option<Timestamp>,
}
