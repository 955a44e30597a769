//! Finding a call by its id or the beginning of its id.

use crate::pages::read_pages;
use countersign_api::{self as api, LogFilter, SharedGate};
use countersign_console::{CliError, CommandExit, escape_text};
use countersign_events::{CallId, EventType, ThreadId};
use std::collections::HashSet;

/// The number of recent events that are searched for decided calls.
const RECENT: i64 = 20_000;

/// All pending calls of a thread, or of all threads.
pub(crate) async fn read_pending_of_thread(
    gate: &SharedGate,
    thread: Option<&ThreadId>,
) -> anyhow::Result<Vec<api::Call>> {
    read_pending(gate, &LogFilter { thread_id: thread.cloned(), ..LogFilter::default() }).await
}

/// All pending calls that the filter selects.
pub(crate) async fn read_pending(gate: &SharedGate, filter: &LogFilter) -> anyhow::Result<Vec<api::Call>> {
    let mut calls = Vec::new();
    read_pages(0, async |page| {
        let found = gate.pending(filter, page).await?;
        calls.extend(found.pending);
        Ok(found.next)
    })
    .await?;
    Ok(calls)
}

/// The thread and the id, which together identify a call.
type CallAddress = (ThreadId, CallId);

/// A call, named by its id or the beginning of its id.
#[derive(Debug, clap::Args)]
pub(crate) struct CallSelector {
    /// The id of the call, or its beginning
    pub(crate) id: String,
    /// Its thread, if the id exists in several threads
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
}

/// Finds one call. An exact id comes before an id prefix, even if that call is already decided, because a
/// slow reader would otherwise decide a call that they never saw. Then a pending call comes before a decided one.
pub(crate) async fn find_call(gate: &SharedGate, which: &CallSelector) -> anyhow::Result<api::Call> {
    let id = which.id.as_str();
    if id.is_empty() {
        return Err(CliError::usage("the id must not be empty").into());
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
    let pending = read_pending_of_thread(gate, thread.as_ref()).await?;
    let begin = pending.iter().filter(|call| call.id.as_str().starts_with(id));
    let waiting: Vec<_> = begin.map(|call| (call.thread_id.clone(), call.id.clone())).collect();
    let mut meant = with_exact_id(waiting.clone(), id);
    if meant.is_empty() {
        let recent = recent(gate, thread.as_ref(), id).await?;
        let choices = [with_exact_id(recent.clone(), id), waiting.clone(), recent];
        meant = choices.into_iter().find(|calls| !calls.is_empty()).unwrap_or_default();
    }
    let waits = !meant.is_empty() && meant.iter().all(|call| waiting.contains(call));
    let (thread, id) = select_one(meant, id, waits)?;
    match pending.into_iter().find(|call| call.thread_id == thread && call.id == id) {
        Some(call) => Ok(call),
        None => Ok(gate.call(&thread, &id).await?),
    }
}

/// Recently proposed or decided calls whose id starts with `id`.
async fn recent(gate: &SharedGate, thread: Option<&ThreadId>, id: &str) -> anyhow::Result<Vec<CallAddress>> {
    let types = vec![EventType::ToolCall, EventType::ApprovalResponse];
    let filter = LogFilter { thread_id: thread.cloned(), types, ..LogFilter::default() };
    let tip = gate.tip(None).await?;
    let mut found = Vec::new();
    read_pages((tip - RECENT).max(0), async |page| {
        let events = gate.events(&filter, page).await?;
        for event in &events.events {
            let named: NamedCall = event.data.read()?;
            if named.id.starts_with(id) {
                found.push((event.thread_id.clone(), countersign_api::parse_call_id(&named.id)?));
            }
        }
        Ok(events.next)
    })
    .await?;
    let mut seen = HashSet::new();
    found.retain(|call| seen.insert(call.clone()));
    Ok(found)
}

#[derive(serde::Deserialize)]
struct NamedCall {
    #[serde(alias = "toolCallId")]
    id: String,
}

/// The calls with exactly this id.
fn with_exact_id(mut calls: Vec<CallAddress>, id: &str) -> Vec<CallAddress> {
    calls.retain(|(_, found)| found.as_str() == id);
    calls
}

/// The only call of the list. More than one is an error.
fn select_one(mut calls: Vec<CallAddress>, id: &str, waiting: bool) -> anyhow::Result<CallAddress> {
    if calls.len() > 1 {
        let names: Vec<_> = calls
            .iter()
            .take(10)
            .map(|(thread, id)| {
                format!("  {} --thread {}", escape_text(id.as_str()), escape_text(thread.as_str()))
            })
            .collect();
        let kind = if waiting { "pending calls" } else { "calls" };
        let message = format!(
            "{} {kind} begin with {:?}; choose one of:\n{}",
            calls.len(),
            escape_text(id),
            names.join("\n")
        );
        return Err(CliError { exit: CommandExit::NO_SUCH_CALL, code: "several_calls", message }.into());
    }
    calls.pop().ok_or_else(|| {
        let shown = escape_text(id);
        CliError::no_such_call(format!(
            "no recent call has an id that begins with {shown:?}; add --thread to find older calls"
        ))
        .into()
    })
}
