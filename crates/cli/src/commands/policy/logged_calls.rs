//! Reads the calls of the log.

use crate::{context::CommandContext, filters::TimeRangeArgs};
use countersign_api::{LogFilter, SharedGate};
use countersign_gate::{CallReader, CallSelection, Timestamp};

/// Options that select calls of the log.
#[derive(Debug, clap::Args)]
pub(crate) struct LoggedCallArgs {
    #[command(flatten)]
    span: TimeRangeArgs,
    /// Only this thread
    #[arg(long, value_name = "T")]
    thread: Option<String>,
}

impl LoggedCallArgs {
    /// All calls from a time on.
    pub(crate) fn since(since: Timestamp) -> Self {
        Self { span: TimeRangeArgs { since: Some(since), until: None }, thread: None }
    }
}

/// Passes each selected call with all its events to `take`. Returns the number of damaged calls.
pub(crate) async fn for_each_call(
    context: &CommandContext,
    gate: &SharedGate,
    which: &LoggedCallArgs,
    mut take: impl FnMut(&countersign_gate::replay::Call),
) -> anyhow::Result<u64> {
    let LogFilter { since, until, .. } = which.span.filter()?;
    let thread_id = which.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let mut reader = CallReader::open(&**gate, CallSelection { since, until, thread_id }).await?;
    let mut progress = context.progress("events");
    while let Some(calls) = reader.next_calls().await? {
        calls.iter().for_each(&mut take);
        progress.update(reader.position() - reader.first(), reader.tip() - reader.first());
    }
    progress.clear();
    Ok(reader.damaged_count())
}
