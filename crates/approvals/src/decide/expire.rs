//! Expiring: nobody answered in time. Whichever process is there carries it out, once.

use super::{Context, Draft, response, result};
use crate::{
    Body, Call, Principal, Standing,
    event::{Decision, OnExpiry, Source, Status},
};

/// What is due: nothing while nobody is asked, or there is time left.
pub(super) fn expire(call: &Call, context: &Context<'_>) -> Vec<Draft> {
    let Standing::Pending { request } = &call.standing else { return Vec::new() };
    let Some(end) = request.what.expires_at.filter(|end| *end <= context.now) else {
        return Vec::new();
    };
    let by = Principal::system("expiry");
    let allows = request.what.on_expiry == Some(OnExpiry::Allow);
    let decision = if allows { Decision::AllowOnce } else { Decision::Deny };
    let mut response = response(&call.proposal.what, decision, Source::Expiry, context);
    response.rule.clone_from(&request.what.rule);
    let mut drafts = vec![Draft::new(&by, Body::ApprovalResponse(response))];
    if !allows {
        let text = format!("Nobody decided before {end}, so this call was not run.");
        drafts.push(Draft::new(&by, result(call.id(), Status::Expired, &text)));
    }
    drafts
}
