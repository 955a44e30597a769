//! `countersign close`

use crate::{
    args::Args,
    exit::Exit,
    output::{self, visible},
    target,
};

/// Which thread.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"closedAt\", \"principal\", \"cancelled\": [the ids of calls that waited]}"
)]
pub(crate) struct Close {
    /// The thread; it cannot be opened again
    thread: String,
}

pub(crate) async fn close(args: &Args, wish: &Close) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let thread = countersign_api::parse_thread_id(&wish.thread)?;
    let before = gate.thread(&thread).await.is_ok_and(|found| found.closed_at.is_some());
    let closed = gate.close(&thread).await?;
    if args.json {
        output::say(&serde_json::to_string(&closed)?);
        return Ok(Exit::DONE);
    }
    let thread = visible(closed.thread_id.as_str());
    if before || closed.principal != *gate.principal() {
        let (who, at) = (visible(closed.principal.as_str()), closed.closed_at);
        output::say(&format!("Nothing changed: thread {thread} was closed before, by {who} at {at}."));
        return Ok(Exit::DONE);
    }
    let ids: Vec<_> = closed.cancelled.iter().map(|id| visible(id.as_str())).collect();
    let cancelled = if ids.is_empty() {
        "Nothing waited in it".to_owned()
    } else {
        format!("Cancelled {}", ids.join(", "))
    };
    output::say(&format!("Closed thread {thread}. {cancelled}."));
    Ok(Exit::DONE)
}
