//! Proposing: the policy judges, and what it says is written beside the call.

use super::{
    Context, Draft, response, result,
    verdict::{self, Answer, Ruling},
};
use crate::{
    Body, Call, CallId, Json, Refused, Sha256, ToolName,
    event::{Decision, Definition, OnExpiry, Request, Response, Status, ToolCall},
    policy::Judgement,
};
use std::{iter, time::Duration};

/// Arguments that passed the door, with the hash of their canonical form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arguments {
    json: Json,
    hash: Sha256,
}

impl Arguments {
    /// Admits arguments from outside, or says what is wrong with them.
    pub fn new(json: Json) -> Result<Self, Refused> {
        match json.admit() {
            Ok(hash) => Ok(Self { json, hash }),
            Err(why) => Err(Refused::bad_json("arguments", &why)),
        }
    }

    /// As they were given.
    #[must_use]
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn hash(&self) -> Sha256 {
        self.hash
    }
}

/// An agent's wish to run a tool.
#[derive(Debug, Clone)]
pub struct Propose {
    /// The call's id, unique in its thread.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// What to run it with.
    pub arguments: Arguments,
    /// Hints as MCP defines them.
    pub annotations: Option<Json>,
    /// What the agent says it would do.
    pub impact: Option<Json>,
    /// What the agent wants with it.
    pub description: Option<String>,
    /// What the tool says of itself.
    pub definition: Option<Definition>,
    /// How long people may take. The policy may allow less, and then less it is.
    pub expires_in: Option<Duration>,
}

pub(super) fn propose(
    call: Option<&Call>,
    propose: &Propose,
    context: &Context<'_>,
) -> Result<Vec<Draft>, Refused> {
    if let Some(call) = call {
        return same_as_before(call, propose);
    }
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at });
    }
    let call = tool_call(propose);
    let follows = match verdict::rule(&propose.name, context) {
        Ruling::Allow(answer) => vec![allowed(&call, answer, context)],
        Ruling::Block(answer) => {
            let text = format!(
                "Blocked by {}: {}. This is a rule, which no approval lifts: do not retry it.",
                answer.by, answer.reason
            );
            denied(&call, answer, &text, context)
        }
        Ruling::Deny(answer) => {
            let text = format!(
                "Denied by {}: whatever is asked in this thread is denied ({}). Do not retry it.",
                answer.by, answer.reason
            );
            denied(&call, answer, &text, context)
        }
        Ruling::Ask(judgement, options) => {
            let request = request(propose, &judgement, options, context);
            vec![Draft::new(context.by, Body::ApprovalRequest(request))]
        }
    };
    Ok(iter::once(Draft::new(context.by, Body::ToolCall(call))).chain(follows).collect())
}

/// The same call again is no news; another one under its id is refused.
fn same_as_before(call: &Call, propose: &Propose) -> Result<Vec<Draft>, Refused> {
    let first = &call.proposal.what;
    if first.name == propose.name && first.arguments_hash == propose.arguments.hash {
        return Ok(Vec::new());
    }
    Err(Refused::CallDiffers { id: first.id.clone(), arguments_hash: first.arguments_hash })
}

fn tool_call(propose: &Propose) -> ToolCall {
    ToolCall {
        id: propose.id.clone(),
        name: propose.name.clone(),
        arguments: propose.arguments.json.clone(),
        arguments_hash: propose.arguments.hash,
        annotations: propose.annotations.clone(),
        impact: propose.impact.clone(),
        description: propose.description.clone(),
        definition: propose.definition.clone(),
        definition_hash: Definition::hash(propose.definition.as_ref(), propose.annotations.as_ref()),
        redacted: Vec::new(),
    }
}

fn request(
    propose: &Propose,
    judgement: &Judgement<'_>,
    options: Vec<Decision>,
    context: &Context<'_>,
) -> Request {
    let span = match (judgement.expires, propose.expires_in) {
        (Some(rule), Some(asked)) => Some(rule.min(asked)),
        (rule, asked) => rule.or(asked),
    };
    Request {
        tool_call_id: propose.id.clone(),
        rule: judgement.rule.map(str::to_owned),
        reason: judgement.reason.to_owned(),
        options,
        basis: None,
        shadow: Vec::new(),
        level: None,
        default_level: None,
        quorum: None,
        denials: None,
        approvers: Vec::new(),
        remind_at: None,
        escalate_at: None,
        escalate_to: None,
        expires_at: span.map(|span| context.now.after(span)),
        on_expiry: span.map(|_| OnExpiry::Deny),
        policy: context.policy.hash(),
    }
}

/// The response that the policy, the thread's mode or a grant gives. It is about this call only, so that
/// a grant never begets another.
fn respond(call: &ToolCall, decision: Decision, answer: &Answer<'_>, context: &Context<'_>) -> Response {
    Response {
        rule: answer.rule.map(str::to_owned),
        grant: answer.grant,
        ..response(call, decision, answer.source, context)
    }
}

fn allowed(call: &ToolCall, answer: Answer<'_>, context: &Context<'_>) -> Draft {
    let response = respond(call, Decision::AllowOnce, &answer, context);
    Draft { by: answer.by, body: Body::ApprovalResponse(response) }
}

fn denied(call: &ToolCall, answer: Answer<'_>, text: &str, context: &Context<'_>) -> Vec<Draft> {
    let mut response = respond(call, Decision::Deny, &answer, context);
    response.comment = Some(answer.reason.to_owned());
    let ended = Draft::new(&answer.by, result(&call.id, Status::Denied, text));
    vec![Draft { by: answer.by, body: Body::ApprovalResponse(response) }, ended]
}
