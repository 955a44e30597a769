//! Reads the log's calls with all their events, page by page. It works on every gate, and no page keeps the database
//! waiting.

use countersign_api::{self as api, ApprovalGate, GateError, LogFilter};
use countersign_events::{Event, EventType, ThreadId, Timestamp};
use countersign_replay::{Call, CallAssembler};
use std::time::Duration;

/// The event types of calls. Messages are excluded, because there may be many, and erasures, because they leave nothing to
/// read.
fn call_types() -> Vec<EventType> {
    let is_read = |kind: &EventType| kind.is_about_a_call() && *kind != EventType::CallErased;
    EventType::ALL.iter().copied().filter(is_read).collect()
}

/// Clocks of several processes differ slightly. An event that is much later belongs to a later call.
const CLOCK_DIFFERENCE: Duration = Duration::from_hours(1);

/// How much of a log is read. An analysis keeps it in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// The most events: the last ones of the log.
    pub events: i64,
    /// The most bytes of events.
    pub bytes: usize,
    /// The most unfinished calls in memory. The oldest are returned before their last event.
    pub open_calls: usize,
}

impl ReadLimits {
    /// Everything.
    pub const NONE: Self = Self { events: i64::MAX, bytes: usize::MAX, open_calls: usize::MAX };
    /// What an analysis reads.
    pub const ANALYSIS: Self = Self { events: 200_000, bytes: 64 * 1024 * 1024, open_calls: 10_000 };
}

/// The calls to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallSelection {
    /// Only calls that were proposed from this time on, inclusive.
    pub since: Option<Timestamp>,
    /// Only calls that were proposed before this time, exclusive.
    pub until: Option<Timestamp>,
    /// Only calls of this thread.
    pub thread_id: Option<ThreadId>,
}

/// Reads the selected calls. A call is complete when its last event was read; calls without an end come last.
pub struct CallReader<'a> {
    gate: &'a dyn ApprovalGate,
    filter: LogFilter,
    until: Option<Timestamp>,
    calls: CallAssembler,
    first: i64,
    tip: i64,
    bytes: usize,
    limits: ReadLimits,
    /// Whether the limits have left out selected calls.
    is_cut: bool,
    /// The position after which the next page starts; `None` when all calls were read.
    after: Option<i64>,
}

impl<'a> CallReader<'a> {
    /// Finds the first event of the selection.
    pub async fn open(gate: &'a dyn ApprovalGate, selection: CallSelection) -> Result<Self, GateError> {
        let CallSelection { since, until, thread_id } = selection;
        let tip = gate.tip(None).await?;
        let first = find_beginning(gate, thread_id.as_ref(), since).await?;
        let filter = LogFilter { thread_id, types: call_types(), ..LogFilter::default() };
        let calls = CallAssembler::for_period(since, until);
        Ok(Self {
            gate,
            filter,
            until,
            calls,
            first,
            tip,
            bytes: 0,
            limits: ReadLimits::NONE,
            is_cut: false,
            after: Some(first),
        })
    }

    /// Reads no more than these limits.
    #[must_use]
    pub fn limited(self, limits: ReadLimits) -> Self {
        let start = self.tip.saturating_sub(limits.events);
        let reader = Self { limits, ..self };
        if start > reader.first {
            return Self { first: start, after: Some(start), is_cut: true, ..reader };
        }
        reader
    }

    /// Whether the limits have left out selected calls.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Reads the next calls; `None` after the last. The list may be empty before that.
    pub async fn next_calls(&mut self) -> Result<Option<Vec<Call>>, GateError> {
        let Some(after) = self.after else { return Ok(None) };
        if self.bytes > self.limits.bytes && after < self.tip {
            self.is_cut = true;
            return Ok(None);
        }
        let page = api::PageQuery { after, limit: api::MAX_PAGE };
        let found = self.gate.events(&self.filter, page).await?;
        self.bytes += found.events.iter().map(|event| event.data.as_str().len()).sum::<usize>();
        let mut complete: Vec<_> =
            found.events.iter().filter_map(|event| self.calls.apply_event(event)).collect();
        self.tip = found.tip;
        self.after = found.next.filter(|_| !self.is_past(found.events.last().map(AsRef::as_ref)));
        // To sort them takes time, so many are taken at once.
        if self.calls.open_count() > self.limits.open_calls {
            complete.extend(self.calls.take_oldest_calls(self.limits.open_calls / 2));
        }
        if self.after.is_none() {
            complete.extend(self.calls.take_open_calls());
        }
        Ok(Some(complete))
    }

    /// The last position that was read.
    #[must_use]
    pub fn position(&self) -> i64 {
        self.after.unwrap_or(self.tip)
    }

    /// The position before the first event of the selection.
    #[must_use]
    pub const fn first(&self) -> i64 {
        self.first
    }

    /// The log's last position.
    #[must_use]
    pub const fn tip(&self) -> i64 {
        self.tip
    }

    /// The number of calls that cannot be read.
    #[must_use]
    pub fn damaged_count(&self) -> u64 {
        self.calls.damaged_count()
    }

    /// Returns true if no later event can belong to a call proposed before `until`.
    fn is_past(&self, last: Option<&Event>) -> bool {
        let (Some(last), Some(until)) = (last, self.until) else { return false };
        self.calls.open_count() == 0 && last.timestamp.before(CLOCK_DIFFERENCE) > until
    }
}

/// The position before the first event of the time range.
async fn find_beginning(
    gate: &dyn ApprovalGate,
    thread: Option<&ThreadId>,
    since: Option<Timestamp>,
) -> Result<i64, GateError> {
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
