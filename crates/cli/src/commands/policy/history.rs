//! The calls of the log, whole, one after the other.

use crate::target::Gate;
use crate::{args::Args, filters::Span, progress::Progress, target};
use countersign_api::{self as api, LogFilter};
use countersign_gate::{Event, EventType, ThreadId, Timestamp, replay::Calls};

/// What is told of a call. Messages are not, and there may be many.
const OF_CALLS: &[EventType] = &[
    EventType::ToolCall,
    EventType::ApprovalRequest,
    EventType::ApprovalVote,
    EventType::ApprovalReminder,
    EventType::ApprovalEscalated,
    EventType::ApprovalResponse,
    EventType::ExecutionStarted,
    EventType::ExecutionReleased,
    EventType::ExecutionTakenOver,
    EventType::ToolResult,
];

/// Which calls of the log.
#[derive(Debug, clap::Args)]
pub(super) struct Which {
    #[command(flatten)]
    span: Span,
    /// Only this thread
    #[arg(long, value_name = "T")]
    thread: Option<String>,
}

/// Hands on each call that was proposed in the span, with all that became of it. Gives how many could not be read.
pub(super) async fn each(
    args: &Args,
    which: &Which,
    mut take: impl FnMut(&countersign_gate::replay::Call),
) -> anyhow::Result<u64> {
    let LogFilter { since, until, .. } = which.span.filter()?;
    let thread_id = which.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let gate = target::looking(args).await?;
    let mut page =
        api::PageQuery { after: beginning(&gate, thread_id.as_ref(), since).await?, limit: api::MAX_PAGE };
    let filter = LogFilter { thread_id, types: OF_CALLS.to_vec(), ..LogFilter::default() };
    let mut calls = Calls::between(since, until);
    let mut progress = Progress::of(args, "events");
    let first = page.after;
    loop {
        let found = gate.events(&filter, page).await?;
        for event in &found.events {
            if let Some(call) = calls.take(event) {
                take(&call);
            }
        }
        let Some(next) =
            found.next.filter(|_| !is_past(found.events.last().map(AsRef::as_ref), until, &calls))
        else {
            break;
        };
        page.after = next;
        progress.at(next - first, found.tip - first);
    }
    progress.clear();
    let damaged = calls.damaged();
    calls.rest().iter().for_each(take);
    Ok(damaged)
}

/// Whether nothing more can come of calls that were proposed before `until`.
fn is_past(last: Option<&Event>, until: Option<Timestamp>, calls: &Calls) -> bool {
    let (Some(last), Some(until)) = (last, until) else { return false };
    // Clocks of several processes differ a little; what comes much later was proposed later.
    calls.open() == 0 && last.timestamp.before(SLACK) > until
}

const SLACK: std::time::Duration = std::time::Duration::from_hours(1);

/// Behind which event the span begins.
async fn beginning(gate: &Gate, thread: Option<&ThreadId>, since: Option<Timestamp>) -> anyhow::Result<i64> {
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
