//! Advisors: programs that the policy asks about calls, their advice, and complaints by people about calls.

use countersign_events::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorProtocol, Confidence, Principal, ReportSource, Sha256,
    Timestamp,
};
use serde::{Deserialize, Serialize};

/// An advisor's advice on a call. Approvers never see advice from an advisor in the mode `shadow`: it would influence
/// the decisions that it is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "seq": 3, "at": "2026-01-31T12:00:01.000Z", "advisor": "reviewer", "mode": "advise", "advice": "deny",
    "reason": "the branch is protected", "confidence": 0.9, "labels": ["git"], "elapsedMillis": 212
}))))]
#[serde(rename_all = "camelCase")]
pub struct CallAdvice {
    /// The event's `seq`.
    pub seq: i64,
    /// The time at which it was recorded.
    pub at: Timestamp,
    /// The advisor's name.
    pub advisor: String,
    /// The advisor mode then.
    pub mode: AdvisorMode,
    /// The answer.
    pub advice: AdviceVerdict,
    /// The reason that the advisor gives. It may repeat agent content, so a display must escape it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How sure the advisor is, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0, maximum = 1, required = false))]
    pub confidence: Option<Confidence>,
    /// The advisor's short comment on the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The reason why there is no valid answer. The advice is then `ask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<AdviceFailure>,
    /// The time from the question to the answer.
    pub elapsed_millis: u64,
    /// Whether the answer to an earlier equal question was used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub cached: bool,
}

/// A person's complaint about a call that was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 9, "principal": "user:ada", "at": "2026-01-31T13:00:00.000Z", "comment": "it deleted data"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallFlag {
    /// The event's `seq`.
    pub seq: i64,
    /// The person.
    pub principal: Principal,
    /// The time.
    pub at: Timestamp,
    /// The complaint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A complaint about a call that was allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"comment": "it deleted data"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagRequest {
    /// The complaint, for the log's readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The active policy's advisors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51", "advisors": []}))))]
#[serde(rename_all = "camelCase")]
pub struct AdvisorList {
    /// The policy's hash.
    pub policy: Sha256,
    /// The advisors, in policy order.
    pub advisors: Vec<Advisor>,
}

/// An active advisor, without its secrets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "name": "reviewer", "protocol": "opa", "target": "http://127.0.0.1:8181", "policyMode": "decide", "mode": "advise",
    "why": "no report about these settings exists; measure the advisor first", "outcomes": ["deny"],
    "timeoutMillis": 5000, "concurrency": 4, "cacheSeconds": 600, "minCases": 200, "maxFalseAllows": 0, "maxOverruled": 0.05,
    "configuration": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    "drift": {"answered": 0, "overruled": 0, "complaints": 0, "share": 0.0, "exceeds": false}
}))))]
#[serde(rename_all = "camelCase")]
pub struct Advisor {
    /// The name.
    pub name: String,
    /// How it is asked.
    pub protocol: AdvisorProtocol,
    /// The scheme, host and port of a service, a program path, or `in process`. The rest of an address and the program
    /// arguments may be secret.
    pub target: String,
    /// The mode in the policy.
    pub policy_mode: AdvisorMode,
    /// The effective mode: `decide` in the policy has the effect of `advise` until a report or a statement proves the
    /// advisor, and after a fall-back.
    pub mode: AdvisorMode,
    /// The reason for the effective mode.
    pub why: String,
    /// The answers that it may give in the mode `decide`.
    pub outcomes: Vec<AdviceVerdict>,
    /// The longest time to wait for an answer.
    pub timeout_millis: u64,
    /// The most concurrent questions.
    pub concurrency: u32,
    /// How long an answer also answers an equal question; 0 if it never does.
    pub cache_seconds: u64,
    /// The fewest answered cases of a report that proves it.
    pub min_cases: u64,
    /// The most cases in which it would allow what a person denied.
    pub max_false_allows: u64,
    /// The largest share of its answers that people may contradict.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1))]
    pub max_overruled: f64,
    /// The hash of the settings on which its answers depend. Reports and modes refer to it.
    pub configuration: Sha256,
    /// The last report about these settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<AdvisorReport>,
    /// How often people contradicted its recent answers.
    pub drift: AdvisorDrift,
}

/// How often people contradicted the recent answers of an advisor: those that they saw, or that it gave itself. Answers
/// before its mode was last set are left out, as are those in the mode `shadow`, which no person saw.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"answered": 140, "overruled": 3, "complaints": 1, "share": 0.0286, "exceeds": false}))))]
#[serde(rename_all = "camelCase")]
pub struct AdvisorDrift {
    /// The answers `allow` or `deny` on decided calls, the last 200 at most.
    pub answered: u64,
    /// The answers that a person decided against.
    pub overruled: u64,
    /// The answers `allow` that no person decided against, but about which a person complained later.
    pub complaints: u64,
    /// The contradicted share: `overruled` and `complaints` of `answered`, or of 20 answers if there are fewer.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1))]
    pub share: f64,
    /// Whether the share is above `maxOverruled`. An advisor that decides then falls back to `advise`.
    pub exceeds: bool,
}

/// A report on an advisor: its answers and the decisions of people on the same calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "seq": 812, "at": "2026-01-31T12:00:00.000Z", "principal": "user:ada", "counts": {"source": "replay", "cases": 240,
    "agreed": 221, "falseAllows": 0, "falseDenials": 4, "asked": 15, "failed": 0, "upTo": 811}
}))))]
#[serde(rename_all = "camelCase")]
pub struct AdvisorReport {
    /// The event's `seq`.
    pub seq: i64,
    /// The time.
    pub at: Timestamp,
    /// The person or the service that measured.
    pub principal: Principal,
    /// The counts.
    pub counts: AdvisorReportCounts,
}

/// The counts in a report. `cases` is the sum of `agreed`, `falseAllows`, `falseDenials` and `asked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "source": "replay", "cases": 240, "agreed": 221, "falseAllows": 0, "falseDenials": 4, "asked": 15, "failed": 0, "upTo": 811
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvisorReportCounts {
    /// The report's data.
    pub source: ReportSource,
    /// The calls that a person decided and that the advisor was asked about.
    pub cases: u64,
    /// The calls on which the advisor and the person decided alike.
    pub agreed: u64,
    /// The calls that the advisor would allow and a person denied.
    pub false_allows: u64,
    /// The calls that the advisor would deny and a person allowed.
    pub false_denials: u64,
    /// The calls that the advisor left to people, including those it failed on.
    pub asked: u64,
    /// The calls on which the advisor failed to answer.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub failed: u64,
    /// The time of all answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_millis: Option<u64>,
    /// The tokens of all questions together, if the advisor counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The tokens of all answers together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// The report covers calls proposed after the event with this `seq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<i64>,
    /// The report covers the log up to the event with this `seq`.
    pub up_to: i64,
}

/// A report to record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "configuration": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    "counts": {"source": "replay", "cases": 240, "agreed": 221, "falseAllows": 0, "falseDenials": 4, "asked": 15, "upTo": 811}
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvisorReportRequest {
    /// The hash of the settings that were measured.
    pub configuration: Sha256,
    /// The counts.
    pub counts: AdvisorReportCounts,
}

/// A request to let an advisor decide, or only advise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "configuration": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db", "mode": "decide",
    "statement": "It runs beside a human reviewer for a week."
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdvisorModeRequest {
    /// The hash of the settings that the person looked at. If the active policy has others, the request is refused.
    pub configuration: Sha256,
    /// `decide` lets it decide where the policy does, even without a report; `advise` takes that back.
    pub mode: AdvisorMode,
    /// The reason for `advise`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The statement why the advisor may decide. `decide` needs it, and the log keeps it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<String>,
}
