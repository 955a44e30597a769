//! `countersign policy`

mod add;
mod agent_place;
mod apply;
pub(crate) mod cases;
mod change;
mod check;
mod daily;
mod difference;
mod format;
mod history;
mod import;
mod logged_calls;
mod reach;
mod reach_words;
pub(crate) mod recorded_policy;
mod replay;
mod replay_recorded;
mod replayed_call;
mod revert;
mod sample_call;
mod show;
pub(crate) mod source;
mod suggest;
mod test;
mod unproven_advisors;
pub(crate) mod use_profile;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign policy`.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Apply a policy, after showing what changes
    Apply(apply::PolicyApplyArgs),
    /// Add rules to the active policy, which stays
    Add(add::PolicyAddArgs),
    /// Use a policy for coding agents that is part of this program
    Use(use_profile::PolicyUseArgs),
    /// Show the active policy
    Show(show::PolicyShowArgs),
    /// List all policies that were ever active
    History(history::PolicyHistoryArgs),
    /// Make an earlier policy active again
    Revert(revert::PolicyRevertArgs),
    /// Check a policy for errors, or show its verdict on a call
    Check(check::PolicyCheckArgs),
    /// Ask a policy whether any call can do something, such as read a file
    Reach(reach::PolicyReachArgs),
    /// Test a policy: its examples, and files of cases
    Test(test::PolicyTestArgs),
    /// Format a policy in the standard layout
    Fmt(format::PolicyFormatArgs),
    /// Turn the approvals of another system into a policy
    Import(import::PolicyImportArgs),
    /// Judge the logged calls by another policy, and show the differences
    Replay(replay::PolicyReplayArgs),
    /// Suggest rules that save prompts and allow no call that was ever denied
    Suggest(suggest::PolicySuggestArgs),
    /// Show what people were asked on a day, and which rules would have made prompts needless
    Daily(daily::PolicyDailyArgs),
}

pub(crate) async fn run_policy_command(
    context: &CommandContext,
    command: &PolicyCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        PolicyCommand::Apply(args) => apply::apply_policy(context, args).await,
        PolicyCommand::Add(args) => add::add_layer(context, args).await,
        PolicyCommand::Use(args) => use_profile::run_policy_use(context, args).await,
        PolicyCommand::Show(args) => show::show_policy(context, args).await,
        PolicyCommand::History(args) => history::list_policies(context, args).await,
        PolicyCommand::Revert(args) => revert::revert_policy(context, args).await,
        PolicyCommand::Check(args) => check::check_policy(context, args).await,
        PolicyCommand::Reach(args) => reach::run_policy_reach(context, args).await,
        PolicyCommand::Test(args) => test::test_policy(context, args).await,
        PolicyCommand::Fmt(args) => format::format_policy(context, args),
        PolicyCommand::Import(args) => import::import_policy(context, args),
        PolicyCommand::Replay(args) => replay::replay_policy(context, args).await,
        PolicyCommand::Suggest(args) => suggest::suggest_rules(context, args).await,
        PolicyCommand::Daily(args) => daily::print_day(context, args).await,
    }
}
