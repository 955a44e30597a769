//! A call as a policy reads it.

use crate::{JudgedCall, Judgement, Policy, facts::CallFacts};
use countersign_events::RecordedEffect;
use std::fmt;

/// A call as a policy reads it. Its operands and effects are found when something first needs them, and then cached for
/// everything else.
pub struct CallReading<'a> {
    policy: &'a Policy,
    pub(crate) facts: CallFacts<'a>,
}

impl<'a> CallReading<'a> {
    /// Reads a call.
    #[must_use]
    pub fn new(policy: &'a Policy, subject: &JudgedCall<'a>) -> Self {
        Self::with_limit(policy, subject, &|| false)
    }

    /// Reads a call. `late` is called before each condition. Once it returns true, conditions fail.
    #[must_use]
    pub fn with_limit(policy: &'a Policy, subject: &JudgedCall<'a>, late: &'a dyn Fn() -> bool) -> Self {
        Self { policy, facts: CallFacts::new(&policy.settings, subject, late) }
    }

    /// The call.
    #[must_use]
    pub const fn subject(&self) -> &JudgedCall<'a> {
        &self.facts.subject
    }

    /// Judges the call.
    #[must_use]
    pub fn judge(&self) -> Judgement {
        self.policy.judge_facts(&self.facts)
    }

    /// What the call does to things outside of the agent, in words, as far as it shows that.
    #[must_use]
    pub fn describe_effects(&self) -> Vec<String> {
        self.facts.effects().in_words().into_iter().map(|words| self.mask(&words)).collect()
    }

    /// The effects of the call for the log. The subject has the arguments as the log keeps them, and further secrets are
    /// masked.
    #[must_use]
    pub fn record_effects(&self) -> Vec<RecordedEffect> {
        self.facts.effects().to_records(|text| self.mask(text))
    }

    fn mask(&self, text: &str) -> String {
        self.facts.redactor().redact_text(text).unwrap_or_else(|| text.to_owned())
    }
}

// The arguments may contain secrets, so do not derive this.
impl fmt::Debug for CallReading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallReading").field("tool", self.subject().tool).finish_non_exhaustive()
    }
}
