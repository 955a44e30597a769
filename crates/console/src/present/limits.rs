//! The limits of remembered decisions, in words.

use super::words::count_words;
use countersign_events::{GrantLimit, GrantLimits, Timestamp};

/// The limits that people choose from when they allow more than one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LimitChoice {
    /// For 30 minutes.
    HalfHour,
    /// For an hour: people forget what they have allowed.
    #[default]
    Hour,
    /// For eight hours.
    EightHours,
    /// For three calls within an hour.
    ThreeCalls,
    /// While the thread is open.
    Thread,
}

impl LimitChoice {
    /// All choices, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::HalfHour, Self::Hour, Self::EightHours, Self::ThreeCalls, Self::Thread];

    /// The word that chooses it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::HalfHour => "30m",
            Self::Hour => "1h",
            Self::EightHours => "8h",
            Self::ThreeCalls => "3",
            Self::Thread => "thread",
        }
    }

    /// What it means.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::HalfHour => "for 30 minutes",
            Self::Hour => "for 1 hour",
            Self::EightHours => "for 8 hours",
            Self::ThreeCalls => "for the next 3 calls within 1 hour",
            Self::Thread => "while the thread is open",
        }
    }

    /// The limits of a decision.
    #[must_use]
    pub const fn limits(self) -> GrantLimits {
        match self {
            Self::HalfHour => GrantLimits { seconds: Some(1_800), uses: None },
            Self::Hour => GrantLimits { seconds: Some(3_600), uses: None },
            Self::EightHours => GrantLimits { seconds: Some(28_800), uses: None },
            Self::ThreeCalls => GrantLimits { seconds: Some(3_600), uses: Some(3) },
            Self::Thread => GrantLimits { seconds: None, uses: None },
        }
    }

    /// The choice with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.word() == word)
    }

    /// The choice after this one.
    #[must_use]
    pub fn next(self) -> Self {
        let mut all = Self::ALL.into_iter().cycle().skip_while(|choice| *choice != self);
        all.nth(1).unwrap_or_default()
    }
}

/// When a remembered decision ends: `until 2026-01-31T13:00:00.000Z or after 3 calls`.
#[must_use]
pub fn describe_limits(until: Option<Timestamp>, uses: Option<u32>) -> String {
    let uses = uses.map(|uses| format!("after {}", count_words(uses.into(), "call")));
    match (until, uses) {
        (None, None) => "until the thread is closed".to_owned(),
        (Some(until), None) => format!("until {until}"),
        (None, Some(uses)) => format!("until the thread is closed or {uses}"),
        (Some(until), Some(uses)) => format!("until {until} or {uses}"),
    }
}

/// The limits of a remembered decision after its scope; nothing without limits.
pub(crate) fn limits_after_scope(until: Option<Timestamp>, uses: Option<u32>) -> String {
    if until.is_none() && uses.is_none() {
        return String::new();
    }
    format!(", {}", describe_limits(until, uses))
}

/// What ended a remembered decision.
pub(crate) const fn describe_limit(limit: GrantLimit) -> &'static str {
    match limit {
        GrantLimit::Time => "its time has passed",
        GrantLimit::Uses => "it has answered as many calls as it may",
        GrantLimit::Other => "for a reason that this version does not know",
    }
}

#[cfg(test)]
mod tests {
    use super::LimitChoice;

    /// The page's choices.
    const PAGE_CHOICES: &str = include_str!("../../../web/assets/card/grant-limits.js");

    #[test]
    fn page_offers_the_same_choices() {
        let of_page: Vec<_> = PAGE_CHOICES.lines().filter(|line| line.contains("says: \"")).collect();
        assert_eq!(of_page.len(), LimitChoice::ALL.len());
        for (choice, line) in LimitChoice::ALL.into_iter().zip(&of_page) {
            assert!(line.contains(&format!("\"{}\"", choice.describe())), "{line}");
            let limits = choice.limits();
            for (name, number) in [("expiresInSeconds", limits.seconds), ("uses", limits.uses)] {
                let written = number.map_or_else(|| name.to_owned(), |number| format!("{name}: {number}"));
                assert_eq!(line.replace('_', "").contains(&written), number.is_some(), "{line}");
            }
        }
        let usual = LimitChoice::ALL.iter().position(|choice| *choice == LimitChoice::default());
        let usual = usual.expect("it is one of them");
        assert!(PAGE_CHOICES.contains(&format!("USUAL_LIMITS = {usual};")), "the same choice is usual");
    }
}
