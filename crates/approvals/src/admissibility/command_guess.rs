//! A command that could have caused a row.

use super::{evidence, log_row::LogRow};
use crate::{CallCommand, CommandEvidence, Thread, ThreadCommand, decide::ProposeCommand};
use countersign_events::{CallId, EventType, Principal, ToolName};
use countersign_policy::{Policy, QualifiedPeople};

/// A command that could have caused a row, with its evidence.
pub(super) struct CommandGuess {
    pub(super) command: GuessedCommand,
    pub(super) by: Principal,
    pub(super) policy: Policy,
    pub(super) evidence: CommandEvidence,
    /// The thread as the command saw it, if that differs from its state before the row.
    pub(super) thread: Option<Thread>,
    /// Whether the writer first writes the events that are due on the call.
    pub(super) due_first: bool,
    /// Whether the row was written with SQL, where no process writes reminders and escalations first.
    pub(super) is_by_hand: bool,
}

/// A command to the row's call or thread.
pub(super) enum GuessedCommand {
    Call(CallId, CallCommand),
    Thread(ThreadCommand),
    /// The decision that gave the grant with this `seq`, which also decides this call, because it waits.
    Waiting(CallId, i64),
}

impl CommandGuess {
    pub(super) fn new(command: GuessedCommand, row: &LogRow, policy: Policy) -> Self {
        Self {
            command,
            by: row.event.principal.clone(),
            policy,
            evidence: CommandEvidence::NotNeeded,
            thread: None,
            due_first: true,
            is_by_hand: row.is_by_hand(),
        }
    }

    pub(super) fn proposal(command: ProposeCommand, row: &LogRow, policy: Policy) -> Self {
        let id = command.id.clone();
        Self::new(GuessedCommand::Call(id, CallCommand::Propose(command)), row, policy)
    }

    /// The tool, if the command is a proposal.
    pub(super) const fn proposed_tool(&self) -> Option<&ToolName> {
        match &self.command {
            GuessedCommand::Call(_, CallCommand::Propose(propose)) => Some(&propose.name),
            _ => None,
        }
    }

    /// The reason why a row is wrong if the command writes nothing.
    pub(super) const fn reason_for_nothing(&self) -> &'static str {
        match self.command {
            GuessedCommand::Call(_, CallCommand::Due) => "nothing was due on the call",
            GuessedCommand::Call(_, CallCommand::Withdraw { .. }) => "the call was not to be withdrawn then",
            GuessedCommand::Waiting(..) => "the grant does not answer this call",
            GuessedCommand::Call(..) | GuessedCommand::Thread(_) => "the log says the same already",
        }
    }

    /// Returns true if an event of this type may be due and not yet written.
    pub(super) fn may_be_late(&self, kind: EventType) -> bool {
        self.is_by_hand && matches!(kind, EventType::ApprovalReminder | EventType::ApprovalEscalated)
    }
}

/// The command about a row's call.
pub(super) fn to_call(row: &LogRow, command: CallCommand, policy: Policy) -> CommandGuess {
    // Rows without a call id are commands to a thread, so the default is never used.
    let id = row.body.call_id().cloned();
    let command =
        id.map_or(GuessedCommand::Thread(ThreadCommand::Close), |id| GuessedCommand::Call(id, command));
    CommandGuess::new(command, row, policy)
}

/// A policy for commands that depend on none.
pub(super) fn plain_policy() -> Policy {
    evidence::recorded_policy(None, None, false, QualifiedPeople::None, None)
}
