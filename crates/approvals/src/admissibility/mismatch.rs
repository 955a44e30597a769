//! Reports that other arguments ran than were approved.

use super::{
    command_guess::{CommandGuess, plain_policy, to_call},
    log_row::LogRow,
};
use crate::{
    Call, CallCommand,
    decide::{FinishCommand, HashedArguments, is_stop_by_policy},
};
use countersign_events::{Body, ExecutionMismatch, Json, Status};
use countersign_policy::MismatchAction;

/// The report that wrote the row. The mode that it sets and the claimed call's result follow in the same step.
pub(super) fn guess(rows: &[LogRow], mismatch: &ExecutionMismatch, call: Option<&Call>) -> CommandGuess {
    let stops = is_stop_next(rows);
    let result = call.and_then(Call::claim).and(rows.get(if stops { 2 } else { 1 }));
    let (status, content) = match result.map(|row| &row.body) {
        Some(Body::ToolResult(result)) => (result.status, result.content.clone()),
        _ => (Status::Success, Json::null()),
    };
    let ran = HashedArguments::recorded(mismatch.arguments.clone(), mismatch.arguments_hash);
    let finish = FinishCommand { status, content, executor: mismatch.executor.clone(), ran: Some(ran) };
    let on_mismatch = if stops { MismatchAction::Stop } else { MismatchAction::Record };
    to_call(&rows[0], CallCommand::Finish(finish), plain_policy().with_mismatch_action(on_mismatch))
}

/// The number of rows in a report about an ended call, whose state the check no longer has.
pub(super) fn count_late_rows(rows: &[LogRow]) -> usize {
    if is_stop_next(rows) { 2 } else { 1 }
}

fn is_stop_next(rows: &[LogRow]) -> bool {
    rows.get(1).is_some_and(|row| is_stop_by_policy(&row.event.principal, &row.body))
}
