//! The actions of agents and people, independent of the transport.

use countersign_events::{Decision, Mode, ToolPolicy};
use std::time::Duration;

/// An action by an agent or a person in a thread. An `&str` as the first item is the call id.
#[derive(Debug, Clone, Copy)]
pub enum Action<'a> {
    /// Proposes a call.
    Propose(&'a str, Proposal<'a>),
    /// Decides on a call.
    Decide(&'a str, Decision),
    /// Claims a call, as this executor and with these arguments.
    Claim(&'a str, ClaimChoice<'a>),
    /// Reports a call's success, with the content of its result as JSON.
    Finish(&'a str, &'a str),
    /// Withdraws a call.
    Cancel(&'a str),
    /// Executes the overdue task of a call.
    Due(&'a str),
    /// Revokes the grant with this `seq`.
    Revoke(i64),
    /// Sets the thread's mode.
    SetMode(Mode),
    /// Sets the thread's own policy for a tool.
    SetToolPolicy(&'a str, ToolPolicy),
    /// Closes the thread.
    Close,
}

/// What a test chooses in a proposal. The default is a `bash` call with the command `ls`.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
    /// The time after which the request expires.
    pub expires_in: Option<Duration>,
    /// Whether the call is withdrawn when its proposer is gone.
    pub withdraw_when_gone: bool,
}

impl Default for Proposal<'_> {
    fn default() -> Self {
        Self { tool: "bash", arguments: r#"{"command":"ls"}"#, expires_in: None, withdraw_when_gone: false }
    }
}

/// What a test chooses in a claim.
#[derive(Debug, Clone, Copy)]
pub struct ClaimChoice<'a> {
    /// The executor's name; `None` for the caller's name.
    pub executor: Option<&'a str>,
    /// The arguments that the executor runs, as JSON. By default, these are the default proposal's arguments.
    pub arguments: &'a str,
}

impl Default for ClaimChoice<'_> {
    fn default() -> Self {
        Self { executor: None, arguments: Proposal::default().arguments }
    }
}
