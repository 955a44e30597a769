//! Revoke: a grant answers no more calls, and a call that it allowed does not start any more. A denial, for the session or of a
//! single call, no longer holds back calls.

use super::{DecisionContext, NewEvent, eligible, lift};
use crate::{Call, GrantScope, Refused, scope::ScopeOrigin, thread::LONGEST_MEMORY};
use countersign_events::{Body, GrantRevoked, Principal};

/// A denial that a person lifts.
struct LiftedDenial<'a> {
    by: &'a Principal,
    author_level: Option<&'a str>,
    made: ScopeOrigin<'a>,
    /// Whether it holds back only the same arguments. A pattern is not compared, so that no argument is parsed here.
    is_exact: bool,
}

/// Any person may revoke a grant, because that only restricts. To revoke a denial takes the level of its author.
pub(super) fn revoke<'a>(
    grant: i64,
    open: impl Iterator<Item = &'a Call>,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(context.by)?;
    let thread = context.thread;
    if thread.revocation(grant).is_some() {
        return Ok(Vec::new());
    }
    let lifted = if let Some(given) = thread.grants.iter().find(|given| given.seq == grant) {
        (!given.allows).then(|| LiftedDenial {
            by: &given.by,
            author_level: given.author_level.as_deref(),
            made: given.made(),
            is_exact: given.scope == Some(GrantScope::Exact),
        })
    } else {
        Some(find_denial(grant, context).ok_or(Refused::UnknownGrant { grant })?)
    };
    if let Some(denial) = lifted {
        lift::check_level_to_lift(denial.by, denial.author_level, context)?;
        lift::check_lifts_for_others(open, |call| denial.may_hold_back(call), context)?;
    }
    Ok(vec![NewEvent::new(context.by, Body::GrantRevoked(GrantRevoked { grant }))])
}

/// The denial of a single call with this `seq`, for as long as any policy may remember it. A later decision on the same call has
/// ended it: the check of a log forgets such a denial.
fn find_denial<'a>(seq: i64, context: &DecisionContext<'a>) -> Option<LiftedDenial<'a>> {
    let mut remembered = context.thread.remembered_denials(LONGEST_MEMORY, context.now);
    let denial = remembered.find(|denial| denial.seq == seq)?;
    Some(LiftedDenial { by: &denial.by, author_level: None, made: denial.made(), is_exact: true })
}

impl LiftedDenial<'_> {
    fn may_hold_back(&self, call: &Call) -> bool {
        let now = call.made().with_arguments(call.arguments_hash());
        now.tool == self.made.tool && (!self.is_exact || now.arguments.is_same(&self.made.arguments))
    }
}
