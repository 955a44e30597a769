//! Checks the rows of advisors. Rows about an advisor as such contain the whole command. Those about a call can follow its
//! end, when the check no longer has the call.

use super::{
    command_guess::{CommandGuess, GuessedCommand},
    compare, evidence,
    log_row::LogRow,
    row_comparison::RowComparison,
};
use crate::{
    CallCommand,
    advisor_directory::AdvisorDirectory,
    batch::thread_state::ThreadState,
    decide::{self, AdviceCommand, AdvisorCommand, SetAdvisorMode},
};
use countersign_events::{
    Body, Principal,
    event::{ApprovalAdvice, PolicySet},
    principal::PrincipalKind,
};
use countersign_policy::{AdvisorSettings, Policy, PolicyText, QualifiedPeople};

/// The advisors of a policy. A text that this version cannot read has none that it could check.
pub(super) fn advisors_of_policy(set: &PolicySet) -> Vec<AdvisorSettings> {
    Policy::read_text(PolicyText::from(set)).map(|policy| policy.advisors().to_vec()).unwrap_or_default()
}

/// Compares a row about an advisor with the one that the rules would write.
pub(super) fn compare_advisor_row(
    row: &LogRow,
    directory: &AdvisorDirectory,
    advisors: &[AdvisorSettings],
) -> RowComparison {
    match check_advisor_row(row, directory, advisors) {
        Ok(()) => RowComparison::Same(1),
        Err(reason) => RowComparison::Different { position: 0, reason },
    }
}

fn check_advisor_row(
    row: &LogRow,
    directory: &AdvisorDirectory,
    advisors: &[AdvisorSettings],
) -> Result<(), String> {
    let command = match &row.body {
        Body::AdvisorReported(reported) => AdvisorCommand::Report(reported.clone()),
        Body::AdvisorModeSet(set) => AdvisorCommand::SetMode(SetAdvisorMode {
            advisor: set.advisor.clone(),
            configuration: set.configuration,
            mode: set.mode,
            reason: set.reason.clone(),
            statement: set.statement.clone(),
        }),
        _ => return Err("it is not about an advisor".to_owned()),
    };
    let policy = Policy::ask_always().with_advisors(advisors.to_vec());
    let expected = decide::decide_on_advisors(&command, &row.event.principal, directory, &policy)
        .map_err(|refused| refused.to_string())?;
    match expected.first() {
        Some(new) => compare::check_row(new, row),
        None => Err("the log has this fact already".to_owned()),
    }
}

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

/// Checks a row about a call that has ended, of which the check has no state any more: its author, the thread, and the
/// mode of the advisor. The database accepts such a row only about a call of its thread, and only one of each author.
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
                None => Err("the policy in force has no advisor with these settings".to_owned()),
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
