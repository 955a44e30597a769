//! A command with everything that the rules need to decide on it.

use crate::{CallCommand, CommandCaller, CommandEvidence, LogCommand, ThreadCommand, decide::StopCommand};
use countersign_events::{CallId, Sha256, ThreadId, Timestamp};
use countersign_policy::Policy;
use std::sync::Arc;

/// A command with everything that the rules need to decide on it. The gate fills it in before the command is
/// queued, so that deciding needs no clock, no policy evaluation and no I/O.
#[derive(Debug, Clone)]
pub struct CommandEnvelope {
    /// The call or the threads that the command is about.
    pub target: CommandTarget,
    /// The command.
    pub command: ApprovalCommand,
    /// The caller that gives the command.
    pub by: CommandCaller,
    /// The moment at which the command is decided.
    pub now: Timestamp,
    /// The policy by which the command is decided. It must be the active one.
    pub policy: Arc<Policy>,
    /// The facts that were worked out before the command was queued.
    pub evidence: CommandEvidence,
    /// The first event's link, which identifies the log in a proof; zeros for a command that needs none.
    pub log: Sha256,
}

/// The call or the threads that a command is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandTarget {
    /// One call of a thread.
    Call(ThreadId, CallId),
    /// One thread.
    Thread(ThreadId),
    /// Every thread that has pending calls. Only [`ThreadCommand::Stop`] applies to it.
    AllThreads,
    /// The whole log. Only [`ApprovalCommand::Log`] applies to it.
    Log,
}

/// A command to a call, to a thread or to the log.
#[derive(Debug, Clone)]
pub enum ApprovalCommand {
    /// To a call.
    Call(CallCommand),
    /// To a thread.
    Thread(ThreadCommand),
    /// To the log.
    Log(LogCommand),
}

impl CommandTarget {
    /// The thread, if the target is one call or one thread.
    #[must_use]
    pub const fn thread(&self) -> Option<&ThreadId> {
        match self {
            Self::Call(thread_id, _) | Self::Thread(thread_id) => Some(thread_id),
            Self::AllThreads | Self::Log => None,
        }
    }

    /// The call, if the target is one call.
    #[must_use]
    pub const fn call(&self) -> Option<(&ThreadId, &CallId)> {
        match self {
            Self::Call(thread_id, id) => Some((thread_id, id)),
            Self::Thread(_) | Self::AllThreads | Self::Log => None,
        }
    }
}

impl From<CallCommand> for ApprovalCommand {
    fn from(command: CallCommand) -> Self {
        Self::Call(command)
    }
}

impl From<ThreadCommand> for ApprovalCommand {
    fn from(command: ThreadCommand) -> Self {
        Self::Thread(command)
    }
}

impl From<LogCommand> for ApprovalCommand {
    fn from(command: LogCommand) -> Self {
        Self::Log(command)
    }
}

impl From<StopCommand> for ApprovalCommand {
    fn from(command: StopCommand) -> Self {
        Self::Thread(ThreadCommand::Stop(command))
    }
}
