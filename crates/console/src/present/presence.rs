//! Presence of the agent that proposed a call.

use super::text::{escape_text, format_age};
use countersign_api as api;
use countersign_events::Timestamp;

/// Tells if a pending call's proposer still waits for the decision, where that is known.
#[must_use]
pub fn describe_presence(call: &api::Call, now: Timestamp) -> Option<String> {
    let seen = call.proposer_last_seen_at.filter(|_| call.is_pending())?;
    let text = if call.proposer_gone {
        format!("last seen {}, and may be gone", format_age(seen, now))
    } else {
        "waits for the decision".to_owned()
    };
    Some(text)
}

/// The warning that an allowed call may never run, because its proposer is gone.
#[must_use]
pub fn warn_of_absence(call: &api::Call, now: Timestamp) -> Option<String> {
    let says = describe_absence(call, now).filter(|_| call.may_run())?;
    Some(format!("{says}, so {} may not run until it returns.", escape_text(call.id.as_str())))
}

/// The same warning before the call is allowed.
#[must_use]
pub fn warn_before_allowing(call: &api::Call, now: Timestamp) -> Option<String> {
    let says = describe_absence(call, now).filter(|_| call.is_pending())?;
    Some(format!("{says}. If you allow the call, it may not run until the agent returns."))
}

fn describe_absence(call: &api::Call, now: Timestamp) -> Option<String> {
    let seen = call.proposer_last_seen_at.filter(|_| call.proposer_gone)?;
    let who = escape_text(call.proposal.principal.as_str());
    Some(format!("{who} was last seen {}", format_age(seen, now)))
}
