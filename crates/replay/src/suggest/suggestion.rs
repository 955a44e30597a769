//! Suggested rules, with the evidence for each.

use super::wanted::PassedOver;
use countersign_events::{Timestamp, ToolName};
use serde::Serialize;

/// Rules, with what speaks for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleSuggestion {
    /// How many prompts a rule has to save at least.
    pub at_least: u64,
    /// How many prompts there were.
    pub prompts: u64,
    /// How many of them the rules would have saved.
    pub saved: u64,
    /// How many were passed over, and why.
    pub passed_over: PassedOver,
    /// The rules, the one that saves the most first.
    pub rules: Vec<SuggestedRule>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRule {
    /// Its name.
    pub name: String,
    /// The tool.
    pub tool: ToolName,
    /// The rule as it stands in a policy.
    pub toml: String,
    /// How many prompts it would have saved.
    pub prompts: u64,
    /// How many of them no rule before it saves.
    pub saves: u64,
    /// How many different arguments that were.
    pub arguments: usize,
    /// Over how many threads.
    pub threads: usize,
    /// Who allowed them.
    pub people: Vec<String>,
    /// Who proposed them.
    pub proposers: Vec<String>,
    /// The first prompt.
    pub first: Timestamp,
    /// The last.
    pub last: Timestamp,
    /// How many calls of the tool it does not allow, and may not.
    pub near_misses: usize,
    /// The first of those, with the reason.
    pub such_as: Vec<String>,
}
