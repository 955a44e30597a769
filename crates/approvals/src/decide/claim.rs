//! Claiming: the last look before something runs.

use super::{Context, Draft, verdict};
use crate::{Body, Call, Refused, Sha256, Standing, event::ExecutionStarted};
use std::time::Duration;

/// The longest name an executor may give itself, in bytes.
const MAX_EXECUTOR_BYTES: usize = 512;

/// An executor's announcement that it starts the call now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who runs it. A name that is new for each attempt lets an executor that lost the answer see
    /// whether the claim in the log is its own.
    pub executor: String,
    /// The hash of the arguments that will run.
    pub arguments_hash: Sha256,
    /// After how long without a result the outcome counts as unknown.
    pub lease: Option<Duration>,
}

/// A claim decides again: the approval may have been overtaken since. A second claim is refused even
/// to the executor that made the first, because after a crash nobody can tell the two apart, and the
/// call would run twice.
pub(super) fn claim(call: &Call, claim: &Claim, context: &Context<'_>) -> Result<Vec<Draft>, Refused> {
    check_executor(&claim.executor)?;
    match &call.standing {
        Standing::Allowed { .. } => {}
        Standing::Running { claim, .. } | Standing::Finished { claim, .. } => {
            return Err(Refused::AlreadyClaimed { claim: Box::new(claim.clone()) });
        }
        _ => return Err(Refused::NotAllowed { state: call.state(context.now) }),
    }
    if let Some(closed) = &context.thread.closed {
        return Err(Refused::ThreadClosed { at: closed.at });
    }
    if let Some(block) = verdict::block(&call.proposal.what.name, context) {
        return Err(Refused::Blocked { rule: block.by.to_string(), reason: block.reason.to_owned() });
    }
    let approved = call.arguments_hash();
    if claim.arguments_hash != approved {
        return Err(Refused::ArgumentsChanged { approved, given: claim.arguments_hash });
    }
    let started = ExecutionStarted {
        tool_call_id: call.id().clone(),
        executor: claim.executor.clone(),
        arguments_hash: approved,
        lease_expires_at: claim.lease.map(|lease| context.now.after(lease)),
    };
    Ok(vec![Draft::new(context.by, Body::ExecutionStarted(started))])
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
