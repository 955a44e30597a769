//! Statistics of calls.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Statistics of the calls that were proposed in a time span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"total": {"calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}}, "bySource": {"approver": 2, "policy": 1}, "tools": []}))))]
#[serde(rename_all = "camelCase")]
pub struct CallStatistics {
    /// The start of the time span, inclusive; absent if it begins with the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The end of the time span, exclusive; absent if it ends now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The counts of all calls.
    pub total: CallCounts,
    /// The number of calls decided by each source: `approver`, `policy`, `grant`, `mode`, `expiry`, `cancellation`.
    pub by_source: BTreeMap<String, u64>,
    /// The counts of each tool, the tool that people were asked about most often first.
    pub tools: Vec<ToolStatistics>,
}

/// Statistics of the calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "tool": "bash",
        "calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ToolStatistics {
    /// The name of the tool.
    pub tool: String,
    /// The counts of its calls.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// The number of calls with each outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct CallCounts {
    /// Calls that were proposed.
    pub calls: u64,
    /// Calls that people were asked about.
    pub asked: u64,
    /// Calls that were allowed, by any source.
    pub allowed: u64,
    /// Calls that a person, the policy, a grant or the mode denied.
    pub denied: u64,
    /// Calls whose request expired without a decision of a person.
    pub expired: u64,
    /// Calls that were cancelled before a decision.
    pub cancelled: u64,
    /// Calls that people were asked about but did not decide: the request expired or was cancelled.
    pub abandoned: u64,
    /// Calls that are still pending.
    pub waiting: u64,
    /// Calls that an executor started.
    pub ran: u64,
    /// Calls that ran and failed.
    pub failed: u64,
    /// The time that people took to decide; absent if they decided no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_decide: Option<DurationPercentiles>,
}

/// Percentiles of durations, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}))))]
#[serde(rename_all = "camelCase")]
pub struct DurationPercentiles {
    /// The median.
    pub median_ms: u64,
    /// The 90th percentile.
    pub p90_ms: u64,
    /// The 99th percentile.
    pub p99_ms: u64,
    /// The longest duration.
    pub max_ms: u64,
}
