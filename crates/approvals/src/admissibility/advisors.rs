//! Checks advice and complaints. They can follow the end of their call, when the check no longer has the call.

use super::{
    command_guess::{CommandGuess, GuessedCommand},
    evidence,
    log_row::LogRow,
};
use crate::{
    CallCommand, advisor_directory::AdvisorDirectory, batch::thread_state::ThreadState, decide::AdviceCommand,
};
use countersign_events::{ApprovalAdvice, Body, Principal, principal::PrincipalKind};
use countersign_policy::{AdvisorSettings, QualifiedPeople};

/// The command that recorded an advice, under a policy with these advisors. A response may follow.
pub(super) fn advice_guess(
    rows: &[LogRow],
    advice: &ApprovalAdvice,
    advisors: &[AdvisorSettings],
) -> CommandGuess {
    let row = &rows[0];
    let answered = rows.get(1).and_then(|next| match &next.body {
        Body::ApprovalResponse(response) if response.tool_call_id == advice.tool_call_id => Some(response),
        _ => None,
    });
    let lapses = answered.and_then(|response| evidence::span(row.event.timestamp, response.lapses_at));
    let policy = evidence::recorded_policy(Some(advice.policy), lapses, false, QualifiedPeople::None, None)
        .with_advisors(advisors.to_vec());
    let command = CallCommand::Advise(AdviceCommand {
        advisor: advice.advisor.clone(),
        configuration: advice.configuration,
        advice: advice.advice,
        reason: advice.reason.clone(),
        confidence: advice.confidence.clone(),
        labels: advice.labels.clone(),
        failure: advice.failure,
        elapsed_millis: advice.elapsed_millis,
        tokens: advice.tokens,
        cached: advice.cached,
        arguments_hash: advice.arguments_hash,
    });
    CommandGuess::new(GuessedCommand::Call(advice.tool_call_id.clone(), command), row, policy)
}

/// Checks a row about an ended call, whose state the check no longer has: the row's author, thread and advisor mode.
/// The database accepts such a row only about a call in its thread, and only one per author.
pub(super) fn check_late_row(
    row: &LogRow,
    state: Option<&ThreadState>,
    directory: &AdvisorDirectory,
    advisors: &[AdvisorSettings],
) -> Result<(), String> {
    let thread = state.map(|state| &state.thread);
    match &row.body {
        Body::ApprovalAdvice(advice) => {
            if thread.is_some_and(|thread| thread.closed.is_some()) {
                return Err("its thread is closed".to_owned());
            }
            let by = Principal::advisor(&advice.advisor);
            if row.event.principal != by {
                return Err(format!("the rules write it as {by}"));
            }
            let known = advisors
                .iter()
                .find(|known| known.name == advice.advisor && known.configuration == advice.configuration);
            match known.map(|known| directory.effective_mode(known).mode) {
                Some(mode) if mode == advice.mode => Ok(()),
                Some(mode) => Err(format!("the mode of the advisor was {}", mode.as_str())),
                None => Err("the active policy has no advisor with these settings".to_owned()),
            }
        }
        Body::CallFlagged(_) if row.event.principal.kind() != PrincipalKind::User => {
            Err("only a person flags a call".to_owned())
        }
        Body::CallFlagged(_) if thread.is_some_and(|thread| thread.archived.is_some()) => {
            Err("its thread is archived".to_owned())
        }
        _ => Ok(()),
    }
}
