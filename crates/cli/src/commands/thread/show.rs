//! `countersign thread show`

use super::table::thread_table;
use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, print_json, print_line};

/// Options of `thread show`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"firstEventAt\", \"lastEventAt\", \"lastSeq\", \"calls\", \"pending\", \"mode\", \"closedAt\"}"
)]
pub(crate) struct ThreadShowArgs {
    /// The thread
    thread: String,
}

pub(crate) async fn show_thread(
    context: &CommandContext,
    args: &ThreadShowArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let thread =
        gate.send(operations::ShowThread { thread: countersign_api::parse_thread_id(&args.thread)? }).await?;
    if context.json {
        print_json(&thread)?;
    } else {
        print_line(&thread_table(&[thread], context.now()).format(&context.screen()));
    }
    Ok(CommandExit::DONE)
}
