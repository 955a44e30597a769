//! Suggested rules, with the evidence for each.

use super::options::SkippedPrompts;
use countersign_events::{Timestamp, ToolName};
use serde::Serialize;

/// Suggested rules, with the evidence for each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"atLeast": 10, "prompts": 40, "saved": 23, "skipped": {"askedOnPurpose": 0, "askedByThread": 0, "settled": 0, "masked": 0, "dangerous": 0, "denied": 0, "notAllowed": 3}, "rules": [{"name": "suggested: bash, command `git status **`", "tool": "bash", "toml": "[[rule]]\nname = \"suggested: bash, command `git status **`\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\ncommand = \"git status **\"\nverdict = \"allow\"\n", "prompts": 23, "saves": 23, "arguments": 9, "threads": 4, "people": ["user:ada"], "proposers": ["agent:builder"], "first": "2026-01-01T12:00:00.000Z", "last": "2026-01-31T12:00:00.000Z", "nearMisses": 1, "suchAs": ["{\"command\":\"git push\"} (denied by user:ada)"]}], "moreRules": 0, "moreSaves": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct RuleSuggestion {
    /// The least number of prompts that a rule must save.
    pub at_least: u64,
    /// The number of prompts in the log.
    pub prompts: u64,
    /// The number of prompts that the rules would have saved.
    pub saved: u64,
    /// The numbers of skipped prompts, by reason.
    pub skipped: SkippedPrompts,
    /// The rules; the one that saves the most prompts comes first.
    pub rules: Vec<SuggestedRule>,
    /// The number of further rules, which are not shown.
    pub more_rules: usize,
    /// The number of prompts that the further rules would have saved.
    pub more_saves: u64,
}

/// One suggested rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"name": "suggested: bash, command `git status **`", "tool": "bash", "toml": "[[rule]]\nname = \"suggested: bash, command `git status **`\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\ncommand = \"git status **\"\nverdict = \"allow\"\n", "prompts": 23, "saves": 23, "arguments": 9, "threads": 4, "people": ["user:ada"], "proposers": ["agent:builder"], "first": "2026-01-01T12:00:00.000Z", "last": "2026-01-31T12:00:00.000Z", "nearMisses": 1, "suchAs": ["{\"command\":\"git push\"} (denied by user:ada)"]}))))]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRule {
    /// The rule's name.
    pub name: String,
    /// The tool.
    pub tool: ToolName,
    /// The rule in policy TOML.
    pub toml: String,
    /// The number of prompts that the rule would have saved.
    pub prompts: u64,
    /// The number of prompts that the rules before it do not save.
    pub saves: u64,
    /// The number of different arguments in these prompts.
    pub arguments: usize,
    /// The number of threads with these prompts.
    pub threads: usize,
    /// The people who allowed the calls.
    pub people: Vec<String>,
    /// The calls' proposers.
    pub proposers: Vec<String>,
    /// When the first prompt occurred.
    pub first: Timestamp,
    /// When the last prompt occurred.
    pub last: Timestamp,
    /// The number of refused calls of the tool; the rule does not allow them.
    pub near_misses: usize,
    /// The refused calls' first, with the reasons.
    pub such_as: Vec<String>,
}
