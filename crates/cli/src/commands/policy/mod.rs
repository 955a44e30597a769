//! `countersign policy`

mod cases;
mod check;
mod format;
mod history;
mod replay;
mod sample_call;
mod source;
mod suggest;
mod test;

use crate::{context::CommandContext, exit::CommandExit};
use clap::Subcommand;

/// The commands of `countersign policy`.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Check a policy for errors, or show its verdict on a call
    Check(check::PolicyCheckArgs),
    /// Test a policy: its examples, and files of cases
    Test(test::PolicyTestArgs),
    /// Format a policy in the standard layout
    Fmt(format::PolicyFormatArgs),
    /// Judge the calls of the log by another policy, and show the differences
    Replay(replay::PolicyReplayArgs),
    /// Suggest rules that save prompts and allow no call that was ever denied
    Suggest(suggest::PolicySuggestArgs),
}

pub(crate) async fn run_policy_command(
    context: &CommandContext,
    command: &PolicyCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        PolicyCommand::Check(args) => check::check_policy(context, args),
        PolicyCommand::Test(args) => test::test_policy(context, args),
        PolicyCommand::Fmt(args) => format::format_policy(context, args),
        PolicyCommand::Replay(args) => replay::replay_policy(context, args).await,
        PolicyCommand::Suggest(args) => suggest::suggest_rules(context, args).await,
    }
}
