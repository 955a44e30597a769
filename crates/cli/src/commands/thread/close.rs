//! `countersign thread close`

use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `thread close`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"closedAt\", \"principal\", \"cancelled\": [the ids of the pending calls]}"
)]
pub(crate) struct ThreadCloseArgs {
    /// The thread; it cannot be reopened
    thread: String,
}

pub(crate) async fn close_thread(
    context: &CommandContext,
    args: &ThreadCloseArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let before = gate
        .send(operations::ShowThread { thread: thread.clone() })
        .await
        .is_ok_and(|found| found.closed_at.is_some());
    let closed = gate.send(operations::CloseThread { thread: thread.clone() }).await?;
    if context.json {
        print_json(&closed)?;
        return Ok(CommandExit::DONE);
    }
    let thread = escape_text(closed.thread_id.as_str());
    if before || closed.principal != *gate.principal() {
        let (who, at) = (escape_text(closed.principal.as_str()), closed.closed_at);
        print_line(&format!("Nothing changed: thread {thread} was already closed by {who} at {at}."));
        return Ok(CommandExit::DONE);
    }
    let ids: Vec<_> = closed.cancelled.iter().map(|id| escape_text(id.as_str())).collect();
    let cancelled = if ids.is_empty() {
        "It had no pending calls".to_owned()
    } else {
        format!("Cancelled {}", ids.join(", "))
    };
    print_line(&format!("Closed thread {thread}. {cancelled}."));
    Ok(CommandExit::DONE)
}
