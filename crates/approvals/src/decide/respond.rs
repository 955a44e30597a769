//! Deciding: people's answer to what was asked, once for ever.

use super::{
    Context, Draft, Reviewed, edit, eligible,
    propose::Arguments,
    said::{Said, decided},
    vote,
};
use crate::{Call, Refused, Standing, Width};
use countersign_events::{
    Sha256,
    event::{Decision, Request, Response, Source},
};
use countersign_policy::{Effect, Look};
use std::sync::Arc;

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respond {
    /// What is answered.
    pub decision: Decision,
    /// And why: the log keeps it, and a denial tells the model.
    pub comment: Option<String>,
    /// What is to run instead of what was proposed.
    pub arguments: Option<Arguments>,
    /// The arguments that were looked at; an answer to others is refused.
    pub about: Option<Sha256>,
    /// How wide it is remembered. An `allow_session` without it is for the whole tool, a denial for this call.
    pub width: Option<Width>,
    /// At which level; the one that the request asks for, if nothing is said.
    pub level: Option<String>,
    /// What is known of the changed arguments, where that was asked before.
    pub reviewed: Option<Arc<Reviewed>>,
}

impl Respond {
    /// An answer and nothing else.
    #[must_use]
    pub fn plain(decision: Decision) -> Self {
        Self {
            decision,
            comment: None,
            arguments: None,
            about: None,
            width: None,
            level: None,
            reviewed: None,
        }
    }
}

pub(super) fn respond(call: &Call, respond: &Respond, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    eligible::person(call, context)?;
    if let Some(first) = call.response() {
        let same = first.what.source == Source::Approver && is_same(&first.what, respond, call);
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyDecided { response: Box::new(first.clone()) })
        };
    }
    let request = match &call.standing {
        Standing::Pending { request } => Some(&request.what),
        _ => None,
    };
    check_offer(request, respond)?;
    let level = eligible::level(call, respond.level.as_deref(), context)?;
    check_about(call, respond)?;
    check_width(call, respond, context)?;
    let edit = edit::edit(call, respond, context)?;
    let said = Said { respond, level, edit };
    match request.filter(|request| request.quorum.unwrap_or(1) > 1 || request.denials.unwrap_or(1) > 1) {
        Some(request) => vote::vote(call, &said, request, context),
        None => Ok(decided(call, said.response(call, context), &[], context)),
    }
}

fn is_same(first: &Response, respond: &Respond, call: &Call) -> bool {
    let proposed = call.proposal.what.arguments_hash;
    let hash = respond.arguments.as_ref().map_or(proposed, Arguments::hash);
    let arguments = first.arguments_hash == hash || !first.decision.allows();
    let width = respond.width.as_ref().map(Width::json);
    first.decision == respond.decision && arguments && first.matches == width
}

fn check_offer(request: Option<&Request>, respond: &Respond) -> Result<(), Refused> {
    let offered = request.is_none_or(|request| request.options.contains(&respond.decision));
    if respond.decision == Decision::Other || !offered {
        return Err(Refused::NotOffered(respond.decision.as_str()));
    }
    Ok(())
}

/// What was looked at is what is decided on.
fn check_about(call: &Call, respond: &Respond) -> Result<(), Refused> {
    let stands = call.arguments_hash();
    match respond.about {
        Some(given) if given != stands => Err(Refused::LookAgain { stands, given }),
        // Whoever changes them once more sees what they send.
        None if respond.decision.allows()
            && respond.arguments.is_none()
            && call.course.edited().is_some() =>
        {
            Err(Refused::LookFirst { stands })
        }
        _ => Ok(()),
    }
}

/// A decision is remembered no wider than it can be shown to reach: it reaches at least its own call.
fn check_width(call: &Call, respond: &Respond, context: &Context<'_>) -> Result<(), Refused> {
    let Some(width) = &respond.width else { return Ok(()) };
    let invalid = |why: &str| Err(Refused::Invalid { field: "match", why: why.to_owned() });
    let effect = match respond.decision {
        Decision::AllowSession => Effect::Widen,
        Decision::Deny => Effect::Restrict,
        _ => return invalid("only allow_session and deny are remembered; leave it out"),
    };
    if respond.arguments.is_some() {
        return invalid("changed arguments are for this call alone; leave it out");
    }
    // It is listed and shown, and nobody looks for a secret there.
    if context.policy.redactor().json(&width.json()).is_some() {
        return invalid("a pattern stands in the log for all to see, so it can hold no secret");
    }
    match width {
        Width::Pattern(pattern) if !pattern.matches(&Look::new(context.policy, &call.subject()), effect) => {
            invalid("the pattern does not match the call that it is decided on")
        }
        _ => Ok(()),
    }
}
