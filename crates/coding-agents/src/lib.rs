//! Approvals for coding agents, over any gate: the hooks that they run before and after a tool.
//!
//! A hook process lives for one message of the agent. It keeps no state: everything that the next process must know, such as
//! the decision on a call that the agent repeats, is in the log.

pub mod agents;
mod approval;
pub mod config;
pub mod environment;
pub mod hook;
mod other_words;
pub mod proxy;

pub use approval::{AgentApprovalTerms, ApprovalOutcome, EditSupport, seek_approval};
