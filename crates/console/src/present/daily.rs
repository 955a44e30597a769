//! A day's review in words.

use super::{event::summarize_arguments, text::escape_text, words::count_words};
use chrono::{Local, Offset, TimeZone};
use countersign_api::{DailyReview, DailyRule, ReviewedCall, UtcOffset};
use countersign_events::Timestamp;

/// The most calls that show what a rule would have allowed.
const MAX_CALLS: usize = 5;

/// The offset from UTC of this machine's time zone at a moment.
#[must_use]
pub fn local_offset(now: Timestamp) -> UtcOffset {
    let local = Local.timestamp_millis_opt(now.as_millis()).earliest();
    let seconds = local.map_or(0, |local| local.offset().fix().local_minus_utc());
    UtcOffset::from_minutes(i16::try_from(seconds / 60).unwrap_or(0))
}

/// The day's calls in one sentence: how many, how many were asked, and how people decided. Returns `None` for a day
/// without calls.
#[must_use]
pub fn count_day(review: &DailyReview) -> Option<String> {
    if review.calls == 0 {
        return None;
    }
    let decisions = [(review.asked_allowed, "allowed"), (review.asked_denied, "denied")];
    let decided = decisions.into_iter().filter(|(number, _)| *number > 0);
    let counts = [count_words(review.calls, "call"), format!("{} asked", review.asked)];
    let counts: Vec<_> =
        counts.into_iter().chain(decided.map(|(number, word)| format!("{number} {word}"))).collect();
    Some(counts.join(", "))
}

/// The review in lines.
#[must_use]
pub fn describe_day(review: &DailyReview) -> Vec<String> {
    let Some(counts) = count_day(review) else { return vec![format!("{}: no calls.", review.date)] };
    let mut lines = vec![format!("{}: {counts}.", review.date)];
    lines.extend(describe_saved(review));
    for rule in &review.rules {
        lines.push(String::new());
        lines.extend(describe_rule(rule));
    }
    lines.extend(describe_withheld(review));
    lines.extend(describe_observed(review));
    if !review.log.complete {
        lines.push(String::new());
        lines.push(
            "Not all calls since then could be read or compared in time: the rules rest on a part of them."
                .to_owned(),
        );
    }
    lines
}

fn describe_saved(review: &DailyReview) -> Option<String> {
    let rules = match review.rules.len() {
        0 if review.asked == 0 => return None,
        0 => return Some("No rule would have made a prompt of this day needless.".to_owned()),
        1 => "this rule".to_owned(),
        number => format!("these {number} rules"),
    };
    let since = review.rules.iter().map(|rule| rule.first).min().unwrap_or(review.since).min(review.since);
    let since = since.to_string();
    let (since, _) = since.split_once('T').unwrap_or((&since, ""));
    let proof = match review.refused {
        0 => format!("No call was refused since {since}."),
        refused => format!(
            "That would have allowed nothing that was refused: none of {} since {since}.",
            count_words(refused, "call")
        ),
    };
    Some(format!("{} of them would not have been asked with {rules}. {proof}", review.saved))
}

fn describe_rule(rule: &DailyRule) -> Vec<String> {
    let people: Vec<_> = rule.people.iter().map(|person| escape_text(person)).collect();
    let mut lines = vec![
        escape_text(rule.name.trim_start_matches("suggested: ")),
        format!(
            "  saves {}; {} allowed {} like it in {}",
            count_words(rule.saves, "prompt"),
            people.join(", "),
            count_words(rule.prompts, "call"),
            count_words(rule.threads, "thread")
        ),
    ];
    lines.extend(
        rule.calls.iter().take(MAX_CALLS).map(|call| format!("  would allow    {}", describe_call(call))),
    );
    if rule.calls.len() > MAX_CALLS {
        lines.push(format!("                 and {} more", rule.calls.len() - MAX_CALLS));
    }
    lines.extend(rule.such_as.iter().map(|call| format!("  does not allow {}", escape_text(call))));
    let toml = rule.toml.trim_end().lines().map(|line| format!("    {}", escape_text(line)));
    lines.extend(toml);
    lines
}

fn describe_call(call: &ReviewedCall) -> String {
    let arguments = summarize_arguments(&call.arguments);
    if call.calls == 1 { arguments } else { format!("{arguments} ({} times)", call.calls) }
}

fn describe_withheld(review: &DailyReview) -> Vec<String> {
    let mut lines = Vec::new();
    for rule in &review.withheld {
        let name = escape_text(rule.name.trim_start_matches("suggested: "));
        lines.push(String::new());
        lines.push(format!(
            "Not offered: {name}. It would have saved {}, and also allowed {}:",
            count_words(rule.would_save, "prompt"),
            count_words(rule.refused, "refused call")
        ));
        lines.extend(rule.such_as.iter().map(|call| format!("  {}", escape_text(call))));
    }
    lines
}

fn describe_observed(review: &DailyReview) -> Vec<String> {
    if review.observed == 0 {
        return Vec::new();
    }
    let mut lines = vec![
        String::new(),
        format!(
            "The policy only observes. Otherwise, people would have been asked about {}:",
            count_words(review.observed, "call")
        ),
    ];
    lines.extend(review.would_ask.iter().map(|row| {
        let (tool, rule) = (escape_text(row.tool.as_str()), escape_text(&row.rule));
        let example = summarize_arguments(&row.example.arguments);
        format!("  {} of {tool} by the rule {rule}, such as {example}", count_words(row.calls, "call"))
    }));
    lines
}
