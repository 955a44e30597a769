//! Finding the call that an id, or the beginning of one, means.

use crate::target::Gate;
use crate::{
    args::Which,
    exit::{Exit, Said},
    output::visible,
};
use countersign_api::{self as api, LogFilter};
use countersign_gate::{CallId, EventType, ThreadId};
use std::collections::HashSet;

/// How many of the last events are searched for a call that does not wait any more.
const RECENT: i64 = 20_000;

/// All that waits for people, in `thread` or everywhere.
pub(crate) async fn all_pending(gate: &Gate, thread: Option<&ThreadId>) -> anyhow::Result<Vec<api::Call>> {
    pending_of(gate, &LogFilter { thread_id: thread.cloned(), ..LogFilter::default() }).await
}

/// All that waits for people and meets the filter.
pub(crate) async fn pending_of(gate: &Gate, filter: &LogFilter) -> anyhow::Result<Vec<api::Call>> {
    let mut calls = Vec::new();
    let mut page = api::PageQuery { after: 0, limit: api::MAX_PAGE };
    loop {
        let found = gate.pending(filter, page).await?;
        calls.extend(found.pending);
        match found.next {
            Some(next) => page.after = next,
            None => return Ok(calls),
        }
    }
}

/// A call's name: its id means something in its thread alone.
type Key = (ThreadId, CallId);

/// The one call that is meant. One of just that id, whether it waits or was decided a moment ago, is meant
/// rather than any whose id only begins so: else a slow reader would decide a call they never saw. After
/// that, one that waits is meant rather than one of the last.
pub(crate) async fn find(gate: &Gate, which: &Which) -> anyhow::Result<api::Call> {
    let id = which.id.as_str();
    if id.is_empty() {
        return Err(Said::usage("the id is empty, and would be the beginning of every call's").into());
    }
    let thread = which.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    if let Some(thread) = &thread
        && let Ok(id) = countersign_api::parse_call_id(id)
    {
        match gate.call(thread, &id).await {
            Err(error) if error.code() == "unknown_call" => {}
            found => return Ok(found?),
        }
    }
    let pending = all_pending(gate, thread.as_ref()).await?;
    let begin = pending.iter().filter(|call| call.id.as_str().starts_with(id));
    let waiting: Vec<_> = begin.map(|call| (call.thread_id.clone(), call.id.clone())).collect();
    let mut meant = only_just(waiting.clone(), id);
    if meant.is_empty() {
        let recent = recent(gate, thread.as_ref(), id).await?;
        let choices = [only_just(recent.clone(), id), waiting.clone(), recent];
        meant = choices.into_iter().find(|calls| !calls.is_empty()).unwrap_or_default();
    }
    let waits = !meant.is_empty() && meant.iter().all(|call| waiting.contains(call));
    let (thread, id) = one_of(meant, id, waits)?;
    match pending.into_iter().find(|call| call.thread_id == thread && call.id == id) {
        Some(call) => Ok(call),
        None => Ok(gate.call(&thread, &id).await?),
    }
}

/// The calls that were proposed or decided of late and whose id begins so.
async fn recent(gate: &Gate, thread: Option<&ThreadId>, id: &str) -> anyhow::Result<Vec<Key>> {
    let types = vec![EventType::ToolCall, EventType::ApprovalResponse];
    let filter = LogFilter { thread_id: thread.cloned(), types, ..LogFilter::default() };
    let tip = gate.tip(None).await?;
    let mut page = api::PageQuery { after: (tip - RECENT).max(0), limit: api::MAX_PAGE };
    let mut found = Vec::new();
    loop {
        let events = gate.events(&filter, page).await?;
        for event in &events.events {
            let named: Named = event.data.read()?;
            if named.id.starts_with(id) {
                found.push((event.thread_id.clone(), countersign_api::parse_call_id(&named.id)?));
            }
        }
        match events.next {
            Some(next) => page.after = next,
            None => break,
        }
    }
    let mut seen = HashSet::new();
    found.retain(|call| seen.insert(call.clone()));
    Ok(found)
}

#[derive(serde::Deserialize)]
struct Named {
    #[serde(alias = "toolCallId")]
    id: String,
}

/// Those of just that id.
fn only_just(mut calls: Vec<Key>, id: &str) -> Vec<Key> {
    calls.retain(|(_, found)| found.as_str() == id);
    calls
}

/// The only one. Where several wait, what does not is not counted.
fn one_of(mut calls: Vec<Key>, id: &str, waiting: bool) -> anyhow::Result<Key> {
    if calls.len() > 1 {
        let names: Vec<_> = calls
            .iter()
            .take(10)
            .map(|(thread, id)| format!("  {} --thread {}", visible(id.as_str()), visible(thread.as_str())))
            .collect();
        let kind = if waiting { "calls that wait" } else { "calls" };
        let message =
            format!("{} {kind} begin with {:?}; say which:\n{}", calls.len(), visible(id), names.join("\n"));
        return Err(Said { exit: Exit::NO_SUCH_CALL, code: "several_calls", message }.into());
    }
    calls.pop().ok_or_else(|| {
        let shown = visible(id);
        Said::no_such_call(format!("no call begins with {shown:?}; --thread finds old ones")).into()
    })
}
