//! Proposing: the policy judges, and what it says is written beside the call.

use super::{
    Context, Draft, response, result,
    verdict::{self, Answer, Ruling},
};
use crate::{Call, Refused, thread::ONCE};
use countersign_events::{
    Body, CallId, Json, Principal, Sha256, ThreadId, ToolName,
    event::{Decision, Definition, OnExpiry, Request, Response, Status, ToolCall, ToolPolicy, Verdict},
};
use countersign_policy::{Judgement, Subject};
use std::{fmt, iter, sync::Arc, time::Duration};

/// Arguments that passed the door, with the hash of their canonical form. `{:?}` shows the hash alone: they may
/// hold what must stand in no log.
#[derive(Clone, PartialEq, Eq)]
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

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arguments").field("hash", &self.hash).finish_non_exhaustive()
    }
}

/// An agent's wish to run a tool. `{:?}` leaves out what the agent says, which may hold a secret.
#[derive(Clone)]
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
    /// What the policy says of it, where that was asked before; else it is asked now.
    pub judged: Option<Arc<Judgement>>,
}

impl fmt::Debug for Propose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, arguments, expires_in, .. } = self;
        let mut shown = f.debug_struct("Propose");
        shown.field("id", id).field("name", name).field("arguments", arguments);
        shown.field("expires_in", expires_in).finish_non_exhaustive()
    }
}

impl Propose {
    /// The call as a policy looks at it.
    #[must_use]
    pub fn subject<'a>(&'a self, thread: &'a ThreadId, by: &'a Principal) -> Subject<'a> {
        Subject {
            thread,
            principal: by,
            tool: &self.name,
            arguments: self.arguments.json(),
            redacted: &[],
            annotations: self.annotations.as_ref(),
            impact: self.impact.as_ref(),
            definition: self.definition.as_ref(),
        }
    }
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
    let subject = propose.subject(context.thread_id, context.by);
    let mut judgement = context.judgement(propose.judged.as_ref(), &subject).into_owned();
    // The policy saw the arguments as they are, and may quote them.
    judgement.reason = context.redacted(&judgement.reason);
    let ruling = verdict::rule(&judgement, &subject, propose.arguments.hash, context);
    let call = tool_call(propose, context);
    let follows = match &ruling {
        Ruling::Allow(answer) | Ruling::Move(answer, _) => {
            let matches =
                matches!(ruling, Ruling::Move(..)).then(|| Json::stored(ONCE.to_owned()).ok()).flatten();
            vec![allowed(&call, answer, matches, &judgement, context)]
        }
        Ruling::Block(answer) => {
            let text = format!(
                "Blocked by {}: {}. This is a rule, which no approval lifts: do not retry it.",
                answer.by, answer.reason
            );
            denied(&call, answer, &text, &judgement, context)
        }
        Ruling::Deny(answer) => denied(&call, answer, &refusal(answer), &judgement, context),
        Ruling::Ask(options) => {
            let request = request(propose, &judgement, options.clone(), context);
            vec![Draft::new(context.by, Body::ApprovalRequest(request))]
        }
    };
    let moved = match &ruling {
        Ruling::Move(answer, from) => Some(gone(from, answer, &call.id)),
        _ => None,
    };
    let proposed = Draft::new(context.by, Body::ToolCall(call));
    Ok(moved.into_iter().chain(iter::once(proposed)).chain(follows).collect())
}

/// The same call again is no news; another one under its id is refused.
fn same_as_before(call: &Call, propose: &Propose) -> Result<Vec<Draft>, Refused> {
    let first = &call.proposal.what;
    if first.name == propose.name && first.arguments_hash == propose.arguments.hash {
        return Ok(Vec::new());
    }
    Err(Refused::CallDiffers { id: first.id.clone(), arguments_hash: first.arguments_hash })
}

/// What is written of the proposal: the hash is over the arguments as they are, and no secret of them is in it.
fn tool_call(propose: &Propose, context: &Context<'_>) -> ToolCall {
    let redactor = context.policy.redactor();
    let masked = redactor.json(&propose.arguments.json);
    let redacted = masked.as_ref().map(|masked| masked.pointers.clone()).unwrap_or_default();
    let describes = |json: &Json| redactor.json(json).map_or_else(|| json.clone(), |masked| masked.json);
    ToolCall {
        id: propose.id.clone(),
        name: propose.name.clone(),
        arguments: masked.map_or_else(|| propose.arguments.json.clone(), |masked| masked.json),
        arguments_hash: propose.arguments.hash,
        annotations: propose.annotations.as_ref().map(describes),
        impact: propose.impact.as_ref().map(describes),
        description: context.written(propose.description.as_deref()),
        definition: propose.definition.clone().map(|definition| Definition {
            description: context.written(definition.description.as_deref()),
            ..definition
        }),
        definition_hash: Definition::hash(propose.definition.as_ref(), propose.annotations.as_ref()),
        redacted,
    }
}

/// Why a call is asked about that the policy allows.
const REQUIRED: &str = "the thread requires approval for this tool";

fn request(
    propose: &Propose,
    judgement: &Judgement,
    options: Vec<Decision>,
    context: &Context<'_>,
) -> Request {
    let terms = &judgement.terms;
    let span = match (terms.expires, propose.expires_in) {
        (Some(rule), Some(asked)) => Some(rule.min(asked)),
        (rule, asked) => rule.or(asked),
    };
    let asks = judgement.verdict == Verdict::Ask;
    let several = |count: u32| (count > 1).then_some(count);
    // Silence allows only where people had all the time that the rule gives them, and a person is not required.
    let hurried = propose.expires_in.is_some_and(|asked| terms.expires.is_none_or(|rule| asked < rule));
    let required = context.thread.policy_for(&propose.name) == ToolPolicy::RequireApproval;
    let on_expiry = if hurried || required { OnExpiry::Deny } else { terms.on_expiry };
    Request {
        tool_call_id: propose.id.clone(),
        rule: judgement.rule.clone().filter(|_| asks),
        reason: if asks { judgement.reason.clone() } else { REQUIRED.to_owned() },
        options,
        basis: asks.then_some(judgement.basis),
        shadow: judgement.shadow.clone(),
        level: terms.level.clone(),
        default_level: terms.default_level.clone(),
        quorum: several(terms.quorum),
        denials: several(terms.denials),
        approvers: terms.approvers.clone(),
        remind_at: terms.remind_after.map(|span| context.now.after(span)),
        escalate_at: terms
            .escalate_after
            .filter(|_| terms.escalate_to.is_some())
            .map(|span| context.now.after(span)),
        escalate_to: terms.escalate_to.clone(),
        expires_at: span.map(|span| context.now.after(span)),
        on_expiry: span.map(|_| on_expiry),
        policy: context.policy.hash(),
    }
}

/// The response that the policy, the thread's mode or an earlier decision gives. It is about this call only, so
/// that a grant never begets another.
fn respond(
    call: &ToolCall,
    decision: Decision,
    answer: &Answer,
    judgement: &Judgement,
    context: &Context<'_>,
) -> Response {
    Response {
        rule: judgement.rule.clone(),
        basis: Some(judgement.basis),
        shadow: judgement.shadow.clone(),
        grant: answer.grant,
        level: answer.level.clone(),
        ..response(call, decision, answer.source, context)
    }
}

fn allowed(
    call: &ToolCall,
    answer: &Answer,
    matches: Option<Json>,
    judgement: &Judgement,
    context: &Context<'_>,
) -> Draft {
    let response = respond(call, Decision::AllowOnce, answer, judgement, context);
    // An approval that moves has no more time for it.
    let lapses_at = answer.lapses_at.or(response.lapses_at);
    Draft::new(&answer.by, Body::ApprovalResponse(Response { matches, lapses_at, ..response }))
}

fn denied(
    call: &ToolCall,
    answer: &Answer,
    text: &str,
    judgement: &Judgement,
    context: &Context<'_>,
) -> Vec<Draft> {
    let mut response = respond(call, Decision::Deny, answer, judgement, context);
    response.comment = Some(answer.reason.clone());
    let ended = Draft::new(&answer.by, result(&call.id, Status::Denied, text));
    vec![Draft::new(&answer.by, Body::ApprovalResponse(response)), ended]
}

/// What the model is told where nobody was asked this time.
fn refusal(answer: &Answer) -> String {
    match answer.grant {
        Some(_) => format!(
            "Denied without asking again, because {} (do not retry this call unchanged)",
            answer.reason
        ),
        None => format!(
            "Denied by {}: whatever is asked in this thread is denied ({}). Do not retry it.",
            answer.by, answer.reason
        ),
    }
}

/// The end of the call whose approval moves to `to`: an approval for once has one holder.
fn gone(from: &CallId, answer: &Answer, to: &CallId) -> Draft {
    let text = format!(
        "Not run: nobody had started it when {to} came, which is the same call and takes its approval."
    );
    Draft::new(&answer.by, result(from, Status::Cancelled, &text))
}
