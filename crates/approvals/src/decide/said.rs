//! What an approver said, once it has passed all checks, and the decision that it makes.

use super::{Context, Draft, Respond, edit::Edit, response, result};
use crate::{Call, Width};
use countersign_events::{
    Body, Json,
    event::{Response, Source, Status},
};

/// An answer that has passed all checks.
pub(super) struct Said<'a> {
    pub(super) respond: &'a Respond,
    pub(super) level: Option<String>,
    pub(super) edit: Option<Edit>,
}

impl Said<'_> {
    /// The response, if this answer is the decision.
    pub(super) fn response(&self, call: &Call, context: &Context<'_>) -> Response {
        let mut response = response(&call.proposal.what, self.respond.decision, Source::Approver, context);
        response.rule = call.request().and_then(|request| request.what.rule.clone());
        response.comment = context.written(self.respond.comment.as_deref());
        response.level.clone_from(&self.level);
        response.matches = self.matches();
        if let Some(edit) = &self.edit {
            edit.stand_in(&mut response);
        }
        response
    }

    /// How wide it is meant, as it is written.
    pub(super) fn matches(&self) -> Option<Json> {
        self.respond.width.as_ref().map(Width::json)
    }
}

/// The decision, and what the model is told of a denial. `before` are those who denied it before whoever makes it
/// enough.
pub(super) fn decided(
    call: &Call,
    response: Response,
    before: &[Remark<'_>],
    context: &Context<'_>,
) -> Vec<Draft> {
    let denied = (!response.decision.allows()).then(|| {
        let last = (context.by.as_str(), response.comment.as_deref());
        let text = denial(before.iter().copied().chain([last]));
        Draft::new(context.by, result(call.id(), Status::Denied, &text))
    });
    let response = Draft::new(context.by, Body::ApprovalResponse(response));
    std::iter::once(response).chain(denied).collect()
}

/// Who denied, and why.
pub(super) type Remark<'a> = (&'a str, Option<&'a str>);

/// What the model is told: who, why, and that trying the same again is no use.
fn denial<'a>(remarks: impl Iterator<Item = Remark<'a>>) -> String {
    let said: Vec<_> = remarks
        .map(|(by, comment)| match comment {
            Some(why) => format!("{by}: {why}"),
            None => format!("{by}, without a comment"),
        })
        .collect();
    format!("Denied by {} (do not retry this call unchanged)", said.join("; and by "))
}
