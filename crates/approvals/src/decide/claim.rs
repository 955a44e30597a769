//! Claiming: the last look before something runs.

use super::{Context, Draft, propose::Arguments, release::is_released, verdict};
use crate::{Call, Refused, Standing, call::Fact};
use countersign_events::{
    Body, Principal, Sha256, State,
    event::{ExecutionStarted, ExecutionTakenOver},
};
use countersign_policy::{Judgement, Subject};
use std::{sync::Arc, time::Duration};

/// The longest name an executor may give itself, in bytes.
const MAX_EXECUTOR_BYTES: usize = 512;

/// An executor's announcement that it starts the call now.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Who runs it. A name that is new for each attempt lets an executor that lost the answer see
    /// whether the claim in the log is its own.
    pub executor: String,
    /// The hash of the arguments that will run.
    pub arguments_hash: Sha256,
    /// After how long without a result the outcome counts as unknown.
    pub lease: Option<Duration>,
    /// The arguments themselves, where the log has them masked and a policy that came since wants to see them.
    pub arguments: Option<Arguments>,
    /// The hash of the tool's definition as it is now.
    pub definition_hash: Option<Sha256>,
    /// What the policy says of the call, where that was asked before.
    pub judged: Option<Arc<Judgement>>,
}

/// A claim decides again: the approval may have been overtaken since. A second claim is refused even
/// to the executor that made the first, because after a crash nobody can tell the two apart, and the
/// call would run twice. Only what is idempotent, or what a person released, is taken over once its executor's
/// lease has lapsed.
pub(super) fn claim(call: &Call, claim: &Claim, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    check_executor(&claim.executor)?;
    let lost = match &call.standing {
        Standing::Allowed { .. } => None,
        Standing::Running { claim: first, .. } if is_free(call, context) => Some(first),
        Standing::Running { claim, .. } | Standing::Finished { claim, .. } => {
            return Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) });
        }
        _ => return Err(Refused::NotAllowed { state: call.state(context.now) }),
    };
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at });
    }
    check_arguments(call, claim)?;
    check_definition(call, claim)?;
    check_policy(call, claim, context)?;
    let started = ExecutionStarted {
        tool_call_id: call.id().clone(),
        executor: claim.executor.clone(),
        arguments_hash: claim.arguments_hash,
        lease_expires_at: claim.lease.map(|lease| context.now.after(lease)),
    };
    let body = match lost {
        None => Body::ExecutionStarted(started),
        Some(Fact { seq, .. }) => Body::ExecutionTakenOver(ExecutionTakenOver { claim: *seq, started }),
    };
    Ok(vec![Draft::new(context.by, body)])
}

/// Whether another executor may take the call over.
fn is_free(call: &Call, context: &Context<'_>) -> bool {
    call.state(context.now) == State::Unknown
        && (is_released(call) || context.policy.is_idempotent(&call.subject()))
}

/// What runs is what was approved.
fn check_arguments(call: &Call, claim: &Claim) -> Result<(), Refused> {
    let approved = call.arguments_hash();
    let brought = claim.arguments.as_ref().map(Arguments::hash);
    match [Some(claim.arguments_hash), brought].into_iter().flatten().find(|given| *given != approved) {
        Some(given) => Err(Refused::ArgumentsChanged { approved, given }),
        None => Ok(()),
    }
}

/// The tool is what it was.
fn check_definition(call: &Call, claim: &Claim) -> Result<(), Refused> {
    match (call.proposal.what.definition_hash, claim.definition_hash) {
        (Some(approved), Some(given)) if approved != given => {
            Err(Refused::DefinitionChanged { approved, given })
        }
        _ => Ok(()),
    }
}

/// Neither the policy nor the thread blocks it by now. A policy that is the same as when it was asked about
/// would say the same.
fn check_policy(call: &Call, claim: &Claim, context: &Context<'_>) -> Result<(), Refused> {
    let subject = subject(call, claim);
    let hash = context.policy.hash();
    let judged = claim.judged.as_ref().filter(|judgement| judgement.policy == hash);
    let is_same = judged_by(call) == Some(hash);
    let judgement = match judged {
        Some(judgement) => Some(Arc::clone(judgement)),
        None if is_same => None,
        None if context.policy.has_conditions() => return Err(Refused::JudgeFirst),
        None => Some(Arc::new(context.policy.judge(&subject, &|| false))),
    };
    // What is masked here the executor can bring, so nobody has to guess what a rule would say of it.
    if let Some(rule) = judgement.as_ref().and_then(|judgement| judgement.doubt.clone())
        && !subject.redacted.is_empty()
    {
        let reason = "it may look at what the log has masked; claim with the arguments themselves".to_owned();
        return Err(Refused::Blocked { rule: Principal::policy(&rule).to_string(), reason });
    }
    match verdict::block(judgement.as_deref(), &subject, context) {
        Some(block) => {
            Err(Refused::Blocked { rule: block.by.to_string(), reason: context.redacted(&block.reason) })
        }
        None => Ok(()),
    }
}

/// The policy that judged what would run. A decision names the policy of its own moment, which judged nothing
/// but what was changed in it.
fn judged_by(call: &Call) -> Option<Sha256> {
    let response = call.response().map(|response| &response.what)?;
    match (&response.arguments, call.request()) {
        (Some(_), _) if !call.course.votes.is_empty() => None,
        (None, Some(request)) => Some(request.what.policy),
        _ => response.policy,
    }
}

/// The call as a policy looks at it, with the arguments that the executor brought if it brought them.
#[must_use]
pub fn subject<'a>(call: &'a Call, claim: &'a Claim) -> Subject<'a> {
    match &claim.arguments {
        Some(brought) => call.subject_with(brought.json(), &[]),
        None => call.subject(),
    }
}

fn check_executor(executor: &str) -> Result<(), Refused> {
    let why = if executor.is_empty() {
        "it is empty; name the process that runs the call"
    } else if executor.len() > MAX_EXECUTOR_BYTES {
        "it has more than 512 bytes"
    } else if executor.contains(char::is_control) {
        "it holds a control character"
    } else {
        return Ok(());
    };
    Err(Refused::Invalid { field: "executor", why: why.to_owned() })
}
