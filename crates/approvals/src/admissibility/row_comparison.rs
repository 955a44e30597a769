//! Compares rows with those that the rules write for a reconstructed command.

use super::{
    command_guess::{CommandGuess, GuessedCommand},
    compare,
    log_row::LogRow,
};
use crate::{
    Call, DecisionContext, NewEvent, PendingCount, Refused,
    access::{ApproverStanding, ProofContext, TokenDirectory},
    advisor_directory::AdvisorDirectory,
    batch::thread_state::ThreadState,
    decide,
    pinned_tools::PinnedTools,
};
use countersign_events::PolicyChange;

/// The outcome of comparing a reconstructed command with the log.
pub(super) enum RowComparison {
    /// The command writes exactly the next rows, of this number.
    Same(usize),
    /// The command writes other rows. The reason concerns the row at this position.
    Different { position: usize, reason: String },
}

/// The log-wide facts that the rules need.
#[derive(Clone, Copy)]
pub(super) struct LogFacts<'a> {
    pub(super) proofs: ProofContext<'a>,
    pub(super) tools: &'a PinnedTools,
    pub(super) advisors: &'a AdvisorDirectory,
    pub(super) delegations: &'a TokenDirectory,
    pub(super) policy_change: Option<&'a PolicyChange>,
}

/// Compares the next rows with those that one command would write.
pub(super) fn compare_guess(
    guess: &CommandGuess,
    rows: &[LogRow],
    state: &ThreadState,
    facts: LogFacts<'_>,
) -> RowComparison {
    let different = |position, reason| RowComparison::Different { position, reason };
    match decide_on_guess(guess, &rows[0], state, facts) {
        Err(refused) => different(0, refused.to_string()),
        Ok(expected) if expected.is_empty() => different(0, guess.reason_for_nothing().to_owned()),
        Ok(expected) => {
            for (position, new) in expected.iter().enumerate() {
                let Some(row) = rows.get(position).filter(|row| compare::is_same_step(&rows[0], row)) else {
                    let missing = new.body.event_type();
                    return different(position.saturating_sub(1), format!("a {missing} must follow it"));
                };
                if let Err(reason) = compare::check_row(new, row) {
                    return different(position, reason);
                }
            }
            RowComparison::Same(expected.len())
        }
    }
}

/// Decides on a reconstructed command with the rules, in the state before the row.
fn decide_on_guess(
    guess: &CommandGuess,
    head: &LogRow,
    state: &ThreadState,
    facts: LogFacts<'_>,
) -> Result<Vec<NewEvent>, Refused> {
    let context = DecisionContext {
        thread_id: &head.event.thread_id,
        thread: guess.thread.as_ref().unwrap_or(&state.thread),
        policy: &guess.policy,
        by: &guess.by,
        standing: &ApproverStanding::default(),
        now: head.event.timestamp,
        evidence: &guess.evidence,
        pending: PendingCount::default(),
        proofs: facts.proofs,
        pinned: guess.proposed_tool().and_then(|tool| facts.tools.get(tool)),
        advisors: Some(facts.advisors),
        delegations: Some(facts.delegations),
        policy_change: facts.policy_change,
    };
    match &guess.command {
        GuessedCommand::Call(id, command) => {
            let call = state.call(id);
            check_nothing_is_due(call, guess, &context)?;
            Ok(decide::decide(id, call, command, &context)?)
        }
        GuessedCommand::Waiting(id, grant) => {
            let grant = context.thread.grants.iter().find(|given| given.seq == *grant);
            let answers = |grant| decide::answer_waiting(grant, state.call(id).into_iter(), &context);
            Ok(grant.map(answers).unwrap_or_default())
        }
        GuessedCommand::Thread(command) => {
            Ok(decide::decide_thread(state.open_calls().into_iter(), command, &context)?)
        }
    }
}

/// The writer first writes the events that are due on the call, in the same transaction.
fn check_nothing_is_due(
    call: Option<&Call>,
    guess: &CommandGuess,
    context: &DecisionContext<'_>,
) -> Result<(), Refused> {
    let due =
        call.filter(|_| guess.due_first).map(|call| decide::due_events(call, context)).unwrap_or_default();
    let due = due.iter().map(|event| event.body.event_type()).find(|kind| !guess.may_be_late(*kind));
    match due {
        Some(kind) => {
            let why = format!("a {kind} was due before it");
            Err(Refused::Invalid { field: "timestamp", why })
        }
        None => Ok(()),
    }
}
