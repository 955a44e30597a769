//! Editing: an approver changes the arguments before they run. What is changed is shown, must be what the tool
//! takes, and is judged like a proposal of its own.

use super::{Context, Respond, propose::Arguments};
use crate::{Call, Refused, thread::Given};
use countersign_events::{
    Json, Sha256,
    event::{Decision, Response, Verdict},
    json::{Change, diff},
};
use countersign_policy::{Judgement, Terms};
use jsonschema::{PatternOptions, Validator};
use std::sync::Arc;

/// What is known of changed arguments before the decision is written: it is worked out where nobody has to wait
/// for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviewed {
    /// What the policy says of them.
    pub judged: Arc<Judgement>,
    /// See [`misfit`].
    pub misfit: Option<String>,
    /// See [`changes`].
    pub changes: Vec<Change>,
}

/// Where they differ from what was proposed.
#[must_use]
pub fn changes(call: &Call, arguments: &Arguments) -> Vec<Change> {
    diff(&call.proposal.what.arguments, arguments.json())
}

/// Arguments that an approver changed, and where.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) arguments: Json,
    pub(super) hash: Sha256,
    changes: Vec<Change>,
}

impl Edit {
    /// The edit that stands in the votes so far, read back.
    pub(super) fn again(call: &Call) -> Option<Self> {
        let vote = call.course.edited()?;
        let arguments = vote.arguments.clone()?;
        let changes = diff(&call.proposal.what.arguments, &arguments);
        Some(Self { arguments, hash: vote.arguments_hash?, changes })
    }

    /// Has the response speak of the changed arguments.
    pub(super) fn stand_in(&self, response: &mut Response) {
        response.arguments = Some(self.arguments.clone());
        response.arguments_hash = self.hash;
        response.changes.clone_from(&self.changes);
    }
}

/// The edit that the answer makes, if it changes what would run as things stand.
pub(super) fn edit(call: &Call, respond: &Respond, context: &Context<'_>) -> Result<Option<Edit>, Refused> {
    let Some(arguments) = &respond.arguments else { return Ok(None) };
    if arguments.hash() == call.arguments_hash() {
        return Ok(None);
    }
    if respond.decision != Decision::AllowOnce {
        return Err(invalid("only with allow_once can the arguments be changed".to_owned()));
    }
    if context.policy.redactor().json(arguments.json()).is_some() {
        let why = "what an approver writes runs as the log keeps it, so it can hold no secret; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    if !call.proposal.what.redacted.is_empty()
        && arguments.json().as_str().contains(countersign_redaction::MASK)
    {
        let why = "some of the arguments are masked here, and what is behind the mask cannot be kept; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    let reviewed = respond.reviewed.as_deref();
    if let Some(why) = reviewed.map_or_else(|| misfit(call, arguments), |known| known.misfit.clone()) {
        return Err(invalid(why));
    }
    judged(call, respond, arguments, context)?;
    let changes = reviewed.map_or_else(|| changes(call, arguments), |known| known.changes.clone());
    Ok(Some(Edit { arguments: arguments.json().clone(), hash: arguments.hash(), changes }))
}

/// Why the tool does not take such arguments, as far as it says what it takes. Its schema is an agent's word and may
/// take its time.
#[must_use]
pub fn misfit(call: &Call, arguments: &Arguments) -> Option<String> {
    let schema = call.proposal.what.definition.as_ref()?.input_schema.as_ref()?;
    let read = |json: &Json| json.read::<serde_json::Value>();
    let (Ok(schema), Ok(instance)) = (read(schema), read(arguments.json())) else {
        return Some("they cannot be read as JSON".to_owned());
    };
    let validator = match validator(&schema) {
        Ok(validator) => validator,
        Err(why) => return Some(format!("the tool's inputSchema cannot be used to check them: {why}")),
    };
    let wrong: Vec<_> = validator
        .iter_errors(&instance)
        .take(3)
        .map(|e| match e.instance_path().as_str() {
            "" => e.to_string(),
            at => format!("{e} at {at:?}"),
        })
        .collect();
    (!wrong.is_empty()).then(|| format!("the tool does not take them: {}", wrong.join("; ")))
}

/// Patterns are matched in linear time. Those that look ahead or behind need the other engine, which is told to give
/// up soon.
fn validator(schema: &serde_json::Value) -> Result<Validator, String> {
    let linear = jsonschema::options().with_pattern_options(PatternOptions::regex()).build(schema);
    let soon = PatternOptions::fancy_regex().backtrack_limit(10_000);
    linear
        .or_else(|_| jsonschema::options().with_pattern_options(soon).build(schema))
        .map_err(|why| why.to_string())
}

/// What the policy blocks cannot be written in, nor what it would have asked more of people for.
fn judged(
    call: &Call,
    respond: &Respond,
    arguments: &Arguments,
    context: &Context<'_>,
) -> Result<(), Refused> {
    let subject = call.subject_with(arguments.json(), &[]);
    let judgement = context.judgement(respond.reviewed.as_ref().map(|reviewed| &reviewed.judged), &subject);
    if judgement.verdict == Verdict::Block {
        let reason = judgement.reason.clone();
        return Err(Refused::Blocked { rule: judgement.principal().to_string(), reason });
    }
    let asked = call.request().map(|request| &request.what);
    let given = Given {
        level: call.level().map(str::to_owned),
        quorum: asked.and_then(|request| request.quorum).unwrap_or(1),
        approvers: asked.map(|request| request.approvers.clone()).unwrap_or_default(),
        ..Given::default()
    };
    if judgement.verdict == Verdict::Ask && !asks_no_more(&judgement.terms, &given, context) {
        let why = "the policy asks for more than this request does before it lets them run; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    Ok(())
}

fn asks_no_more(terms: &Terms, given: &Given, context: &Context<'_>) -> bool {
    super::eligible::covers(context.by, given, terms, context)
}

fn invalid(why: String) -> Refused {
    Refused::Invalid { field: "arguments", why }
}
