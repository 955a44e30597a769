//! Delegations: a person hands their queue to another one. Either of the two ends it, or an admin, or its time does.

use super::AdmissionContext;
use crate::{Refused, access::TokenDirectory, decide::check_is_person};
use countersign_events::{DelegationEnded, DelegationSet, principal::PrincipalKind};
use std::time::Duration;

/// The longest time of a delegation.
pub const LONGEST_DELEGATION: Duration = Duration::from_hours(90 * 24);

/// The maximum number of active delegations of a person.
pub const MAX_DELEGATIONS: usize = 16;

/// The maximum length of a reason, in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

/// Returns true if the event changes something.
pub(super) fn check_set(
    set: &DelegationSet,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    if set.to.kind() != PrincipalKind::User {
        return Err(Refused::invalid("to", "only a person decides; name one, such as user:ben"));
    }
    if set.to.is_same_actor(context.by) {
        return Err(Refused::invalid("to", "name another person"));
    }
    if let Some(known) = tokens.names().find_other_spelling(&set.to) {
        return Err(Refused::OtherSpelling { given: set.to.clone(), known: known.clone() });
    }
    if set.until <= context.now || set.until > context.now.after(LONGEST_DELEGATION) {
        return Err(Refused::invalid("until", "name a moment in the next 90 days"));
    }
    check_comment(set.comment.as_deref())?;
    let active = tokens.delegations().active(context.now);
    let own: Vec<_> = active.filter(|record| record.from == *context.by).collect();
    if own.iter().any(|record| record.set == *set) {
        return Ok(false);
    }
    if own.len() >= MAX_DELEGATIONS {
        let why = format!("a person has up to {MAX_DELEGATIONS} delegations; end one first");
        return Err(Refused::invalid("to", &why));
    }
    Ok(true)
}

/// Returns true if the delegation has not ended yet.
pub(super) fn check_ended(
    ended: &DelegationEnded,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    check_comment(ended.comment.as_deref())?;
    let found = tokens.delegations().find(ended.delegation).filter(|record| record.set.until > context.now);
    let Some(record) = found else { return Err(Refused::UnknownDelegation) };
    if ![&record.from, &record.set.to].contains(&context.by) && !context.as_admin {
        let why = "only one of its two people, or an admin, ends a delegation";
        return Err(Refused::NotEligible { by: context.by.to_string(), why: why.to_owned() });
    }
    Ok(true)
}

fn check_comment(comment: Option<&str>) -> Result<(), Refused> {
    if comment.is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
        return Err(Refused::invalid("comment", &format!("it is longer than {MAX_TEXT_BYTES} bytes")));
    }
    Ok(())
}
