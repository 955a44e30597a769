//! Analyses of the log by a policy, which write nothing: `POST /v1/policy/replay` and `GET /v1/policy/suggestions`

use super::RouteAnswer;
use crate::extract::{JsonBody, NoQuery, ReadAllByPolicyGate, SuggestionQuery};
use axum::Json;
use countersign_api as api;
use countersign_gate::CallSelection;
use countersign_replay::{ReplayReport, RuleSuggestion, SuggestionOptions};
use serde::Serialize;

/// Logged calls, judged by a policy, and the log range that was read.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"log": {"complete": true, "fromSeq": 1, "throughSeq": 412, "unreadable": 0}, "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51", "calls": 16, "masked": 0, "unsettled": 0, "then": {"asked": 12, "allowed": 3, "blocked": 0, "answered": 1}, "now": {"asked": 3, "allowed": 12, "blocked": 0, "answered": 1}, "unchanged": 7, "saved": {"allowed": 9, "blocked": 0}, "added": 0, "allowedThoughDenied": {"count": 0, "calls": []}, "blockedThoughRun": {"count": 0, "calls": []}, "askedThoughRun": {"count": 0, "calls": []}, "askedOtherwise": {"count": 0, "calls": []}, "rules": [{"rule": "list files", "basis": "rule", "verdict": "allow", "calls": 9}], "shadow": []})))]
pub(super) struct PolicyReplayAnswer {
    /// The log range that was read.
    log: api::AnalysisExtent,
    #[serde(flatten)]
    report: ReplayReport,
}

/// Suggested rules, and the log range that was read.
#[derive(Serialize, utoipa::ToSchema)]
#[schema(examples(json!({"log": {"complete": true, "fromSeq": 1, "throughSeq": 412, "unreadable": 0}, "atLeast": 10, "prompts": 40, "saved": 23, "skipped": {"askedOnPurpose": 0, "askedByThread": 0, "settled": 0, "masked": 0, "dangerous": 0, "denied": 0, "notAllowed": 3}, "rules": [{"name": "suggested: bash, command `git status **`", "tool": "bash", "toml": "[[rule]]\nname = \"suggested: bash, command `git status **`\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\ncommand = \"git status **\"\nverdict = \"allow\"\n", "prompts": 23, "saves": 23, "arguments": 9, "threads": 4, "people": ["user:ada"], "proposers": ["agent:builder"], "first": "2026-01-01T12:00:00.000Z", "last": "2026-01-31T12:00:00.000Z", "nearMisses": 1, "suchAs": ["{\"command\":\"git push\"} (denied by user:ada)"]}], "moreRules": 0, "moreSaves": 0})))]
pub(super) struct SuggestionAnswer {
    /// The log range that was read.
    log: api::AnalysisExtent,
    #[serde(flatten)]
    suggestion: RuleSuggestion,
}

/// Judges logged calls by a policy, and compares the verdicts with the decisions. It writes nothing.
///
/// It reads at most the last 200,000 events, 64 MiB and 20 seconds; `log` says if that was all of the time span. One such
/// analysis runs at a time. The lists have at most 1 MiB of arguments together.
#[utoipa::path(
    post,
    path = "/v1/policy/replay",
    operation_id = "replayPolicy",
    tag = "policy",
    extensions(("x-access" = json!(ReadAllByPolicyGate::describe_access()))),
    request_body(content = api::PolicyReplayRequest),
    responses((status = 200, description = "The comparison.", body = PolicyReplayAnswer))
)]
pub(super) async fn replay(
    gate: ReadAllByPolicyGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::PolicyReplayRequest>,
) -> RouteAnswer<PolicyReplayAnswer> {
    let (report, log) = gate.replay_policy(&request).await?;
    Ok(Json(PolicyReplayAnswer { log, report }))
}

/// Suggests rules for calls that people allowed again and again, with the evidence for each.
///
/// No suggested rule allows a call that was ever denied. Calls that the active policy answers by now lead to no rule.
/// The limits are those of a replay.
#[utoipa::path(
    get,
    path = "/v1/policy/suggestions",
    operation_id = "suggestRules",
    tag = "policy",
    extensions(("x-access" = json!(ReadAllByPolicyGate::describe_access()))),
    params(SuggestionQuery),
    responses((status = 200, description = "The suggested rules.", body = SuggestionAnswer))
)]
pub(super) async fn suggest(
    gate: ReadAllByPolicyGate,
    query: SuggestionQuery,
) -> RouteAnswer<SuggestionAnswer> {
    let defaults = SuggestionOptions::default();
    let options = SuggestionOptions { at_least: query.at_least.unwrap_or(defaults.at_least), ..defaults };
    let selection =
        CallSelection { since: query.filter.since, until: query.filter.until, ..CallSelection::default() };
    let (suggestion, log) = gate.suggest_rules(options, selection).await?;
    Ok(Json(SuggestionAnswer { log, suggestion }))
}
