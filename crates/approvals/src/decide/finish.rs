//! Finish: a claimed call's result, and what really ran.

use super::{DecisionContext, FinishCommand, HashedArguments, NewEvent, evidence::logged_arguments};
use crate::{Call, CallStanding, Refused};
use countersign_events::{
    Body, ErasedTexts, ExecutionMismatch, Mode, Principal, Status, ThreadMode, ToolResult,
};
use countersign_policy::MismatchAction;

/// The principal that sets the mode after a mismatch: `policy:onMismatch`.
const STOPPING_SETTING: &str = "onMismatch";

/// Whether a mismatch made the policy stop the thread.
pub(crate) fn is_stop_by_policy(by: &Principal, body: &Body) -> bool {
    let is_stop = matches!(body, Body::ThreadModeSet(set) if set.mode == Mode::Stopped);
    is_stop && *by == Principal::policy(STOPPING_SETTING)
}

/// A result counts even after the lease has lapsed: late knowledge is better than none. Only the caller that claimed
/// the call reports it: everyone who sees the call sees the executor's name. After a takeover the result must also name
/// its executor, so that the lost executor's result is not mistaken for the new executor's.
pub(super) fn finish(
    call: &Call,
    finish: &FinishCommand,
    context: &DecisionContext<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    if !matches!(finish.status, Status::Success | Status::Error | Status::Cancelled) {
        let why = "an executor reports success, error or cancelled".to_owned();
        return Err(Refused::Invalid { field: "status", why });
    }
    if let Some(ran) = finish.ran.as_ref().filter(|_| ran_without_claim(call, context)) {
        return Ok(report_mismatch(call, ran, finish.executor.clone(), context));
    }
    if let Some(first) = call.result() {
        let same = first.what.status == finish.status && first.what.content == finish.content;
        return if same {
            Ok(Vec::new())
        } else {
            Err(Refused::AlreadyFinished { result: Box::new(first.clone()) })
        };
    }
    let CallStanding::Running { claim, .. } = &call.standing else {
        return Err(Refused::NotClaimed { state: call.state(context.now) });
    };
    let was_taken_over = !call.course.lost.is_empty();
    let is_named =
        finish.executor.as_ref().map_or(!was_taken_over, |executor| *executor == claim.what.executor);
    if !is_named || claim.by != *context.by {
        return Err(Refused::NotTheExecutor { executor: claim.what.executor.clone() });
    }
    let other = finish.ran.as_ref().filter(|ran| ran.hash() != call.arguments_hash());
    let executor = Some(claim.what.executor.clone());
    let mismatch = other.map_or_else(Vec::new, |ran| report_mismatch(call, ran, executor, context));
    let result = ToolResult {
        tool_call_id: call.id().clone(),
        status: finish.status,
        content: finish.content.clone(),
    };
    Ok(mismatch.into_iter().chain([NewEvent::new(context.by, Body::ToolResult(result))]).collect())
}

/// Whether the proposer reports that a call ran that no executor claimed: the agent ignored a denial, or did not wait.
fn ran_without_claim(call: &Call, context: &DecisionContext<'_>) -> bool {
    call.claim().is_none() && call.proposal.by == *context.by
}

/// Records the arguments that ran, once for each call, and stops the thread if the policy says so.
fn report_mismatch(
    call: &Call,
    ran: &HashedArguments,
    executor: Option<String>,
    context: &DecisionContext<'_>,
) -> Vec<NewEvent> {
    if call.course.mismatch.is_some() {
        return Vec::new();
    }
    let logged = logged_arguments(context.policy.redactor(), ran.json());
    let mismatch = ExecutionMismatch {
        tool_call_id: call.id().clone(),
        executor,
        arguments: logged.json,
        arguments_hash: ran.hash(),
        redacted: logged.pointers,
        erased: ErasedTexts::new(),
    };
    let stops =
        context.policy.on_mismatch() == MismatchAction::Stop && context.thread.mode() != Mode::Stopped;
    let stop = stops.then(|| {
        let set = ThreadMode { mode: Mode::Stopped, level: None };
        NewEvent::new(&Principal::policy(STOPPING_SETTING), Body::ThreadModeSet(set))
    });
    let event = NewEvent::new(context.by, Body::ExecutionMismatch(mismatch));
    std::iter::once(event).chain(stop).collect()
}
