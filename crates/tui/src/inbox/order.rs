//! The call order in the list.

use countersign_api as api;
use countersign_console::ImpactSummary;
use countersign_events::RiskLevel;
use std::str::FromStr;

/// The call order in the list. Calls that are equal in it are listed oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CallOrder {
    /// The oldest request first.
    #[default]
    Oldest,
    /// The highest risk first.
    Risk,
    /// The least time left first; calls that do not expire last.
    TimeLeft,
}

impl CallOrder {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::Oldest, Self::Risk, Self::TimeLeft];

    /// The word that chooses the order.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Risk => "risk",
            Self::TimeLeft => "time-left",
        }
    }

    /// The order in words.
    pub(crate) const fn describe(self) -> &'static str {
        match self {
            Self::Oldest => "oldest first",
            Self::Risk => "highest risk first",
            Self::TimeLeft => "least time left first",
        }
    }

    /// The order after this one.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::Oldest => Self::Risk,
            Self::Risk => Self::TimeLeft,
            Self::TimeLeft => Self::Oldest,
        }
    }

    /// The calls are sorted by this key.
    pub(crate) fn sort_key(self, call: &api::Call) -> impl Ord + use<> {
        let request = call.request.as_ref();
        let first = match self {
            Self::Oldest => None,
            Self::Risk => Some(-i64::from(risk_rank(call))),
            Self::TimeLeft => {
                let end = request.and_then(|request| request.expires_at);
                Some(end.map_or(i64::MAX, countersign_events::Timestamp::as_millis))
            }
        };
        (first, request.map(|request| request.seq))
    }
}

impl FromStr for CallOrder {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|order| order.word() == word);
        found.ok_or_else(|| format!("expected {}", Self::ALL.map(Self::word).join(", ")))
    }
}

/// How high the declared risk ranks. A call without a declaration can be anything, so it is above a low risk.
fn risk_rank(call: &api::Call) -> u8 {
    match ImpactSummary::from_call(call).risk {
        Some(RiskLevel::Critical) => 5,
        Some(RiskLevel::High) => 4,
        Some(RiskLevel::Other) => 3,
        Some(RiskLevel::Medium) => 2,
        None => 1,
        Some(RiskLevel::Low) => 0,
    }
}
