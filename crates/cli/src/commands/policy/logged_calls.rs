//! Reads the calls of the log.

use crate::{context::CommandContext, filters::TimeRangeArgs};
use countersign_api as api;
use countersign_api::{LogFilter, SharedGate};
use countersign_gate::{Event, EventType, ThreadId, Timestamp, replay::CallAssembler};

/// The event types of calls. Messages are excluded, because there may be many.
const OF_CALLS: &[EventType] = &[
    EventType::ToolCall,
    EventType::ApprovalRequest,
    EventType::ApprovalVote,
    EventType::ApprovalReminder,
    EventType::ApprovalEscalated,
    EventType::ApprovalResponse,
    EventType::ExecutionStarted,
    EventType::ExecutionRenewed,
    EventType::ExecutionReleased,
    EventType::ExecutionTakenOver,
    EventType::ToolResult,
];

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
    let mut page =
        api::PageQuery { after: beginning(gate, thread_id.as_ref(), since).await?, limit: api::MAX_PAGE };
    let filter = LogFilter { thread_id, types: OF_CALLS.to_vec(), ..LogFilter::default() };
    let mut calls = CallAssembler::for_period(since, until);
    let mut progress = context.progress("events");
    let first = page.after;
    loop {
        let found = gate.events(&filter, page).await?;
        for event in &found.events {
            if let Some(call) = calls.apply_event(event) {
                take(&call);
            }
        }
        let Some(next) =
            found.next.filter(|_| !is_past(found.events.last().map(AsRef::as_ref), until, &calls))
        else {
            break;
        };
        page.after = next;
        progress.update(next - first, found.tip - first);
    }
    progress.clear();
    let damaged = calls.damaged_count();
    calls.into_open_calls().iter().for_each(take);
    Ok(damaged)
}

/// True if no later event can belong to a call proposed before `until`.
fn is_past(last: Option<&Event>, until: Option<Timestamp>, calls: &CallAssembler) -> bool {
    let (Some(last), Some(until)) = (last, until) else { return false };
    // Clocks of several processes differ slightly. An event that is much later belongs to a later call.
    calls.open_count() == 0 && last.timestamp.before(SLACK) > until
}

const SLACK: std::time::Duration = std::time::Duration::from_hours(1);

/// The position before the first event of the time range.
async fn beginning(
    gate: &SharedGate,
    thread: Option<&ThreadId>,
    since: Option<Timestamp>,
) -> anyhow::Result<i64> {
    if since.is_none() {
        return Ok(0);
    }
    let filter = LogFilter { thread_id: thread.cloned(), since, ..LogFilter::default() };
    let mut page = api::PageQuery { after: 0, limit: 1 };
    loop {
        let found = gate.events(&filter, page).await?;
        match (found.events.first(), found.next) {
            (Some(event), _) => return Ok(event.seq - 1),
            (None, Some(next)) => page.after = next,
            (None, None) => return Ok(found.tip),
        }
    }
}
