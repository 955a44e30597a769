//! The events that the inbox receives from the log: first all pending calls, then every change. The cursor is read
//! before the list is loaded, so no event is missed in between. After a lost connection both are read again.

use crate::{
    WatchOptions,
    inbox::message::InboxEvent,
    log_access::{limit_time, short_reason, summarize_decision},
};
use countersign_api::{self as api, ErrorCode, GateError, LogFilter, SharedGate};
use countersign_events::{
    AdvisorMode, Body, CallId, Event, EventType, Principal, Status, ThreadId, ToolName,
};
use countersign_store::Clock;
use futures_util::StreamExt;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc};

/// The calls that the inbox shows.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallFilter {
    pub(crate) thread: Option<ThreadId>,
    pub(crate) tool: Option<ToolName>,
    /// Only calls that one of these principals proposed; empty for all.
    pub(crate) by: Vec<Principal>,
}

impl CallFilter {
    /// The calls that the options name.
    pub(crate) fn from_options(options: &WatchOptions) -> Self {
        Self { thread: options.thread.clone(), tool: options.tool.clone(), by: options.by.clone() }
    }

    /// Selects pending calls.
    fn call_filter(&self) -> LogFilter {
        LogFilter { thread_id: self.thread.clone(), tool: self.tool.clone(), ..LogFilter::default() }
    }

    /// Returns true if one of these principals proposed the call.
    fn includes(&self, call: &api::Call) -> bool {
        self.by.is_empty() || self.by.contains(&call.proposal.principal)
    }

    /// Selects the events that open, change or close a request.
    fn event_filter(&self) -> LogFilter {
        let types = vec![
            EventType::ApprovalRequest,
            EventType::ApprovalVote,
            EventType::ApprovalReminder,
            EventType::ApprovalEscalated,
            EventType::ApprovalAdvice,
            EventType::ApprovalResponse,
            EventType::ToolResult,
        ];
        LogFilter { types, ..self.call_filter() }
    }
}

/// How often a silent log is read, to find a lost connection.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// The delay before a new attempt to connect.
const RETRY_DELAY: Duration = Duration::from_millis(500);

pub(crate) struct PendingFeed {
    gate: SharedGate,
    calls: CallFilter,
    /// The last event that was read.
    cursor: i64,
    /// The last request that was read.
    asked: i64,
}

impl PendingFeed {
    /// Starts at the log's end, and returns all pending calls.
    pub(crate) async fn start(
        gate: SharedGate,
        calls: CallFilter,
    ) -> Result<(Self, Vec<api::Call>), GateError> {
        let cursor = gate.tip(None).await?;
        let mut feed = Self { gate, calls, cursor, asked: 0 };
        let pending = feed.load().await?;
        Ok((feed, pending))
    }

    /// Sends events until the receiver is dropped.
    pub(crate) async fn run(mut self, news: mpsc::Sender<InboxEvent>, reload: Arc<Notify>) {
        loop {
            let Err(error) = self.follow(&news, &reload).await else { return };
            if news.send(InboxEvent::Lost(short_reason(&error))).await.is_err() {
                return;
            }
            let calls = loop {
                Clock::System.sleep(RETRY_DELAY).await;
                self.asked = 0;
                // The log is another one, or an older copy: its end is the only place to continue from.
                if error.code == ErrorCode::BadCursor {
                    match limit_time(self.gate.tip(None)).await {
                        Ok(tip) => self.cursor = tip,
                        Err(_) => continue,
                    }
                }
                if let Ok(calls) = limit_time(self.load()).await {
                    break calls;
                }
            };
            if news.send(InboxEvent::Loaded(calls)).await.is_err() {
                return;
            }
        }
    }

    /// Returns `Ok` if the receiver was dropped.
    async fn follow(&mut self, news: &mpsc::Sender<InboxEvent>, reload: &Notify) -> Result<(), GateError> {
        let mut events = self.gate.follow(self.calls.event_filter(), self.cursor);
        loop {
            let inbox_event = tokio::select! {
                event = events.next() => match event {
                    Some(event) => self.read_event(event?.as_ref()).await?,
                    None => return Err(GateError::new(ErrorCode::ShuttingDown, "the log was closed")),
                },
                () = reload.notified() => {
                    self.asked = 0;
                    Some(InboxEvent::Loaded(limit_time(self.load()).await?))
                }
                () = Clock::System.sleep(HEARTBEAT) => {
                    let new = limit_time(self.load()).await?;
                    (!new.is_empty()).then_some(InboxEvent::Arrived(new))
                }
                () = news.closed() => return Ok(()),
            };
            if let Some(inbox_event) = inbox_event
                && news.send(inbox_event).await.is_err()
            {
                return Ok(());
            }
        }
    }

    async fn read_event(&mut self, event: &Event) -> Result<Option<InboxEvent>, GateError> {
        self.cursor = event.seq;
        if event.kind == EventType::ApprovalRequest && event.seq > self.asked {
            // One query loads all requests of a burst.
            let new = limit_time(self.load()).await?;
            return Ok((!new.is_empty()).then_some(InboxEvent::Arrived(new)));
        }
        match changed_call(event) {
            Some((id, aloud)) => {
                let call = limit_time(self.gate.call(&event.thread_id, &id)).await?;
                Ok(Some(InboxEvent::Changed(Box::new(call), aloud)))
            }
            None => Ok(decided_call(event)),
        }
    }

    /// Loads the requests after the last one that was read.
    async fn load(&mut self) -> Result<Vec<api::Call>, GateError> {
        let mut calls = Vec::new();
        loop {
            let page = api::PageQuery { after: self.asked, limit: api::MAX_PAGE };
            let found = self.gate.pending(&self.calls.call_filter(), page).await?;
            let last =
                found.pending.iter().filter_map(|call| call.request.as_ref()).map(|request| request.seq);
            self.asked = last.chain(found.next).max().unwrap_or(self.asked).max(self.asked);
            calls.extend(found.pending.into_iter().filter(|call| self.calls.includes(call)));
            if found.next.is_none() {
                return Ok(calls);
            }
        }
    }
}

/// The pending call that the event changes, and whether the bell rings for it.
fn changed_call(event: &Event) -> Option<(CallId, bool)> {
    match Body::read(event.seq, event.kind, &event.data).ok()? {
        Body::ApprovalVote(vote) => Some((vote.tool_call_id, false)),
        // Advice in the mode shadow changes nothing that a person sees.
        Body::ApprovalAdvice(advice) if advice.mode != AdvisorMode::Shadow => {
            Some((advice.tool_call_id, false))
        }
        Body::ApprovalReminder(reminder) => Some((reminder.tool_call_id, true)),
        Body::ApprovalEscalated(escalated) => Some((escalated.tool_call_id, true)),
        _ => None,
    }
}

/// The call whose decision or end the event records.
fn decided_call(event: &Event) -> Option<InboxEvent> {
    match Body::read(event.seq, event.kind, &event.data).ok()? {
        Body::ApprovalResponse(response) => {
            let verdict = summarize_decision(response.decision, response.source, &event.principal);
            Some(InboxEvent::Decided((event.thread_id.clone(), response.tool_call_id), verdict))
        }
        // The verdict already says that a call was denied, expired or cancelled.
        Body::ToolResult(result) if matches!(result.status, Status::Success | Status::Error) => {
            Some(InboxEvent::Ended((event.thread_id.clone(), result.tool_call_id), result.status.as_str()))
        }
        _ => None,
    }
}
