//! `countersign thread`

mod close;
mod list;
mod mode;
mod policy;
mod show;
mod table;

use crate::{context::Context, exit::CommandExit};
use clap::Subcommand;

/// The commands of `countersign thread`.
#[derive(Debug, Subcommand)]
pub(crate) enum ThreadCommand {
    /// List threads, the last active first
    List(list::ThreadListArgs),
    /// Show one thread
    Show(show::ThreadShowArgs),
    /// Show or set the mode: how the thread answers calls that the policy asks about
    Mode(mode::ThreadModeArgs),
    /// Show or set the policy of the thread for single tools
    Policy(policy::ThreadPolicyArgs),
    /// Close a thread: cancel its pending calls and accept no new ones
    Close(close::ThreadCloseArgs),
}

pub(crate) async fn run_thread_command(
    context: &Context,
    command: &ThreadCommand,
) -> anyhow::Result<CommandExit> {
    match command {
        ThreadCommand::List(args) => list::list_threads(context, args).await,
        ThreadCommand::Show(args) => show::show_thread(context, args).await,
        ThreadCommand::Mode(args) => mode::show_or_set_mode(context, args).await,
        ThreadCommand::Policy(args) => policy::show_or_set_policy(context, args).await,
        ThreadCommand::Close(args) => close::close_thread(context, args).await,
    }
}
