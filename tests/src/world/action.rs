//! The actions of agents and people, independent of the transport.

use countersign_events::event::{Decision, Mode, ToolPolicy};
use std::time::Duration;

/// One thing that an agent or a person does in a thread.
#[derive(Debug, Clone, Copy)]
pub enum Action<'a> {
    /// Proposes the call with that id.
    Propose(&'a str, Proposal<'a>),
    /// Decides on the call with that id.
    Decide(&'a str, Decision),
    /// Claims the call with that id, to run it with those arguments.
    Claim(&'a str, ClaimChoice<'a>),
    /// Reports that the call with that id succeeded, with its content as JSON.
    Finish(&'a str, &'a str),
    /// Withdraws the call with that id.
    Cancel(&'a str),
    /// Performs the due item of the call with that id.
    Due(&'a str),
    /// Revokes the grant with that `seq`.
    Revoke(i64),
    /// Sets the mode of the thread.
    SetMode(Mode),
    /// Sets the thread's own policy for a tool.
    SetToolPolicy(&'a str, ToolPolicy),
    /// Closes the thread.
    Close,
}

/// The parts of a proposal that a test chooses. The default is the usual call: `bash` with `ls`.
#[derive(Debug, Clone, Copy)]
pub struct Proposal<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments, as JSON.
    pub arguments: &'a str,
    /// After how long the request expires.
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
    /// The name of the executor; without one, the name of the caller.
    pub executor: Option<&'a str>,
    /// The arguments that it runs, as JSON; without them, those of the usual call.
    pub arguments: &'a str,
}

impl Default for ClaimChoice<'_> {
    fn default() -> Self {
        Self { executor: None, arguments: Proposal::default().arguments }
    }
}
