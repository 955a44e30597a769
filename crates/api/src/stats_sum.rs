//! Adds up pages of statistics.

use crate::{
    ApprovalGate, CallCounts, CallStatistics, DayStatistics, GateError, MAX_STATISTICS_DAYS,
    MAX_STATISTICS_RULES, MAX_STATISTICS_THINGS, RuleHits, SendOperation, StatisticsQuery, ToolStatistics,
    TouchedThing, operations::CountCalls,
};
use countersign_events::Basis;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    mem,
};

/// Counts the calls of all pages. `progress` receives the `seq` from which on all calls are counted, and 0 at the end.
pub async fn count_all_calls(
    gate: &dyn ApprovalGate,
    query: &StatisticsQuery,
    progress: &mut (dyn FnMut(i64) + Send),
) -> Result<CallStatistics, GateError> {
    let mut sum = gate.send(CountCalls { query: *query }).await?;
    while let Some(after) = sum.next {
        progress(after);
        sum.add(gate.send(CountCalls { query: StatisticsQuery { after, ..*query } }).await?);
    }
    progress(0);
    Ok(sum)
}

impl CallStatistics {
    /// Adds the next page, which has earlier calls. The percentiles are rounded down by less than 1 %.
    pub fn add(&mut self, page: Self) {
        self.total.add(&page.total);
        for (source, number) in page.by_source {
            *self.by_source.entry(source).or_default() += number;
        }
        let mut tools: BTreeMap<String, CallCounts> = BTreeMap::new();
        for ToolStatistics { tool, counts } in mem::take(&mut self.tools).into_iter().chain(page.tools) {
            tools.entry(tool).or_default().add(&counts);
        }
        self.tools = tools.into_iter().map(|(tool, counts)| ToolStatistics { tool, counts }).collect();
        sort_tools(&mut self.tools);
        let mut rules = HashMap::new();
        for hits in mem::take(&mut self.rules).into_iter().chain(page.rules) {
            *rules.entry((hits.rule, hits.basis, hits.verdict)).or_default() += hits.calls;
        }
        let hits = |((rule, basis, verdict), calls)| RuleHits { rule, basis, verdict, calls };
        self.rules = rules.into_iter().map(hits).collect();
        sort_rules(&mut self.rules);
        if let Some(days) = &mut self.days {
            add_days(days, page.days.unwrap_or_default());
        }
        if let Some(touched) = &mut self.touched {
            add_touched(touched, page.touched.unwrap_or_default());
        }
        self.next = page.next;
    }
}

impl CallCounts {
    fn add(&mut self, other: &Self) {
        let longest = |counts: &Self| counts.time_to_decide.map_or(0, |times| times.max_ms);
        let longest = longest(self).max(longest(other));
        self.decision_times.add(&other.decision_times);
        self.calls += other.calls;
        self.asked += other.asked;
        self.answered_by_advisors += other.answered_by_advisors;
        self.asked_allowed += other.asked_allowed;
        self.allowed += other.allowed;
        self.denied += other.denied;
        self.expired += other.expired;
        self.cancelled += other.cancelled;
        self.abandoned += other.abandoned;
        self.waiting += other.waiting;
        self.asked_denied += other.asked_denied;
        self.not_decided += other.not_decided;
        self.ran += other.ran;
        self.failed += other.failed;
        self.time_to_decide = self.decision_times.percentiles(longest);
    }
}

/// Adds earlier days, and keeps the latest.
fn add_days(days: &mut Vec<DayStatistics>, earlier: Vec<DayStatistics>) {
    let mut sum: BTreeMap<String, CallCounts> = BTreeMap::new();
    for DayStatistics { date, counts } in mem::take(days).into_iter().chain(earlier) {
        sum.entry(date).or_default().add(&counts);
    }
    let first = sum.len().saturating_sub(MAX_STATISTICS_DAYS);
    *days = sum.into_iter().skip(first).map(|(date, counts)| DayStatistics { date, counts }).collect();
}

/// Adds the things of another page. A thing that a page left out is counted too low.
fn add_touched(touched: &mut Vec<TouchedThing>, page: Vec<TouchedThing>) {
    let mut sum = BTreeMap::new();
    for TouchedThing { kind, access, target, calls } in mem::take(touched).into_iter().chain(page) {
        *sum.entry((kind, access, target)).or_default() += calls;
    }
    *touched = most_touched(sum);
}

/// The things that the most calls touch, from the number of calls by kind, access and target.
#[must_use]
pub fn most_touched(counts: BTreeMap<(String, Option<String>, String), u64>) -> Vec<TouchedThing> {
    let thing = |((kind, access, target), calls)| TouchedThing { kind, access, target, calls };
    let mut things: Vec<_> = counts.into_iter().map(thing).collect();
    // Things that as many calls touch stay in the order of their names.
    things.sort_by_key(|thing| Reverse(thing.calls));
    things.truncate(MAX_STATISTICS_THINGS);
    things
}

/// Sorts the tools: the one that people were asked about most often first, then by calls and by name.
pub fn sort_tools(tools: &mut [ToolStatistics]) {
    tools.sort_by(|a, b| {
        let key = |tool: &ToolStatistics| Reverse((tool.counts.asked, tool.counts.calls));
        key(a).cmp(&key(b)).then_with(|| a.tool.cmp(&b.tool))
    });
}

/// Sorts the rules by number of calls, the highest first, then by name, and keeps the first of them.
pub fn sort_rules(rules: &mut Vec<RuleHits>) {
    rules.sort_by(|a, b| {
        let order = b.calls.cmp(&a.calls).then_with(|| a.rule.cmp(&b.rule));
        let basis = |row: &RuleHits| row.basis.map(Basis::as_str);
        order.then_with(|| basis(a).cmp(&basis(b))).then_with(|| a.verdict.cmp(&b.verdict))
    });
    rules.truncate(MAX_STATISTICS_RULES);
}
