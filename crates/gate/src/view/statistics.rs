//! Counts calls by their outcomes.

use countersign_api::{
    CallCounts, CallStatistics, DayStatistics, MAX_STATISTICS_DAYS, RuleHits, StatisticsQuery,
    ToolStatistics, UtcOffset, most_touched, sort_rules, sort_tools,
};
use countersign_events::{Basis, Decision, RecordedEffect, Source, Status, Verdict};
use countersign_store::CallFate;
use std::collections::{BTreeMap, HashMap};

/// Call counts so far.
#[derive(Default)]
struct CallTally {
    counts: CallCounts,
    /// The longest time that an approver took, in milliseconds.
    longest: u64,
}

/// Counts calls, in total, by tool, by rule and by day.
#[derive(Default)]
pub(crate) struct CallCounter {
    total: CallTally,
    by_source: BTreeMap<String, u64>,
    tools: BTreeMap<String, CallTally>,
    rules: HashMap<(Option<String>, Option<Basis>, Verdict), u64>,
    touched: BTreeMap<(String, Option<String>, String), u64>,
    days_at: Option<UtcOffset>,
    days: BTreeMap<i64, CallTally>,
}

impl CallCounter {
    /// Creates a counter. It counts each day if `days_at` names an offset from UTC.
    pub(crate) fn new(days_at: Option<UtcOffset>) -> Self {
        Self { days_at, ..Self::default() }
    }

    pub(crate) fn count(&mut self, fate: &CallFate) {
        if let Some((_, source, _)) = &fate.decided {
            *self.by_source.entry(source.as_str().to_owned()).or_default() += 1;
        }
        self.total.count(fate);
        self.tools.entry(fate.tool.clone()).or_default().count(fate);
        if let Some(verdict) = judged_verdict(fate) {
            *self.rules.entry((fate.rule.clone(), fate.basis, verdict)).or_default() += 1;
        }
        for RecordedEffect { kind, access, target, certain } in &fate.effects {
            if *certain {
                *self.touched.entry((kind.clone(), access.clone(), target.clone())).or_default() += 1;
            }
        }
        if let Some(offset) = self.days_at {
            self.days.entry(offset.day_of(fate.proposed_at)).or_default().count(fate);
            if self.days.len() > MAX_STATISTICS_DAYS {
                self.days.pop_first();
            }
        }
    }

    /// The counts, as the page of `query` before `next`.
    pub(crate) fn stats(self, query: &StatisticsQuery, next: Option<i64>) -> CallStatistics {
        let statistics = |(tool, tally): (String, CallTally)| ToolStatistics { tool, counts: tally.counts() };
        let mut tools: Vec<_> = self.tools.into_iter().map(statistics).collect();
        sort_tools(&mut tools);
        let hits = |((rule, basis, verdict), calls)| RuleHits { rule, basis, verdict, calls };
        let mut rules = self.rules.into_iter().map(hits).collect();
        sort_rules(&mut rules);
        let day = |(day, tally): (i64, CallTally)| DayStatistics {
            date: UtcOffset::format_day(day),
            counts: tally.counts(),
        };
        CallStatistics {
            since: query.since,
            until: query.until,
            total: self.total.counts(),
            by_source: self.by_source,
            tools,
            rules,
            touched: query.touched.then(|| most_touched(self.touched)),
            days: self.days_at.map(|_| self.days.into_iter().map(day).collect()),
            next,
        }
    }
}

/// The policy verdict on a call, as the log records it; `None` if the thread answered or nothing was recorded.
fn judged_verdict(fate: &CallFate) -> Option<Verdict> {
    if fate.requested_at.is_some() {
        return Some(Verdict::Ask);
    }
    let (decision, source, _) = fate.decided.as_ref()?;
    let verdict = if decision.allows() { Verdict::Allow } else { Verdict::Block };
    (*source == Source::Policy).then_some(verdict)
}

impl CallTally {
    fn count(&mut self, fate: &CallFate) {
        let counts = &mut self.counts;
        let is_answered = matches!(fate.decided, Some((_, Source::Advisor, _)));
        // A prompt that an advisor answered costs no person anything.
        let asked = fate.requested_at.is_some() && !is_answered;
        counts.calls += 1;
        counts.asked += u64::from(asked);
        counts.answered_by_advisors += u64::from(is_answered);
        counts.ran += u64::from(fate.started);
        counts.failed += u64::from(fate.started && fate.status == Some(Status::Error));
        let unanswered = match &fate.decided {
            None => {
                counts.waiting += u64::from(asked);
                counts.not_decided += u64::from(asked);
                return;
            }
            Some((_, Source::Expiry, _)) => &mut counts.expired,
            Some((_, Source::Cancellation, _)) => &mut counts.cancelled,
            Some((decision, source, at)) => {
                let sum = if decision.allows() { &mut counts.allowed } else { &mut counts.denied };
                *sum += u64::from(*decision != Decision::Other);
                counts.asked_allowed += u64::from(asked && decision.allows());
                counts.asked_denied += u64::from(asked && !decision.allows());
                if let (Source::Approver, Some(since)) = (source, fate.requested_at) {
                    let millis = u64::try_from(at.since(since).as_millis()).unwrap_or(u64::MAX);
                    counts.decision_times.count(millis);
                    self.longest = self.longest.max(millis);
                }
                return;
            }
        };
        *unanswered += 1;
        counts.abandoned += u64::from(asked);
        counts.not_decided += u64::from(asked);
    }

    fn counts(self) -> CallCounts {
        let time_to_decide = self.counts.decision_times.percentiles(self.longest);
        CallCounts { time_to_decide, ..self.counts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_api::DurationPercentiles;
    use countersign_events::Timestamp;

    fn asked(tool: &str, decided: Option<(Decision, Source, i64)>) -> CallFate {
        CallFate {
            tool: tool.to_owned(),
            requested_at: Some(Timestamp::from_millis(0)),
            decided: decided.map(|(decision, source, at)| (decision, source, Timestamp::from_millis(at))),
            started: false,
            status: None,
            proposed_at: Timestamp::from_millis(0),
            rule: None,
            basis: None,
            effects: Vec::new(),
        }
    }

    #[test]
    fn statistics_count_requests_and_response_times() {
        let mut counter = CallCounter::default();
        for millis in 1..=100 {
            counter.count(&asked("bash", Some((Decision::AllowOnce, Source::Approver, millis))));
        }
        counter.count(&asked("bash", Some((Decision::Deny, Source::Expiry, 5_000))));
        counter.count(&asked("bash", Some((Decision::Deny, Source::Cancellation, 5_000))));
        counter.count(&asked("bash", None));
        let by_rule =
            CallFate { requested_at: None, ..asked("ls", Some((Decision::Deny, Source::Policy, 0))) };
        counter.count(&by_rule);
        let stats = counter.stats(&StatisticsQuery::default(), None);
        let bash = &stats.tools[0].counts;
        assert_eq!((bash.calls, bash.asked, bash.allowed, bash.denied), (103, 103, 100, 0));
        assert_eq!((bash.asked_allowed, stats.total.asked_allowed), (100, 100));
        assert_eq!((bash.expired, bash.cancelled, bash.abandoned, bash.waiting), (1, 1, 2, 1));
        assert_eq!((bash.asked_denied, bash.not_decided), (0, 3));
        let spread = DurationPercentiles { median_ms: 50, p90_ms: 90, p99_ms: 99, max_ms: 100 };
        assert_eq!(bash.time_to_decide, Some(spread));
        assert_eq!(stats.tools[1].counts, CallCounts { calls: 1, denied: 1, ..CallCounts::default() });
        assert_eq!(stats.by_source["approver"], 100);
        assert_eq!(stats.total.calls, 104);
    }

    #[test]
    fn advisor_answers_are_no_prompts() {
        let mut counter = CallCounter::default();
        counter.count(&asked("bash", Some((Decision::AllowOnce, Source::Advisor, 8))));
        counter.count(&asked("bash", Some((Decision::Deny, Source::Advisor, 8))));
        counter.count(&asked("bash", Some((Decision::Deny, Source::Approver, 9))));
        let total = counter.stats(&StatisticsQuery::default(), None).total;
        assert_eq!((total.calls, total.asked, total.asked_allowed, total.answered_by_advisors), (3, 1, 0, 2));
        assert_eq!((total.allowed, total.denied), (1, 2));
    }
}
