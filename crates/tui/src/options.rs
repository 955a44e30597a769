//! Watch options, and the ways in which a watch ends.

use crate::inbox::order::CallOrder;
use countersign_api::{GateError, SharedGate};
use countersign_events::{Principal, ThreadId, ToolName};
use tokio_util::sync::CancellationToken;

/// The reason why the person left the inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchExit {
    /// The person quit, or the input ended.
    Quit,
    /// The person pressed Ctrl-C.
    Interrupted,
}

/// The inbox cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The log could not be read.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// The terminal could not be read or written.
    #[error(transparent)]
    Terminal(#[from] std::io::Error),
}

/// A message that is shown once when something else has ended, such as the demo's agent.
#[derive(Debug, Clone)]
pub struct EndNotice {
    /// Cancelled at the end.
    pub ended: CancellationToken,
    /// The text.
    pub text: String,
}

/// The calls to watch, and how to show them.
#[derive(Clone)]
pub struct WatchOptions {
    /// The log connection, in the name of the deciding person.
    pub gate: SharedGate,
    /// Only calls of this thread.
    pub thread: Option<ThreadId>,
    /// Only calls of this tool.
    pub tool: Option<ToolName>,
    /// Only calls that one of these principals proposed; empty for all.
    pub by: Vec<Principal>,
    /// The list order.
    pub order: CallOrder,
    /// The log's location, escaped.
    pub log: String,
    /// The command that reaches the same log from another terminal.
    pub command_prefix: String,
    /// Whether the inbox uses colours.
    pub colours: bool,
    /// Whether the terminal bell rings when a call arrives.
    pub bell: bool,
    /// A notice for the end of something else.
    pub end_notice: Option<EndNotice>,
}

/// Waits for the end that the notice announces, and returns its text once.
pub(crate) async fn wait_for_end(notice: &mut Option<EndNotice>) -> String {
    match notice {
        Some(waited) => {
            waited.ended.cancelled().await;
            notice.take().map(|notice| notice.text).unwrap_or_default()
        }
        None => std::future::pending().await,
    }
}
