//! Statistics of calls.

use crate::{DurationHistogram, DurationPercentiles, Timestamp, utc_offset::UtcOffset};
use countersign_events::{Basis, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most days in one answer. An answer with more has the latest ones.
pub const MAX_STATISTICS_DAYS: usize = 1_000;

/// The most things in one answer. An answer with more has those that the most calls touch.
pub const MAX_STATISTICS_THINGS: usize = 500;

/// The most rules in one answer. An answer with more has those that judged the most calls.
pub const MAX_STATISTICS_RULES: usize = 4_000;

/// A request for statistics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StatisticsQuery {
    /// Only calls that were proposed from this time on, inclusive.
    pub since: Option<Timestamp>,
    /// Only calls that were proposed before this time, exclusive.
    pub until: Option<Timestamp>,
    /// The offset from UTC at which the answer counts each day; `None` leaves the days out.
    pub days_at: Option<UtcOffset>,
    /// Whether the answer says what the calls touch.
    pub touched: bool,
    /// [`CallStatistics::next`] from the previous page; 0 starts with the newest call.
    pub after: i64,
}

/// Statistics of the calls that were proposed in a time span, or of a page of them. Pages can be added up: see
/// [`CallStatistics::add`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"total": {"calls": 3,
        "asked": 2,
        "answeredByAdvisors": 0,
        "askedAllowed": 1,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2096, "p90Ms": 8960, "p99Ms": 8960, "maxMs": 9000},
        "decisionTimes": {"2096": 1, "8960": 1}}, "bySource": {"approver": 2, "policy": 1}, "tools": [], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct CallStatistics {
    /// The start of the time span, inclusive; absent if it starts with the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The end of the time span, exclusive; absent if it ends now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Counts for all calls.
    pub total: CallCounts,
    /// The number of calls decided by each source: `approver`, `policy`, `grant`, `mode`, `expiry`, `cancellation`, `advisor`.
    pub by_source: BTreeMap<String, u64>,
    /// Counts for each tool. The tool that people were asked about most often is first.
    pub tools: Vec<ToolStatistics>,
    /// The number of calls that each part of the policies judged, the highest first. It is as recorded when each call
    /// was proposed, so an earlier policy may have had the rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleHits>,
    /// Counts for each day with calls, the earliest first; at most 1,000. Absent unless the request names an offset
    /// from UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<Vec<DayStatistics>>,
    /// What the calls certainly touch, what most calls touch first; at most 500 things. Absent unless the request asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touched: Option<Vec<TouchedThing>>,
    /// The `after` value for the page with earlier calls; `null` if there are none.
    #[serde(default)]
    pub next: Option<i64>,
}

/// A thing that calls touch, as their recorded effects say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"kind": "file", "access": "read", "target": "/src/.env", "calls": 3}))))]
#[serde(rename_all = "camelCase")]
pub struct TouchedThing {
    /// What it is: `file`, `host`, `branch`, `cluster`, `database`, `package`, `process` or `cloud`.
    pub kind: String,
    /// What happens to it, such as `read` or `delete`; absent if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// Its name.
    pub target: String,
    /// The number of calls.
    pub calls: u64,
}

/// The number of calls that one part of the policies judged in one way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "no force pushes", "basis": "rule", "verdict": "block", "calls": 3}))))]
#[serde(rename_all = "camelCase")]
pub struct RuleHits {
    /// The rule; absent if none judged the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The policy part; absent if it was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// The verdict.
    pub verdict: Verdict,
    /// The number of calls.
    pub calls: u64,
}

/// Statistics of the calls that were proposed on one day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "date": "2026-01-31",
        "calls": 3,
        "asked": 2,
        "answeredByAdvisors": 0,
        "askedAllowed": 1,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2096, "p90Ms": 8960, "p99Ms": 8960, "maxMs": 9000},
        "decisionTimes": {"2096": 1, "8960": 1}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct DayStatistics {
    /// The day, at the offset from UTC that the request names.
    pub date: String,
    /// Counts for its calls.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// Statistics of the calls of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "tool": "bash",
        "calls": 3,
        "asked": 2,
        "answeredByAdvisors": 0,
        "askedAllowed": 1,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2096, "p90Ms": 8960, "p99Ms": 8960, "maxMs": 9000},
        "decisionTimes": {"2096": 1, "8960": 1}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ToolStatistics {
    /// The tool's name.
    pub tool: String,
    /// Counts for its calls.
    #[serde(flatten)]
    pub counts: CallCounts,
}

/// The number of calls with each outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "calls": 3,
        "asked": 2,
        "answeredByAdvisors": 0,
        "askedAllowed": 1,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2096, "p90Ms": 8960, "p99Ms": 8960, "maxMs": 9000},
        "decisionTimes": {"2096": 1, "8960": 1}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct CallCounts {
    /// Calls that were proposed.
    pub calls: u64,
    /// Calls that people were asked about, without those that an advisor answered instead.
    pub asked: u64,
    /// Calls that an advisor answered instead of people.
    #[serde(default)]
    pub answered_by_advisors: u64,
    /// Calls that people were asked about and that were allowed. Their share among the decided prompts shows if people
    /// are asked too often.
    #[serde(default)]
    pub asked_allowed: u64,
    /// Calls that were allowed, by any source.
    pub allowed: u64,
    /// Calls that a person, the policy, a grant or the mode denied.
    pub denied: u64,
    /// Calls whose request expired without a decision by a person.
    pub expired: u64,
    /// Calls that were cancelled before a decision.
    pub cancelled: u64,
    /// Calls that people were asked about but did not decide: the request expired or was cancelled.
    pub abandoned: u64,
    /// Calls that are still pending.
    pub waiting: u64,
    /// Calls that people were asked about and that were denied.
    #[serde(default)]
    pub asked_denied: u64,
    /// Calls that people were asked about and that nobody decided: those that were abandoned, and those that are still pending.
    #[serde(default)]
    pub not_decided: u64,
    /// Calls that an executor started.
    pub ran: u64,
    /// Calls that ran and failed.
    pub failed: u64,
    /// The time that people took to decide; absent if they decided no call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_decide: Option<DurationPercentiles>,
    /// The same times, counted, so that pages can be added up.
    #[serde(default, skip_serializing_if = "DurationHistogram::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, u64>))]
    pub decision_times: DurationHistogram,
}
