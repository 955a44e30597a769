//! The actions of agents and people, independent of the transport.

use countersign_events::event::{Decision, Mode, ToolPolicy};
use std::time::Duration;

/// An action of an agent or a person in a thread. An `&str` in the first place is the id of the call.
#[derive(Debug, Clone, Copy)]
pub enum Action<'a> {
    /// Proposes a call.
    Propose(&'a str, Proposal<'a>),
    /// Decides on a call.
    Decide(&'a str, Decision),
    /// Claims a call, as this executor and with these arguments.
    Claim(&'a str, ClaimChoice<'a>),
    /// Reports the success of a call, with the content of its result as JSON.
    Finish(&'a str, &'a str),
    /// Withdraws a call.
    Cancel(&'a str),
    /// Executes the overdue task of a call.
    Due(&'a str),
    /// Revokes the grant with this `seq`.
    Revoke(i64),
    /// Sets the mode of the thread.
    SetMode(Mode),
    /// Sets the thread's own policy for a tool.
    SetToolPolicy(&'a str, ToolPolicy),
    /// Closes the thread.
    Close,
}

/// The parts of a proposal that a test chooses. The default is a call of `bash` with the command `ls`.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
    /// The time after which the request expires.
    pub expires_in: Option<Duration>,
}

impl Default for Proposal<'_> {
    fn default() -> Self {
        Self { tool: "bash", arguments: r#"{"command":"ls"}"#, expires_in: None }
    }
}

/// The parts of a claim that a test chooses.
#[derive(Debug, Clone, Copy)]
pub struct ClaimChoice<'a> {
    /// The name of the executor; `None` for the name of the caller.
    pub executor: Option<&'a str>,
    /// The arguments that the executor runs, as JSON. The default is the arguments of the default proposal.
    pub arguments: &'a str,
}

impl Default for ClaimChoice<'_> {
    fn default() -> Self {
        Self { executor: None, arguments: Proposal::default().arguments }
    }
}
