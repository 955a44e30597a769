//! Editing: an approver changes the arguments before they run. What is changed is shown, must be what the tool
//! takes, and is judged like a proposal of its own.

use super::{Context, Respond, propose::Arguments};
use crate::{
    Call, Json, Refused, Sha256,
    event::{Change, Decision, Response},
    json::diff,
    policy::{Terms, Verdict},
    thread::Given,
};

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
    if !call.proposal.what.redacted.is_empty() && arguments.json().as_str().contains(crate::redact::MASK) {
        let why = "some of the arguments are masked here, and what is behind the mask cannot be kept; \
                   deny the call and let the agent propose another";
        return Err(invalid(why.to_owned()));
    }
    fits(call, arguments)?;
    judged(call, respond, arguments, context)?;
    let changes = diff(&call.proposal.what.arguments, arguments.json());
    Ok(Some(Edit { arguments: arguments.json().clone(), hash: arguments.hash(), changes }))
}

/// The tool takes such arguments, as far as it says what it takes.
fn fits(call: &Call, arguments: &Arguments) -> Result<(), Refused> {
    let schema = call.proposal.what.definition.as_ref().and_then(|tool| tool.input_schema.as_ref());
    let Some(schema) = schema else { return Ok(()) };
    let read = |json: &Json| json.read::<serde_json::Value>();
    let (Ok(schema), Ok(instance)) = (read(schema), read(arguments.json())) else {
        return Err(invalid("they cannot be read as JSON".to_owned()));
    };
    let validator = jsonschema::validator_for(&schema)
        .map_err(|why| invalid(format!("the tool's inputSchema cannot be used to check them: {why}")))?;
    let wrong: Vec<_> = validator
        .iter_errors(&instance)
        .take(3)
        .map(|e| format!("{e} at {:?}", e.instance_path().as_str()))
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(invalid(format!("the tool does not take them: {}", wrong.join("; "))))
    }
}

/// What the policy blocks cannot be written in, nor what it would have asked more of people for.
fn judged(
    call: &Call,
    respond: &Respond,
    arguments: &Arguments,
    context: &Context<'_>,
) -> Result<(), Refused> {
    let subject = call.subject_with(arguments.json(), &[]);
    let judgement = context.judgement(respond.judged.as_ref(), &subject);
    if judgement.verdict == Verdict::Block {
        let reason = judgement.reason.clone();
        return Err(Refused::Blocked { rule: judgement.principal().to_string(), reason });
    }
    let asked = call.request().map(|request| &request.what);
    let given = Given {
        level: call.level().map(str::to_owned),
        quorum: asked.and_then(|request| request.quorum).unwrap_or(1),
        approvers: asked.map(|request| request.approvers.clone()).unwrap_or_default(),
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
