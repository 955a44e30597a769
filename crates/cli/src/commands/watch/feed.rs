//! What the log tells the inbox: first all that waits, then whatever happens. The cursor is taken before
//! the list is loaded, so nothing falls in between; and after every loss both are done again.

use super::inbox::{Key, News, NotDecided, Sent, Verdict};
use crate::output::visible;
use crate::target::Gate;
use countersign_api::{self as api, ErrorCode, GateError, LogFilter};
use countersign_gate::{
    CallId, Clock, Event, EventType, Principal, ThreadId, ToolName,
    event::{Body, Decision, Source},
};
use futures_util::StreamExt;
use std::{sync::Arc, time::Duration};
use tokio::sync::{Notify, mpsc};

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    pub(super) thread: Option<ThreadId>,
    pub(super) tool: Option<ToolName>,
}

impl Wanted {
    /// What waits, and is wanted.
    fn filter(&self) -> LogFilter {
        LogFilter { thread_id: self.thread.clone(), tool: self.tool.clone(), ..LogFilter::default() }
    }

    /// What opens a question, what happens to it, and what closes it.
    fn turns(&self) -> LogFilter {
        let types = vec![
            EventType::ApprovalRequest,
            EventType::ApprovalVote,
            EventType::ApprovalReminder,
            EventType::ApprovalEscalated,
            EventType::ApprovalResponse,
        ];
        LogFilter { types, ..self.filter() }
    }
}

/// How often a log that says nothing is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(2);

/// How long it may take to answer before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before a lost log is tried again.
const PAUSE: Duration = Duration::from_millis(500);

pub(super) struct Feed {
    gate: Gate,
    wanted: Wanted,
    /// The last event that was seen.
    cursor: i64,
    /// The last question that was seen.
    asked: i64,
}

impl Feed {
    /// Takes up the log where it stands, and gives all that waits.
    pub(super) async fn start(gate: Gate, wanted: Wanted) -> Result<(Self, Vec<api::Call>), GateError> {
        let cursor = gate.tip(None).await?;
        let mut feed = Self { gate, wanted, cursor, asked: 0 };
        let calls = feed.load().await?;
        Ok((feed, calls))
    }

    /// Tells of everything, for as long as anybody listens.
    pub(super) async fn run(mut self, news: mpsc::Sender<News>, reload: Arc<Notify>) {
        loop {
            let Err(error) = self.follow(&news, &reload).await else { return };
            if news.send(News::Lost(reason(&error))).await.is_err() {
                return;
            }
            let calls = loop {
                Clock::System.sleep(PAUSE).await;
                self.asked = 0;
                if let Ok(calls) = in_time(self.load()).await {
                    break calls;
                }
            };
            if news.send(News::Loaded(calls)).await.is_err() {
                return;
            }
        }
    }

    /// Ends well when nobody listens any more.
    async fn follow(&mut self, news: &mpsc::Sender<News>, reload: &Notify) -> Result<(), GateError> {
        let mut events = self.gate.follow(self.wanted.turns(), self.cursor);
        loop {
            let told = tokio::select! {
                event = events.next() => match event {
                    Some(event) => self.told(event?.as_ref()).await?,
                    None => return Err(GateError::new(ErrorCode::ShuttingDown, "the log was closed")),
                },
                () = reload.notified() => {
                    self.asked = 0;
                    Some(News::Loaded(in_time(self.load()).await?))
                }
                () = Clock::System.sleep(HEARTBEAT) => {
                    let new = in_time(self.load()).await?;
                    (!new.is_empty()).then_some(News::Arrived(new))
                }
                () = news.closed() => return Ok(()),
            };
            if let Some(told) = told
                && news.send(told).await.is_err()
            {
                return Ok(());
            }
        }
    }

    async fn told(&mut self, event: &Event) -> Result<Option<News>, GateError> {
        self.cursor = event.seq;
        if event.kind == EventType::ApprovalRequest && event.seq > self.asked {
            // One look brings all questions of a burst.
            let new = in_time(self.load()).await?;
            return Ok((!new.is_empty()).then_some(News::Arrived(new)));
        }
        match still_waits(event) {
            Some((id, aloud)) => {
                let call = in_time(self.gate.call(&event.thread_id, &id)).await?;
                Ok(Some(News::Changed(Box::new(call), aloud)))
            }
            None => Ok(decided(event)),
        }
    }

    /// What has come to wait since the last look.
    async fn load(&mut self) -> Result<Vec<api::Call>, GateError> {
        let mut calls = Vec::new();
        loop {
            let page = api::PageQuery { after: self.asked, limit: api::MAX_PAGE };
            let found = self.gate.pending(&self.wanted.filter(), page).await?;
            let last =
                found.pending.iter().filter_map(|call| call.request.as_ref()).map(|request| request.seq);
            self.asked = last.chain(found.next).max().unwrap_or(self.asked).max(self.asked);
            calls.extend(found.pending);
            if found.next.is_none() {
                return Ok(calls);
            }
        }
    }
}

/// A server that takes the question and never answers is as lost as one that does not take it.
async fn in_time<T>(answer: impl Future<Output = Result<T, GateError>>) -> Result<T, GateError> {
    tokio::select! {
        answer = answer => answer,
        () = Clock::System.sleep(PATIENCE) => {
            Err(GateError::new(ErrorCode::Unreachable, "no answer from the log: it takes too long"))
        }
    }
}

/// The call about which something is new though it still waits, and whether people are to be told aloud.
fn still_waits(event: &Event) -> Option<(CallId, bool)> {
    match Body::read(event.seq, event.kind, &event.data).ok()? {
        Body::ApprovalVote(vote) => Some((vote.tool_call_id, false)),
        Body::ApprovalReminder(reminder) => Some((reminder.tool_call_id, true)),
        Body::ApprovalEscalated(escalated) => Some((escalated.tool_call_id, true)),
        _ => None,
    }
}

/// What was decided, if the event says that.
fn decided(event: &Event) -> Option<News> {
    let Ok(Body::ApprovalResponse(response)) = Body::read(event.seq, event.kind, &event.data) else {
        return None;
    };
    let verdict = verdict(response.decision, response.source, &event.principal);
    Some(News::Decided((event.thread_id.clone(), response.tool_call_id), verdict))
}

fn verdict(decision: Decision, source: Source, by: &Principal) -> Verdict {
    let who = visible(by.as_str());
    let text = match (source, decision) {
        (Source::Expiry, Decision::AllowOnce) => "allowed, because nobody answered in time".to_owned(),
        (Source::Expiry, _) => "denied, because nobody answered in time".to_owned(),
        (Source::Cancellation, _) => format!("cancelled by {who}"),
        (_, Decision::Deny) => format!("denied by {who}"),
        (_, Decision::AllowSession) => format!("allowed for the session by {who}"),
        (_, Decision::AllowOnce) => format!("allowed by {who}"),
        (_, Decision::Other) => format!("decided by {who}"),
    };
    Verdict { text, by: by.clone() }
}

/// Sends a decision, once, and says what came of it.
pub(super) async fn decide(gate: &Gate, sent: &Sent) -> Result<Box<api::Call>, NotDecided> {
    let (thread, id): &Key = &sent.key;
    let decide = api::DecisionRequest {
        decision: sent.decision,
        comment: sent.comment.clone(),
        arguments: sent.arguments.clone(),
        arguments_hash: Some(sent.about),
        matches: sent.matches.clone(),
        level: sent.level.clone(),
    };
    match in_time(gate.decide(thread, id, &decide)).await {
        Ok(call) => Ok(Box::new(call)),
        Err(error) => Err(match &error.facts.response {
            Some(first) => {
                let gone = verdict(first.decision, first.source, &first.principal);
                let why = format!("Nothing changed: {} was {} before you.", visible(id.as_str()), gone.text);
                NotDecided { why, gone: Some(gone) }
            }
            None if error.is_transient() => {
                let why = format!(
                    "Whether it arrived is not known: {}. If it still waits, decide again.",
                    reason(&error)
                );
                NotDecided { why, gone: None }
            }
            None => {
                let why = format!("Nothing changed: {}.", visible(&error.to_string()));
                NotDecided { why, gone: None }
            }
        }),
    }
}

/// What went wrong, without the advice for those who type commands.
pub(super) fn reason(error: &GateError) -> String {
    let text = error.to_string();
    visible(text.split(';').next().unwrap_or_default())
}
