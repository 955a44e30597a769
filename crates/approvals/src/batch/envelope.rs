//! A command with everything that the rules need to decide on it.

use crate::{
    CallCommand, CommandCaller, CommandEvidence, ThreadCommand,
    decide::{
        AdvisorCommand, DefinitionCommand, SetPolicyCommand, StopCommand, TokenCommand, WebhookCommand,
    },
};
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
    /// The policy by which the command is decided. It must be the one in force.
    pub policy: Arc<Policy>,
    /// The facts that were worked out before the command was queued.
    pub evidence: CommandEvidence,
    /// The link of the first event, which identifies the log in a proof; zeros for a command that needs
    /// none.
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
    /// The log as a whole. Only [`ApprovalCommand::SetPolicy`], [`ApprovalCommand::Tokens`],
    /// [`ApprovalCommand::Webhooks`], [`ApprovalCommand::Definitions`] and [`ApprovalCommand::Advisors`] apply to it.
    Log,
}

/// A command to a call, to a thread or to the log.
#[derive(Debug, Clone)]
pub enum ApprovalCommand {
    /// To a call.
    Call(CallCommand),
    /// To a thread.
    Thread(ThreadCommand),
    /// To the log: put a policy in force.
    SetPolicy(SetPolicyCommand),
    /// To the log: create, use or revoke tokens, add or remove keys of approvers.
    Tokens(TokenCommand),
    /// To the log: add or remove webhooks, or record their deliveries.
    Webhooks(WebhookCommand),
    /// To the log: record definitions of tools, or accept one.
    Definitions(DefinitionCommand),
    /// To the log: record a report on an advisor, or set its mode.
    Advisors(AdvisorCommand),
}

impl CommandTarget {
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

impl From<StopCommand> for ApprovalCommand {
    fn from(command: StopCommand) -> Self {
        Self::Thread(ThreadCommand::Stop(command))
    }
}
