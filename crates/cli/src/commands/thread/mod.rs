//! `countersign thread`

mod close;
mod list;
mod mode;
mod policy;
mod show;
mod table;
mod unknown;

use clap::Subcommand;
use countersign_console::{CommandContext, CommandExit};

/// The commands of `countersign thread`.
#[derive(Debug, Subcommand)]
pub(crate) enum ThreadSubcommand {
    /// List threads, the last active first
    List(list::ThreadListArgs),
    /// Show one thread
    Show(show::ThreadShowArgs),
    /// Show or set the mode: how the thread answers calls that the policy asks about
    Mode(mode::ThreadModeArgs),
    /// Show or set the thread's policy for single tools
    Policy(policy::ThreadPolicyArgs),
    /// Close a thread: cancel its pending calls and accept no new ones
    Close(close::ThreadCloseArgs),
}

pub(crate) async fn run_thread_command(
    context: &CommandContext,
    command: &ThreadSubcommand,
) -> anyhow::Result<CommandExit> {
    match command {
        ThreadSubcommand::List(args) => list::list_threads(context, args).await,
        ThreadSubcommand::Show(args) => show::show_thread(context, args).await,
        ThreadSubcommand::Mode(args) => mode::show_or_set_mode(context, args).await,
        ThreadSubcommand::Policy(args) => policy::show_or_set_policy(context, args).await,
        ThreadSubcommand::Close(args) => close::close_thread(context, args).await,
    }
}
