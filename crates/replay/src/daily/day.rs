//! The day, and what the review says about it.

use super::{DayPrompt, OfferedRule, RejectedRule};
use countersign_approvals::Call;
use countersign_events::{Source, Timestamp, ToolName};

/// A day, from its first moment to the first of the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DaySpan {
    /// The first moment.
    pub since: Timestamp,
    /// The first moment of the next day.
    pub until: Timestamp,
}

impl DaySpan {
    pub(super) fn contains(self, at: Timestamp) -> bool {
        self.since <= at && at < self.until
    }
}

/// The calls of the day, in numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DayCounts {
    /// Calls that were proposed.
    pub calls: u64,
    /// Those of them that people were asked about, without those that an advisor answered instead.
    pub asked: u64,
    /// Those of them that people allowed.
    pub allowed: u64,
    /// Those of them that people denied.
    pub denied: u64,
}

impl DayCounts {
    pub(super) fn add(&mut self, call: &Call) {
        self.calls += 1;
        let source = call.response().map(|response| response.what.source);
        if call.request().is_none() || source == Some(Source::Advisor) {
            return;
        }
        self.asked += 1;
        if let Some(response) = call.response().filter(|_| source == Some(Source::Approver)) {
            let allows = response.what.decision.allows();
            self.allowed += u64::from(allows);
            self.denied += u64::from(!allows);
        }
    }
}

/// What was needless on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayReview {
    /// The calls of the day, in numbers.
    pub counts: DayCounts,
    /// The day's prompts that the rules together would have saved.
    pub saved: u64,
    /// The number of refused calls with which the rules were compared.
    pub refused: u64,
    /// The rules; the one that saves the most prompts comes first.
    pub rules: Vec<OfferedRule>,
    /// Rules that are not offered, because they would also have allowed refused calls.
    pub withheld: Vec<RejectedRule>,
    /// The number of calls that ran only because the policy observes.
    pub observed: u64,
    /// These calls by tool and rule, the most frequent first.
    pub would_ask: Vec<ObservedPrompts>,
    /// Whether the time was enough to compare all rules.
    pub is_complete: bool,
}

/// Calls that ran because the policy observes, and that one rule would otherwise have asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedPrompts {
    /// The tool.
    pub tool: ToolName,
    /// The rule that would have asked; `default` if no rule matched.
    pub rule: String,
    /// The number of calls.
    pub calls: u64,
    /// The first of them.
    pub example: DayPrompt,
}

impl ObservedPrompts {
    pub(super) fn new(call: &Call, rule: &str) -> Self {
        let tool = call.proposal.what.name.clone();
        Self { tool, rule: rule.to_owned(), calls: 0, example: DayPrompt::from_call(call) }
    }
}
