//! `countersign advisor`

mod list;
mod measured_advisor;
mod measured_calls;
mod measured_table;
mod prompt;
mod replay;
mod report;
mod set_mode;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign advisor`.
#[derive(Debug, Subcommand)]
pub(crate) enum AdvisorSubcommand {
    /// List the active policy's advisors, with each one's current mode and the reason for it
    List(list::AdvisorListArgs),
    /// Compare the advice of an advisor in shadow mode with people's decisions
    Report(report::AdvisorReportArgs),
    /// Ask an advisor about past calls of the log, and compare its answers with the decisions of people
    Replay(replay::AdvisorReplayArgs),
    /// Let an advisor decide where the policy does, although no report proves it
    AllowDecide(set_mode::AllowDecideArgs),
    /// Let an advisor only advise, whatever the policy says
    AdviseOnly(set_mode::AdviseOnlyArgs),
    /// Print instructions for a model to begin with
    Prompt(prompt::AdvisorPromptArgs),
}

pub(crate) async fn run_advisor_command(
    context: &CommandContext,
    command: &AdvisorSubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        AdvisorSubcommand::List(args) => list::list_advisors(context, args).await,
        AdvisorSubcommand::Report(args) => report::report_advisor(context, args).await,
        AdvisorSubcommand::Replay(args) => replay::replay_advisor(context, args).await,
        AdvisorSubcommand::AllowDecide(args) => set_mode::allow_decide(context, args).await,
        AdvisorSubcommand::AdviseOnly(args) => set_mode::advise_only(context, args).await,
        AdvisorSubcommand::Prompt(args) => prompt::print_prompt(context, args),
    }
}
