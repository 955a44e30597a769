//! What `allow` and `deny` may be told.

use crate::width::Width;

/// Which calls are meant.
#[derive(Debug, clap::Args)]
pub(crate) struct WhichOnes {
    /// The calls' ids, or how each begins
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Their thread, where ids repeat
    #[arg(long, value_name = "T")]
    pub(crate) thread: Option<String>,
}

/// Allow calls.
#[derive(Debug, clap::Args)]
#[command(after_help = DECIDED)]
pub(crate) struct Allow {
    #[command(flatten)]
    pub(crate) which: WhichOnes,
    /// Allow later calls of this tool in this thread too
    #[arg(long, conflicts_with_all = ["Width", "edit", "arguments"])]
    pub(crate) session: bool,
    /// A word for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    /// Change the arguments first, in $VISUAL or $EDITOR
    #[arg(long, conflicts_with_all = ["Width", "arguments"])]
    pub(crate) edit: bool,
    /// Run it with these arguments instead: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON", conflicts_with = "Width")]
    pub(crate) arguments: Option<String>,
    #[command(flatten)]
    pub(crate) how: How,
    #[command(flatten)]
    pub(crate) width: Width,
}

/// Deny calls.
#[derive(Debug, clap::Args)]
#[command(after_help = DECIDED)]
pub(crate) struct Deny {
    /// The calls' ids, or how each begins
    #[arg(required_unless_present = "all_pending", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Their thread, where ids repeat
    #[arg(long, value_name = "T")]
    pub(crate) thread: Option<String>,
    /// Deny all that waits: in the thread, or everywhere
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all_pending: bool,
    /// Why: the agent is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    #[command(flatten)]
    pub(crate) how: How,
    #[command(flatten)]
    pub(crate) width: Width,
}

/// What goes for both.
#[derive(Debug, clap::Args)]
pub(crate) struct How {
    /// Decide at this level; else at the one that is asked for
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// Do not ask on a terminal before a change or a pattern is sent; elsewhere nobody is asked
    #[arg(long)]
    pub(crate) yes: bool,
}

/// The shape of a decision's answer.
const DECIDED: &str = "\
JSON: the call, decided; of several calls {\"results\": [{\"threadId\", \"id\", \"call\", or \"problem\": \
{\"code\", \"detail\"}}]}, and the exit code is that of the first problem";
