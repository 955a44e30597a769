//! Statistics of calls.

use crate::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Statistics of the calls that were proposed in a span of time.
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
    /// From when on; from the beginning, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Before when; up to now, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Of all calls.
    pub total: CallCounts,
    /// How many were decided by each source: `approver`, `policy`, `grant`, `mode`, `expiry`, `cancellation`.
    pub by_source: BTreeMap<String, u64>,
    /// Of each tool, the most asked about first.
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
    /// The tool.
    pub tool: String,
    /// In numbers.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// How many calls came to what.
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
    /// Proposed.
    pub calls: u64,
    /// People were asked.
    pub asked: u64,
    /// Allowed, by whomever or whatever.
    pub allowed: u64,
    /// Denied by a person, a rule or a mode.
    pub denied: u64,
    /// It expired without a decision.
    pub expired: u64,
    /// Withdrawn before anybody decided.
    pub cancelled: u64,
    /// People were asked and did not answer: the request expired or was withdrawn.
    pub abandoned: u64,
    /// Still wait for people.
    pub waiting: u64,
    /// Started.
    pub ran: u64,
    /// Ran and failed.
    pub failed: u64,
    /// How long people took to decide, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_decide: Option<DurationPercentiles>,
}

/// How spans of time spread, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}))))]
#[serde(rename_all = "camelCase")]
pub struct DurationPercentiles {
    /// Half took no longer.
    pub median_ms: u64,
    /// Nine of ten took no longer.
    pub p90_ms: u64,
    /// Ninety-nine of a hundred took no longer.
    pub p99_ms: u64,
    /// The longest.
    pub max_ms: u64,
}
