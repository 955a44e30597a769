//! The options of `allow` and `deny`.

use crate::scope::ScopeArgs;
use std::path::PathBuf;

/// The calls to decide.
#[derive(Debug, clap::Args)]
pub(crate) struct CallSelectors {
    /// The ids of the calls, or their beginnings
    #[arg(required_unless_present = "session", value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Their thread, if an id exists in several threads
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
}

/// Options of `allow`.
#[derive(Debug, clap::Args)]
#[command(after_help = DECISION_JSON)]
pub(crate) struct AllowArgs {
    #[command(flatten)]
    pub(crate) which: CallSelectors,
    /// Prove that it is you with this SSH key: a private key file, or the .pub file for a key that an agent or a FIDO
    /// token holds. `ssh-keygen` signs
    #[arg(long, value_name = "KEYFILE")]
    pub(crate) sign_with: Option<PathBuf>,
    /// Remember it for every agent of the thread, not only for the one that proposed the call
    #[arg(long)]
    pub(crate) any_agent: bool,
    /// A comment for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    /// Edit the arguments first, in $VISUAL or $EDITOR
    #[arg(long, conflicts_with_all = ["ScopeArgs", "arguments", "answers"])]
    pub(crate) edit: bool,
    /// Run the call with these arguments instead: JSON, @FILE, or - for stdin
    #[arg(long, value_name = "JSON", conflicts_with = "ScopeArgs")]
    pub(crate) arguments: Option<String>,
    /// Answer a question of the call: an option's label, its number, or free text; once for each question, in their order.
    /// Between commas, a question that allows it takes several
    #[arg(long = "answer", value_name = "TEXT", conflicts_with_all = ["ScopeArgs", "arguments"])]
    pub(crate) answers: Vec<String>,
    #[command(flatten)]
    pub(crate) decide: DecideOptions,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Options of `deny`.
#[derive(Debug, clap::Args)]
#[command(after_help = DECISION_JSON)]
pub(crate) struct DenyArgs {
    /// The ids of the calls, or their beginnings
    #[arg(required_unless_present_any = ["all_pending", "session"], value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Their thread, if an id exists in several threads
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Deny all pending calls, of the thread or of all threads, after a confirmation
    #[arg(long, conflicts_with = "ids")]
    pub(crate) all_pending: bool,
    /// The reason; the agent receives it
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
    #[command(flatten)]
    pub(crate) decide: DecideOptions,
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
}

/// Options of both commands.
#[derive(Debug, clap::Args)]
pub(crate) struct DecideOptions {
    /// Decide at this level [default: the level that the request needs]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// With a scope, also decide the thread's waiting calls, as if they were proposed now
    #[arg(long)]
    pub(crate) and_waiting: bool,
    /// Do not ask for confirmation. Without a terminal, only --all-pending asks for it
    #[arg(long)]
    pub(crate) yes: bool,
}

/// The JSON that both commands print.
const DECISION_JSON: &str = "\
JSON: the decided call; for several calls {\"results\": [{\"threadId\", \"id\", \"call\", or \"problem\": \
{\"code\", \"detail\"}}]}, and the exit code is that of the first problem";
