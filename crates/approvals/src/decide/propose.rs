//! Proposing: the policy judges, and what it says is written beside the call.

use super::{Context, Draft, response, result};
use crate::{
    Body, Call, CallId, Json, Principal, Refused, Sha256, ToolName,
    event::{Decision, OnExpiry, Request, Response, Source, Status, ToolCall},
    policy::{Judgement, Verdict},
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
    let judgement = context.policy.judge(&propose.name);
    let follows = match judgement.verdict {
        Verdict::Allow => vec![allowed(&call, &judgement, context)],
        Verdict::Block => blocked(&call, &judgement, context),
        Verdict::Ask => vec![granted(&call, &judgement, context).unwrap_or_else(|| {
            Draft::new(context.by, Body::ApprovalRequest(request(propose, &judgement, context)))
        })],
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
    }
}

fn request(propose: &Propose, judgement: &Judgement<'_>, context: &Context<'_>) -> Request {
    let span = match (judgement.expires, propose.expires_in) {
        (Some(rule), Some(asked)) => Some(rule.min(asked)),
        (rule, asked) => rule.or(asked),
    };
    Request {
        tool_call_id: propose.id.clone(),
        rule: judgement.rule.map(str::to_owned),
        reason: judgement.reason.to_owned(),
        options: vec![Decision::AllowOnce, Decision::AllowSession, Decision::Deny],
        level: None,
        quorum: None,
        expires_at: span.map(|span| context.now.after(span)),
        on_expiry: span.map(|_| OnExpiry::Deny),
        policy: context.policy.hash(),
    }
}

/// What the policy itself says of the call.
fn judged(call: &ToolCall, judgement: &Judgement<'_>, decision: Decision, context: &Context<'_>) -> Response {
    let rule = judgement.rule.map(str::to_owned);
    Response { rule, ..response(call, decision, Source::Policy, context) }
}

fn allowed(call: &ToolCall, judgement: &Judgement<'_>, context: &Context<'_>) -> Draft {
    let response = judged(call, judgement, Decision::AllowOnce, context);
    Draft::new(&judgement.principal(), Body::ApprovalResponse(response))
}

fn blocked(call: &ToolCall, judgement: &Judgement<'_>, context: &Context<'_>) -> Vec<Draft> {
    let by = judgement.principal();
    let mut response = judged(call, judgement, Decision::Deny, context);
    response.comment = Some(judgement.reason.to_owned());
    let text = format!(
        "Blocked by {by}: {}. This is a rule, which no approval lifts: do not retry it.",
        judgement.reason
    );
    vec![
        Draft::new(&by, Body::ApprovalResponse(response)),
        Draft::new(&by, result(&call.id, Status::Denied, &text)),
    ]
}

/// An `ask` that a standing grant answers. The response allows this call only, so that a grant never
/// begets another.
fn granted(call: &ToolCall, judgement: &Judgement<'_>, context: &Context<'_>) -> Option<Draft> {
    let grant = context.thread.grant_for(&call.name)?;
    let mut response = judged(call, judgement, Decision::AllowOnce, context);
    response.source = Source::Grant;
    response.grant = Some(grant.seq);
    Some(Draft::new(&Principal::policy("grant"), Body::ApprovalResponse(response)))
}
