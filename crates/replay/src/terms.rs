//! Whom the question goes to: the terms on which people were asked, and those of another policy.

use countersign_approvals::Call;
use countersign_events::event::{ApprovalRequest, OnExpiry};
use countersign_policy::ApprovalTerms;

/// In which terms the question would have differed, in words; none if it would have gone to the same people.
pub(super) fn otherwise(call: &Call, now: &ApprovalTerms) -> Option<String> {
    let fact = call.request()?;
    let then = &fact.what;
    let level = |level: &Option<String>| {
        level.as_deref().map_or("anybody's level".to_owned(), |l| format!("level {l}"))
    };
    let several = |count: u32, one: &str, more: &str| {
        if count == 1 { format!("one {one}") } else { format!("{count} {more}") }
    };
    let quorum = |count: u32| several(count, "approval", "approvals");
    let denials = |count: u32| several(count, "denial", "denials");
    let differences = [
        differs(&level(&then.level), &level(&now.level)),
        differs(&quorum(then.quorum.unwrap_or(1)), &quorum(now.quorum)),
        differs(&denials(then.denials.unwrap_or(1)), &denials(now.denials)),
        differs(&approvers(&then.approvers), &approvers(&now.approvers)),
        differs(silence(then.on_expiry), silence(now_on_expiry(call, then, now))),
    ];
    let told: Vec<_> = differences.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}

fn differs(then: &str, now: &str) -> Option<String> {
    (then != now).then(|| format!("{now} instead of {then}"))
}

/// The lists, in an order of their own: it says nothing.
fn approvers(lists: &[Vec<String>]) -> String {
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
        "approved by anybody".to_owned()
    } else {
        format!("approved by {}", lists.join(", and by "))
    }
}

fn silence(on_expiry: Option<OnExpiry>) -> &'static str {
    match on_expiry {
        Some(OnExpiry::Allow) => "silence as a yes",
        _ => "silence as a no",
    }
}

/// Silence never allowed where the proposer asked for less time than the rule gives, or the thread requires a person.
fn now_on_expiry(call: &Call, then: &ApprovalRequest, now: &ApprovalTerms) -> Option<OnExpiry> {
    let asked_at = call.request().map(|request| request.at);
    let given = then.expires_at.zip(asked_at).map(|(end, begin)| end.since(begin));
    let hurried = given.zip(now.expires).is_some_and(|(given, rule)| given < rule);
    let possible = now.expires.is_some() && !hurried && !super::then::thread_asked(call);
    possible.then_some(now.on_expiry)
}
