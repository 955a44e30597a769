//! Questions about a policy that write nothing, and the rules that people accept one by one.

use crate::{
    Json, Principal, ProposedDefinition, ProposedImpact, Sha256, ThreadId, Timestamp, ToolName,
    object::{read_objects, read_optional_object},
};
use countersign_events::{Basis, OnExpiry, PolicyLayer, ShadowVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// An inactive policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"text": "default = \"ask\"\n"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CandidatePolicy {
    /// The text of its main file, TOML.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read_objects")]
    pub layers: Vec<PolicyLayer>,
}

/// A call to judge. It is not proposed, and nothing is written.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "payroll", "principal": "agent:clerk", "name": "bash", "arguments": {"command": "git push --force"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyCheckRequest {
    /// The call's thread. It need not exist.
    pub thread_id: ThreadId,
    /// The agent that would propose the call.
    pub principal: Principal,
    /// The tool's name.
    pub name: ToolName,
    /// The arguments.
    pub arguments: Json,
    /// Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// The impact that the agent claims.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub impact: Option<ProposedImpact>,
    /// The tool's definition.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub definition: Option<ProposedDefinition>,
    /// The policy that judges; the active policy, if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub policy: Option<CandidatePolicy>,
}

/// A policy's verdict on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "verdict": "block",
        "basis": "rule",
        "rule": "no force pushes",
        "reason": "history is shared",
        "terms": {"expires": null, "onExpiry": "deny", "level": null, "defaultLevel": null, "quorum": 1, "denials": 1,
            "approvers": [], "remindAfter": null, "escalateAfter": null, "escalateTo": null},
        "matched": [{"rule": "no force pushes", "verdict": "block", "why": "command `git push*--force*` matches", "shadow": false}],
        "shadow": [],
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct PolicyVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The policy part that decided.
    pub basis: Basis,
    /// The rule that decided; `null` if none did.
    pub rule: Option<String>,
    /// The reason.
    pub reason: String,
    /// The terms on which people would be asked.
    pub terms: VerdictTerms,
    /// Every rule that matches.
    pub matched: Vec<VerdictRule>,
    /// The verdicts of matching shadow rules.
    pub shadow: Vec<ShadowVerdict>,
    /// The policy's hash.
    pub policy: Sha256,
    /// What is probably a mistake in the request's policy. Empty for the active policy, whose warnings `GET /v1/policy/rules` has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<PolicyWarning>,
}

/// Something in a valid policy that is probably a mistake.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"line": 7, "column": 8, "text": "the tool `bahs` is unknown", "neverMatches": false}))))]
#[serde(rename_all = "camelCase")]
pub struct PolicyWarning {
    /// The file; absent if the policy has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The problem, and how to fix it.
    pub text: String,
    /// Whether a rule, or a pattern of it, can never match.
    pub never_matches: bool,
}

/// The terms on which a policy asks people. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"expires": 3600, "onExpiry": "deny", "level": "admin", "defaultLevel": null, "quorum": 2,
            "denials": 1, "approvers": [["@ops"]], "remindAfter": null, "escalateAfter": null, "escalateTo": null}))))]
#[serde(rename_all = "camelCase")]
pub struct VerdictTerms {
    /// The time that people have to decide; `null` without a limit.
    pub expires: Option<u64>,
    /// The decision when the time is over.
    pub on_expiry: OnExpiry,
    /// The level that an approver needs.
    pub level: Option<String>,
    /// The level that is preselected.
    pub default_level: Option<String>,
    /// The number of approvals needed.
    pub quorum: u32,
    /// The number of denials needed.
    pub denials: u32,
    /// Lists of eligible approvers. An approver must be in each list.
    pub approvers: Vec<Vec<String>>,
    /// The advisor that may answer instead of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisor: Option<String>,
    /// The time after which people are reminded.
    pub remind_after: Option<u64>,
    /// The time after which the request goes to a higher level.
    pub escalate_after: Option<u64>,
    /// The level to which the request goes.
    pub escalate_to: Option<String>,
}

/// A rule that matches a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "no force pushes", "verdict": "block", "why": "command `git push*--force*` matches", "shadow": false}))))]
#[serde(rename_all = "camelCase")]
pub struct VerdictRule {
    /// The rule, or the zone as `zone-<name>`.
    pub rule: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason why it matches.
    pub why: String,
    /// The advisor that may answer, if the rule has the verdict `advised` and covers the whole call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisor: Option<String>,
    /// Whether it is a shadow rule, which decides nothing.
    pub shadow: bool,
}

/// A request to judge logged calls by a policy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"policy": {"text": "default = \"ask\"\n"}, "since": "2026-01-01T00:00:00.000Z"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyReplayRequest {
    /// The policy that judges; the active policy, if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub policy: Option<CandidatePolicy>,
    /// Only calls that were proposed from this time on, inclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Only calls that were proposed before this time, exclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Only calls of this thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<ThreadId>,
    /// Each list has only calls whose `seq` is greater. The lists have the first 1,000 calls of each kind.
    #[serde(default)]
    pub after: i64,
    /// The most calls of each list, at most 1,000; 100 by default.
    #[serde(default = "default_limit")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub limit: usize,
}

const fn default_limit() -> usize {
    100
}

/// The log range that an analysis has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"complete": true, "fromSeq": 1, "throughSeq": 412, "unreadable": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct AnalysisExtent {
    /// Whether all calls in the time span were read. If not, a shorter span has an answer for all its calls.
    pub complete: bool,
    /// The first position that was read.
    pub from_seq: i64,
    /// The last position that was read.
    pub through_seq: i64,
    /// The number of calls that could not be read.
    pub unreadable: u64,
}

/// A request to add one rule to the policy's managed layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "rule": "[[rule]]\nname = \"list files\"\ntool = \"bash\"\ncommand = \"ls **\"\nverdict = \"allow\"\n",
        "replaces": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ManagedRuleRequest {
    /// One `[[rule]]` in TOML with `verdict = "allow"`, for example a suggested one; at most 16 KiB.
    pub rule: String,
    /// The hash of the reviewed active policy. If another one is active by then, the request is refused.
    pub replaces: Sha256,
}

/// A request to remove one rule from the policy's managed layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "name": "list files",
        "replaces": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveManagedRuleRequest {
    /// The rule's name, without the layer's name.
    pub name: String,
    /// The hash of the reviewed active policy.
    pub replaces: Sha256,
}

/// The active policy's rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51",
        "default": "ask",
        "rules": [{"rule": "no force pushes", "line": 5, "verdict": "block", "reason": "history is shared", "shadow": false, "zone": false, "managed": false}],
        "warnings": []
    }))))]
#[serde(rename_all = "camelCase")]
pub struct PolicyRuleList {
    /// The policy's hash.
    pub policy: Sha256,
    /// The verdict on calls that nothing else has a verdict for.
    pub default: Verdict,
    /// The rules, in file order. A zone has one rule for each of its operations.
    pub rules: Vec<ListedRule>,
    /// Rules that are valid and probably mistakes.
    pub warnings: Vec<String>,
    /// The reason why this server's policy file is not active; absent if it is, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// A rule in the active policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "no force pushes", "line": 5, "verdict": "block", "reason": "history is shared", "shadow": false, "zone": false, "managed": false}))))]
#[serde(rename_all = "camelCase")]
pub struct ListedRule {
    /// The name, as events record it.
    pub rule: String,
    /// The file; absent if the policy has only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: usize,
    /// The verdict.
    pub verdict: Verdict,
    /// The advisor that may answer, if the rule has the verdict `advised`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisor: Option<String>,
    /// The reason that the policy gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it is a shadow rule, which decides nothing.
    pub shadow: bool,
    /// Whether a zone defines it.
    pub zone: bool,
    /// Whether a person accepted it into the managed layer.
    pub managed: bool,
}

// Omits the arguments, because they may contain a secret.
impl std::fmt::Debug for PolicyCheckRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PolicyCheckRequest").field("name", &self.name).finish_non_exhaustive()
    }
}
