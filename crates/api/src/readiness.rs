//! True if everything is as it should be.

use crate::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

/// The log was written and read, and the feed keeps up with it.
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
    /// `ready`.
    pub status: String,
    /// How long the log is.
    pub events: i64,
    /// How many requests wait for people.
    pub open: i64,
    /// How many rules the policy has.
    pub rules: usize,
    /// The hash of the policy that is in force.
    pub policy: Sha256,
    /// Why a newer policy is not in force, if there is one that cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_trouble: Option<String>,
    /// The program's version.
    pub version: String,
}

/// The requests that are open now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenRequestCount {
    /// How many requests.
    pub open: i64,
    /// Since when the oldest does.
    pub oldest: Option<Timestamp>,
}
