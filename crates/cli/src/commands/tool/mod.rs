//! `countersign tool`

mod accept;
mod list;
mod show;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign tool`.
#[derive(Debug, Subcommand)]
pub(crate) enum ToolSubcommand {
    /// List the tools that the log knows, and those whose definition has changed
    List(list::ToolListArgs),
    /// Print a tool's definitions, and how they differ
    Show(show::ToolShowArgs),
    /// Accept a changed definition of a tool
    Accept(accept::ToolAcceptArgs),
}

pub(crate) async fn run_tool_command(
    context: &CommandContext,
    command: &ToolSubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        ToolSubcommand::List(args) => list::list_tools(context, args).await,
        ToolSubcommand::Show(args) => show::show_tool(context, args).await,
        ToolSubcommand::Accept(args) => accept::accept_definition(context, args).await,
    }
}
