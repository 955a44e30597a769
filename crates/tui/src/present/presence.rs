//! The presence of the agent that proposed a call.

use super::text::{escape_text, format_age};
use countersign_api as api;
use countersign_gate::Timestamp;

/// Tells if the proposer of a pending call still waits for the decision, where that is known.
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
    let seen = call.proposer_last_seen_at.filter(|_| call.may_run() && call.proposer_gone)?;
    let (who, id) = (escape_text(call.proposal.principal.as_str()), escape_text(call.id.as_str()));
    Some(format!("{who} was last seen {}, so {id} may not run until it returns.", format_age(seen, now)))
}
