//! The options of `allow` and `deny`.

use crate::scope::ScopeArgs;
use countersign_api as api;
use countersign_console::{CliError, LimitChoice};
use countersign_events::{GrantLimits, Principal};
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
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
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
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// How long a remembered decision lasts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Scope: remember the decision in the thread")]
pub(crate) struct LimitArgs {
    /// With a scope, remember it for this time, such as 30m, 2h or 1d, or while the `thread` is open [default: 1h for `allow`, thread
    /// for `deny`]
    #[arg(long = "for", value_name = "TIME", value_parser = parse_span)]
    pub(crate) span: Option<DecisionSpan>,
    /// With a scope, answer only this many later calls
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(GrantLimits::MAX_USES)))]
    pub(crate) uses: Option<u32>,
}

/// For how long a decision is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecisionSpan {
    /// While the thread is open.
    Thread,
    /// For this number of seconds.
    Seconds(u32),
}

impl DecisionSpan {
    /// Returns the time as a decision has it.
    pub(crate) const fn seconds(self) -> Option<u32> {
        match self {
            Self::Thread => None,
            Self::Seconds(seconds) => Some(seconds),
        }
    }
}

/// Reads a time such as `30m`, or `thread`.
pub(crate) fn parse_span(text: &str) -> Result<DecisionSpan, String> {
    if text == "thread" {
        return Ok(DecisionSpan::Thread);
    }
    let seconds =
        crate::commands::run::parse_seconds(text).ok().filter(|seconds| *seconds <= GrantLimits::MAX_SECONDS);
    seconds
        .map(DecisionSpan::Seconds)
        .ok_or_else(|| "expected `thread`, or a time up to 30 days, such as 90s, 30m, 2h or 1d".to_owned())
}

impl LimitArgs {
    /// Adds the limits to a decision. `remembered` says if it has a scope.
    pub(crate) fn add_to(&self, decide: &mut api::DecisionRequest, remembered: bool) -> Result<(), CliError> {
        if !remembered && (self.span.is_some() || self.uses.is_some()) {
            return Err(CliError::usage("--for and --uses need a scope, such as --session exact"));
        }
        if remembered {
            let usual = LimitChoice::default().limits().seconds.filter(|_| decide.decision.allows());
            decide.expires_in_seconds = self.span.map_or(usual, DecisionSpan::seconds);
            decide.uses = self.uses;
        }
        Ok(())
    }
}

/// Options of both commands.
#[derive(Debug, clap::Args)]
pub(crate) struct DecideOptions {
    /// Decide at this level [default: the level that the request needs]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,
    /// Decide in the place of this person, such as user:ada, who has handed their queue to you
    #[arg(long, value_name = "PERSON")]
    pub(crate) on_behalf_of: Option<Principal>,
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
