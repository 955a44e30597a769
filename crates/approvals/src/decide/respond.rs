//! Deciding: one person's answer to what was asked, once for ever.

use super::{Context, Draft, response, result};
use crate::{
    Body, Call, Refused, Standing,
    event::{Decision, Source, Status},
    principal::Kind,
};

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respond {
    /// What is answered.
    pub decision: Decision,
    /// And why: the log keeps it, and a denial tells the model.
    pub comment: Option<String>,
}

pub(super) fn respond(call: &Call, respond: &Respond, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    if context.by.kind() != Kind::User {
        return Err(Refused::NotAnApprover(context.by.to_string()));
    }
    if call.proposal.by == *context.by {
        return Err(Refused::SelfApproval(context.by.to_string()));
    }
    if let Some(first) = call.response() {
        let same = first.what.source == Source::Approver && first.what.decision == respond.decision;
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyDecided { response: Box::new(first.clone()) })
        };
    }
    if respond.decision == Decision::Other {
        return Err(Refused::NotOffered(respond.decision.as_str()));
    }
    let rule = match &call.standing {
        Standing::Pending { request } if !request.what.options.contains(&respond.decision) => {
            return Err(Refused::NotOffered(respond.decision.as_str()));
        }
        Standing::Pending { request } => request.what.rule.clone(),
        _ => None,
    };
    let mut response = response(&call.proposal.what, respond.decision, Source::Approver, context);
    response.rule = rule;
    response.comment.clone_from(&respond.comment);
    let mut drafts = vec![Draft::new(context.by, Body::ApprovalResponse(response))];
    if !respond.decision.allows() {
        let text = denial(context.by.as_str(), respond.comment.as_deref());
        drafts.push(Draft::new(context.by, result(call.id(), Status::Denied, &text)));
    }
    Ok(drafts)
}

/// What the model is told: who, why, and that trying the same again is no use.
fn denial(by: &str, comment: Option<&str>) -> String {
    match comment {
        Some(why) => format!("Denied by {by}: {why} (do not retry this call unchanged)"),
        None => format!("Denied by {by}, without a comment (do not retry this call unchanged)"),
    }
}
