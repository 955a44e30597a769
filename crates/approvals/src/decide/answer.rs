//! An approver answer that has passed all checks, and the decision events that it causes.

use super::{
    DecisionContext, NewEvent, RespondCommand,
    edit::ArgumentEdit,
    eligible,
    new_event::{new_response, new_result},
};
use crate::{Call, GrantScope, call::RecordedFact};
use countersign_events::{
    ApprovalResponse, ApprovalVote, Body, DecisionProof, Json, Principal, Source, Status,
};

/// An approver answer that has passed all checks.
pub(super) struct CheckedAnswer<'a> {
    pub(super) respond: &'a RespondCommand,
    pub(super) level: Option<String>,
    pub(super) edit: Option<ArgumentEdit>,
    pub(super) proof: Option<DecisionProof>,
}

impl CheckedAnswer<'_> {
    /// The response, if this answer is the decision.
    pub(super) fn response(&self, call: &Call, context: &DecisionContext<'_>) -> ApprovalResponse {
        let decision = self.respond.decision;
        let mut response = new_response(&call.proposal.what, decision, Source::Approver, context);
        response.rule = call.request().and_then(|request| request.what.rule.clone());
        response.comment = context.mask_optional(self.respond.comment.as_deref());
        response.level.clone_from(&self.level);
        response.scope = self.scope();
        response.agents = self.respond.recorded_agents();
        response.on_behalf_of.clone_from(&self.respond.on_behalf_of);
        response.expires_at = self.respond.limits.end(context.now);
        response.uses = self.respond.limits.uses;
        response.proof.clone_from(&self.proof);
        response.channel = self.respond.channel;
        if let Some(edit) = &self.edit {
            edit.write_to(&mut response);
        }
        response
    }

    /// The scope in which the answer is remembered, as the log keeps it.
    pub(super) fn scope(&self) -> Option<Json> {
        self.respond.scope.as_ref().map(GrantScope::json)
    }
}

/// The decision events: the response, and for a denial the result with a message for the model. `earlier` are the
/// denials given before the last one. A denial for the session keeps its author's level.
pub(super) fn response_events(
    call: &Call,
    mut response: ApprovalResponse,
    earlier: &[DenialRemark<'_>],
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    if !response.decision.allows() && response.scope.is_some() {
        response.author_level = Some(eligible::level_of(context.by, context).to_owned());
    }
    let denied = (!response.decision.allows()).then(|| {
        let (on_behalf_of, comment) = (response.on_behalf_of.as_ref(), response.comment.as_deref());
        let last = DenialRemark { by: context.by, on_behalf_of, comment };
        let text = denial_text(earlier.iter().copied().chain([last]));
        NewEvent::new(context.by, new_result(call.id(), Status::Denied, &text))
    });
    let response = NewEvent::new(context.by, Body::ApprovalResponse(response));
    std::iter::once(response).chain(denied).collect()
}

/// An approver who denied, perhaps in another person's place, with the comment.
#[derive(Clone, Copy)]
pub(super) struct DenialRemark<'a> {
    by: &'a Principal,
    on_behalf_of: Option<&'a Principal>,
    comment: Option<&'a str>,
}

impl<'a> DenialRemark<'a> {
    pub(super) fn of_vote(vote: &'a RecordedFact<ApprovalVote>) -> Self {
        let on_behalf_of = vote.what.on_behalf_of.as_ref();
        Self { by: &vote.by, on_behalf_of, comment: vote.what.comment.as_deref() }
    }
}

/// The message for the model: who denied, why, and that the same call must not be retried.
fn denial_text<'a>(remarks: impl Iterator<Item = DenialRemark<'a>>) -> String {
    let remarks: Vec<_> = remarks
        .map(|remark| {
            let by = remark.by.describe_decider(remark.on_behalf_of);
            match remark.comment {
                Some(why) => format!("{by}: {why}"),
                None => format!("{by}, without a comment"),
            }
        })
        .collect();
    format!("Denied by {} (do not retry this call unchanged)", remarks.join("; and by "))
}
