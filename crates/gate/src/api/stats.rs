//! What became of calls, in numbers.

use crate::Timestamp;
use countersign_events::event::{Decision, Source, Status};
use countersign_store::Fate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What became of the calls that were proposed in a span of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"total": {"calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}}, "bySource": {"approver": 2, "policy": 1}, "tools": []}))))]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// From when on; from the beginning, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Before when; up to now, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Of all calls.
    pub total: Counts,
    /// How many were decided by each source: `approver`, `policy`, `grant`, `mode`, `expiry`, `cancellation`.
    pub by_source: BTreeMap<String, u64>,
    /// Of each tool, the most asked about first.
    pub tools: Vec<ToolStats>,
}

/// What became of the calls of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "tool": "bash",
        "calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ToolStats {
    /// The tool.
    pub tool: String,
    /// In numbers.
    #[serde(flatten)]
    pub counts: Counts,
}

/// How many calls came to what.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "calls": 3,
        "asked": 2,
        "allowed": 2,
        "denied": 1,
        "expired": 0,
        "cancelled": 0,
        "abandoned": 0,
        "waiting": 0,
        "ran": 2,
        "failed": 0,
        "timeToDecide": {"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Proposed.
    pub calls: u64,
    /// People were asked.
    pub asked: u64,
    /// Allowed, by whomever or whatever.
    pub allowed: u64,
    /// Denied by a person, a rule or a mode.
    pub denied: u64,
    /// Nobody decided in time.
    pub expired: u64,
    /// Withdrawn before anybody decided.
    pub cancelled: u64,
    /// People were asked and nobody answered: it lapsed or was withdrawn.
    pub abandoned: u64,
    /// Still wait for people.
    pub waiting: u64,
    /// Started.
    pub ran: u64,
    /// Ran and failed.
    pub failed: u64,
    /// How long people took to decide, where they did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_to_decide: Option<Spread>,
}

/// How spans of time spread, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"medianMs": 2100, "p90Ms": 9000, "p99Ms": 9000, "maxMs": 9000}))))]
#[serde(rename_all = "camelCase")]
pub struct Spread {
    /// Half took no longer.
    pub median_ms: u64,
    /// Nine of ten took no longer.
    pub p90_ms: u64,
    /// Ninety-nine of a hundred took no longer.
    pub p99_ms: u64,
    /// The longest.
    pub max_ms: u64,
}

/// Counts of some calls, while they are being counted.
#[derive(Default)]
struct Tally {
    counts: Counts,
    spans: Vec<u64>,
}

/// Counts calls, one by one.
#[derive(Default)]
pub(crate) struct Counter {
    total: Tally,
    by_source: BTreeMap<String, u64>,
    tools: BTreeMap<String, Tally>,
}

impl Counter {
    pub(crate) fn count(&mut self, fate: &Fate) {
        if let Some((_, source, _)) = &fate.decided {
            *self.by_source.entry(source.as_str().to_owned()).or_default() += 1;
        }
        self.total.count(fate);
        self.tools.entry(fate.tool.clone()).or_default().count(fate);
    }

    pub(crate) fn stats(self, since: Option<Timestamp>, until: Option<Timestamp>) -> Stats {
        let counted = |(tool, tally): (String, Tally)| ToolStats { tool, counts: tally.counts() };
        let mut tools: Vec<_> = self.tools.into_iter().map(counted).collect();
        // Where as many were asked about, the names decide, by which they are sorted already.
        tools.sort_by_key(|tool| std::cmp::Reverse((tool.counts.asked, tool.counts.calls)));
        Stats { since, until, total: self.total.counts(), by_source: self.by_source, tools }
    }
}

impl Tally {
    fn count(&mut self, fate: &Fate) {
        let counts = &mut self.counts;
        let asked = fate.requested_at.is_some();
        counts.calls += 1;
        counts.asked += u64::from(asked);
        counts.ran += u64::from(fate.started);
        counts.failed += u64::from(fate.started && fate.status == Some(Status::Error));
        let unanswered = match &fate.decided {
            None => {
                counts.waiting += u64::from(asked);
                return;
            }
            Some((_, Source::Expiry, _)) => &mut counts.expired,
            Some((_, Source::Cancellation, _)) => &mut counts.cancelled,
            Some((decision, source, at)) => {
                let sum = if decision.allows() { &mut counts.allowed } else { &mut counts.denied };
                *sum += u64::from(*decision != Decision::Other);
                if let (Source::Approver, Some(since)) = (source, fate.requested_at) {
                    self.spans.push(u64::try_from(at.since(since).as_millis()).unwrap_or(u64::MAX));
                }
                return;
            }
        };
        *unanswered += 1;
        counts.abandoned += u64::from(asked);
    }

    fn counts(mut self) -> Counts {
        self.spans.sort_unstable();
        // The nearest rank: the smallest of them that at least so many percent do not exceed.
        let at =
            |percent: usize| self.spans.get((self.spans.len() * percent).div_ceil(100).max(1) - 1).copied();
        let spread =
            || Some(Spread { median_ms: at(50)?, p90_ms: at(90)?, p99_ms: at(99)?, max_ms: at(100)? });
        Counts { time_to_decide: spread(), ..self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tool: &str, decided: Option<(Decision, Source, i64)>) -> Fate {
        Fate {
            tool: tool.to_owned(),
            requested_at: Some(Timestamp::from_millis(0)),
            decided: decided.map(|(decision, source, at)| (decision, source, Timestamp::from_millis(at))),
            started: false,
            status: None,
        }
    }

    #[test]
    fn counts_what_people_were_asked_and_how_long_they_took() {
        let mut counter = Counter::default();
        for millis in 1..=100 {
            counter.count(&asked("bash", Some((Decision::AllowOnce, Source::Approver, millis))));
        }
        counter.count(&asked("bash", Some((Decision::Deny, Source::Expiry, 5_000))));
        counter.count(&asked("bash", Some((Decision::Deny, Source::Cancellation, 5_000))));
        counter.count(&asked("bash", None));
        let by_rule = Fate { requested_at: None, ..asked("ls", Some((Decision::Deny, Source::Policy, 0))) };
        counter.count(&by_rule);
        let stats = counter.stats(None, None);
        let bash = &stats.tools[0].counts;
        assert_eq!((bash.calls, bash.asked, bash.allowed, bash.denied), (103, 103, 100, 0));
        assert_eq!((bash.expired, bash.cancelled, bash.abandoned, bash.waiting), (1, 1, 2, 1));
        let spread = Spread { median_ms: 50, p90_ms: 90, p99_ms: 99, max_ms: 100 };
        assert_eq!(bash.time_to_decide, Some(spread));
        assert_eq!(stats.tools[1].counts, Counts { calls: 1, denied: 1, ..Counts::default() });
        assert_eq!(stats.by_source["approver"], 100);
        assert_eq!(stats.total.calls, 104);
    }
}
