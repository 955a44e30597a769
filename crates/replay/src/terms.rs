//! Compares a recorded request's approval terms with those of another policy.

use countersign_approvals::Call;
use countersign_events::{ApprovalRequest, OnExpiry};
use countersign_policy::ApprovalTerms;

/// Describes the differences between the recorded terms and `now`. Returns `None` if the terms are the same.
pub(super) fn describe_changed_terms(call: &Call, now: &ApprovalTerms) -> Option<String> {
    let fact = call.request()?;
    let then = &fact.what;
    let level =
        |level: &Option<String>| level.as_deref().map_or("any level".to_owned(), |l| format!("level {l}"));
    let count_of = |count: u32, one: &str, more: &str| {
        if count == 1 { format!("one {one}") } else { format!("{count} {more}") }
    };
    let quorum = |count: u32| count_of(count, "approval", "approvals");
    let denials = |count: u32| count_of(count, "denial", "denials");
    let differences = [
        describe_change(&level(&then.level), &level(&now.level)),
        describe_change(&quorum(then.quorum.unwrap_or(1)), &quorum(now.quorum)),
        describe_change(&denials(then.denials.unwrap_or(1)), &denials(now.denials)),
        describe_change(&describe_approvers(&then.approvers), &describe_approvers(&now.approvers)),
        describe_change(describe_expiry(then.on_expiry), describe_expiry(expiry_under(call, then, now))),
    ];
    let differences: Vec<_> = differences.into_iter().flatten().collect();
    (!differences.is_empty()).then(|| differences.join("; "))
}

fn describe_change(then: &str, now: &str) -> Option<String> {
    (then != now).then(|| format!("{now} instead of {then}"))
}

/// Describes the lists in sorted order, because their order in a policy has no meaning.
fn describe_approvers(lists: &[Vec<String>]) -> String {
    let mut lists: Vec<_> = lists
        .iter()
        .map(|list| {
            let mut names = list.clone();
            names.sort();
            names.join(" or ")
        })
        .collect();
    lists.sort();
    lists.dedup();
    if lists.is_empty() {
        "approved by any approver".to_owned()
    } else {
        format!("approved by {}", lists.join(", and by "))
    }
}

fn describe_expiry(on_expiry: Option<OnExpiry>) -> &'static str {
    match on_expiry {
        Some(OnExpiry::Allow) => "allowed on expiry",
        _ => "denied on expiry",
    }
}

/// The effect of expiry under `now`. An expiry cannot allow a call if the proposer asked for less time than the rule
/// gives, or if the thread requires approval.
fn expiry_under(call: &Call, then: &ApprovalRequest, now: &ApprovalTerms) -> Option<OnExpiry> {
    let asked_at = call.request().map(|request| request.at);
    let requested = then.expires_at.zip(asked_at).map(|(end, begin)| end.since(begin));
    let is_shortened = requested.zip(now.expires).is_some_and(|(requested, rule)| requested < rule);
    let may_allow = now.expires.is_some() && !is_shortened && !super::past_answer::thread_asked(call);
    may_allow.then_some(now.on_expiry)
}
