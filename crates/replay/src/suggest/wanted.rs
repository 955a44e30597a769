//! The conditions for a suggestion, and the prompts that it leaves out.

use serde::Serialize;

/// What is wanted of a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuggestionOptions {
    /// How many prompts a rule has to save at least.
    pub at_least: u64,
    /// Whether rules may allow what somebody called dangerous: a destructive tool, a high risk, a name that
    /// sounds like it.
    pub even_dangerous: bool,
}

impl Default for SuggestionOptions {
    fn default() -> Self {
        Self { at_least: 5, even_dangerous: false }
    }
}

/// How many different values somebody must have allowed before a rule leaves a value open.
pub const VARIED: usize = 10;

/// Prompts that no suggestion is made of, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PassedOver {
    /// A rule or zone of the policy asks, or the tool itself: no rule that allows lifts that.
    pub asked_on_purpose: u64,
    /// The thread requires approval.
    pub asked_by_thread: u64,
    /// Part of the arguments is masked in the log.
    pub masked: u64,
    /// Somebody calls them dangerous.
    pub dangerous: u64,
    /// The same call was denied another time.
    pub denied: u64,
    /// People did not allow them: they were denied, lapsed, were withdrawn or wait.
    pub not_allowed: u64,
}
