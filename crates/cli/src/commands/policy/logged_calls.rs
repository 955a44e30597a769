//! Reads the log's calls.

use crate::filters::TimeRangeArgs;
use countersign_api::{LogFilter, SharedGate};
use countersign_console::CommandContext;
use countersign_events::Timestamp;
use countersign_gate::{CallReader, CallSelection, ReadLimits};
use countersign_replay::Call;

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

    fn selection(&self) -> anyhow::Result<CallSelection> {
        let LogFilter { since, until, .. } = self.span.filter()?;
        let thread_id = self.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
        Ok(CallSelection { since, until, thread_id })
    }
}

/// What was left out of the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OmittedCalls {
    /// The number of damaged calls.
    pub(crate) damaged: u64,
    /// Whether the limits left out others.
    pub(crate) is_cut: bool,
}

/// Passes each selected call with all its events to `take`, within these limits.
pub(crate) async fn for_each_call(
    context: &CommandContext,
    gate: &SharedGate,
    which: &LoggedCallArgs,
    limits: ReadLimits,
    mut take: impl FnMut(&Call),
) -> anyhow::Result<OmittedCalls> {
    let mut reader = CallReader::open(&**gate, which.selection()?).await?.limited(limits);
    let mut progress = context.progress("events");
    while let Some(calls) = reader.next_calls().await? {
        calls.iter().for_each(&mut take);
        progress.update(reader.position() - reader.first(), reader.tip() - reader.first());
    }
    progress.clear();
    Ok(OmittedCalls { damaged: reader.damaged_count(), is_cut: reader.is_cut() })
}
