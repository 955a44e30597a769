//! A day's review in API types.

use countersign_api as api;
use countersign_events::{Sha256, Timestamp};
use countersign_replay::daily::{DayPrompt, DayReview, ObservedPrompts, OfferedRule, RejectedRule};

/// The day, and what was read for its review.
pub(crate) struct ReviewedDay {
    pub(crate) log: api::AnalysisExtent,
    pub(crate) date: String,
    pub(crate) since: Timestamp,
    pub(crate) policy: Sha256,
}

/// The API type of a review.
pub(crate) fn view_day(review: DayReview, day: ReviewedDay) -> api::DailyReview {
    let ReviewedDay { log, date, since, policy } = day;
    api::DailyReview {
        log,
        date,
        since,
        policy,
        calls: review.counts.calls,
        asked: review.counts.asked,
        asked_allowed: review.counts.allowed,
        asked_denied: review.counts.denied,
        saved: review.saved,
        refused: review.refused,
        rules: review.rules.into_iter().map(view_rule).collect(),
        withheld: review.withheld.into_iter().map(view_withheld).collect(),
        observed: review.observed,
        would_ask: review.would_ask.into_iter().map(view_observed).collect(),
    }
}

fn view_rule(offered: OfferedRule) -> api::DailyRule {
    let OfferedRule { rule, saves, calls } = offered;
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    api::DailyRule {
        name: rule.name,
        tool: rule.tool,
        toml: rule.toml,
        saves,
        prompts: rule.prompts,
        arguments: count(rule.arguments),
        threads: count(rule.threads),
        people: rule.people,
        first: rule.first,
        last: rule.last,
        near_misses: count(rule.near_misses),
        such_as: rule.such_as,
        calls: calls.into_iter().map(view_prompt).collect(),
    }
}

fn view_withheld(rule: RejectedRule) -> api::WithheldRule {
    let RejectedRule { name, would_save, refused, such_as } = rule;
    api::WithheldRule { name, would_save, refused, such_as }
}

fn view_observed(observed: ObservedPrompts) -> api::ObservedCalls {
    let ObservedPrompts { tool, rule, calls, example } = observed;
    api::ObservedCalls { tool, rule, calls, example: view_prompt(example) }
}

fn view_prompt(prompt: DayPrompt) -> api::ReviewedCall {
    let DayPrompt { thread, id, principal, arguments, calls } = prompt;
    api::ReviewedCall { thread_id: thread, id, principal, arguments, calls }
}
