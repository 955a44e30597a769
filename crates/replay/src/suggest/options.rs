//! The options for a suggestion, and the prompts that it skips.

use serde::Serialize;

/// The options for a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuggestionOptions {
    /// The least number of prompts that a rule must save.
    pub at_least: u64,
    /// Whether rules may allow calls that are marked as dangerous: by a destructive tool, a high risk or a dangerous
    /// name.
    pub even_dangerous: bool,
    /// Whether all rules are shown. Otherwise only those that save the most prompts are, so that they fit on one
    /// screen.
    pub all: bool,
}

impl Default for SuggestionOptions {
    fn default() -> Self {
        Self { at_least: 5, even_dangerous: false, all: false }
    }
}

/// The least number of different allowed values before a rule leaves an argument open.
pub const MIN_VARIED_VALUES: usize = 10;

/// The numbers of prompts that a suggestion skips, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"askedOnPurpose": 0, "askedByThread": 0, "settled": 0, "masked": 0, "dangerous": 0, "denied": 0, "notAllowed": 3}))))]
#[serde(rename_all = "camelCase")]
pub struct SkippedPrompts {
    /// A rule, a zone or the tool itself asks. No allow rule overrides that.
    pub asked_on_purpose: u64,
    /// The thread requires approval.
    pub asked_by_thread: u64,
    /// The policy answers the call by now, or a rule of it asks.
    pub settled: u64,
    /// Part of the arguments is masked in the log.
    pub masked: u64,
    /// The tool, the agent or the policy marks the call as dangerous.
    pub dangerous: u64,
    /// The same call was denied at another time.
    pub denied: u64,
    /// The call was denied, expired, was withdrawn or still waits.
    pub not_allowed: u64,
}
