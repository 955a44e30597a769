//! Reconstructs a grant's answer to a waiting call. A grant decides such calls only in the transaction that gave it, so
//! their rows follow it directly and have its time.

use super::{
    command_guess::{CommandGuess, GuessedCommand},
    evidence,
    log_row::LogRow,
    thread_guess::without_patterns,
};
use crate::{
    CallStanding, CommandEvidence, Thread, batch::thread_state::ThreadState, decide::WaitingReview,
    thread::Grant,
};
use countersign_events::{ApprovalResponse, Body, Decision, Mode, Source, Timestamp, ToolCall, ToolPolicy};
use countersign_policy::QualifiedPeople;
use std::collections::HashMap;

/// The grant that the last rows gave.
#[derive(Debug, Clone, Copy)]
pub(super) struct LastGrant {
    /// The `seq` of the response that gave it.
    seq: i64,
    /// The time of that response.
    at: Timestamp,
    /// The last `seq` that the command has written so far.
    end: i64,
}

/// The grant that the rows of one step gave, or the one before if they are its answer to a call that waited.
pub(super) fn last_grant<'a>(
    before: Option<LastGrant>,
    rows: impl Iterator<Item = &'a LogRow>,
) -> Option<LastGrant> {
    let rows: Vec<_> = rows.collect();
    let end = rows.last()?.event.seq;
    let is_written = |row: &&&LogRow| !row.is_by_hand();
    let given = rows.iter().filter(is_written).find(|row| match &row.body {
        Body::ApprovalResponse(response) => response.source == Source::Approver && is_remembered(response),
        _ => false,
    });
    match given {
        Some(row) => Some(LastGrant { seq: row.event.seq, at: row.event.timestamp, end }),
        None => before.filter(|grant| grant.follows(rows[0])).map(|grant| LastGrant { end, ..grant }),
    }
}

fn is_remembered(response: &ApprovalResponse) -> bool {
    response.decision == Decision::AllowSession || response.scope.is_some()
}

impl LastGrant {
    /// Returns true if, judging by its position, the row is this grant's answer to a waiting call.
    fn follows(&self, row: &LogRow) -> bool {
        let Body::ApprovalResponse(response) = &row.body else { return false };
        response.source == Source::Grant
            && response.grant == Some(self.seq)
            && row.event.seq == self.end + 1
            && row.event.timestamp == self.at
            && !row.is_by_hand()
    }
}

/// The command that gave the last grant, if the row can be its answer to a call that waited.
pub(super) fn guess(head: &LogRow, state: &ThreadState, last: Option<LastGrant>) -> Option<CommandGuess> {
    let last = last.filter(|grant| grant.follows(head))?;
    let Body::ApprovalResponse(response) = &head.body else { return None };
    let id = head.body.call_id()?.clone();
    let call = state.call(&id)?;
    let CallStanding::Pending { request } = &call.standing else { return None };
    let lapses = evidence::span(head.event.timestamp, response.lapses_at);
    let policy = evidence::recorded_policy(response.policy, lapses, false, QualifiedPeople::Everyone, None);
    // Another policy asked. The log does not record the active policy's terms.
    let evidence = if request.what.policy == policy.hash() {
        CommandEvidence::NotNeeded
    } else {
        let judged = evidence::judged(call.arguments_hash(), evidence::asking_judgement(policy.hash(), 1, 1));
        CommandEvidence::Waiting(WaitingReview {
            answer: None,
            waiting: HashMap::from([(id.clone(), judged)]),
        })
    };
    let guess = CommandGuess::new(GuessedCommand::Waiting(id, last.seq), head, policy);
    Some(CommandGuess {
        evidence,
        thread: Some(thread_of_answer(&state.thread, last.seq, &call.proposal.what)),
        ..guess
    })
}

/// The thread as the grant may have found it. The log records neither the calls that other patterns matched, nor which
/// calls the thread's own settings would have allowed first.
fn thread_of_answer(recorded: &Thread, grant: i64, call: &ToolCall) -> Thread {
    let mut thread = without_patterns(recorded).unwrap_or_else(|| recorded.clone());
    let given = recorded.grants.iter().filter(|given| given.seq == grant);
    thread.grants.retain(|other| other.seq != grant);
    thread.grants.extend(given.map(|given| {
        let arguments = given.arguments.with_erased_as_same(call);
        Grant { arguments, ..given.clone() }
    }));
    thread.mode = thread.mode.filter(|set| set.what.mode != Mode::ApproveAll);
    thread.policies.retain(|_, set| set.what.policy != ToolPolicy::Allow);
    thread
}
