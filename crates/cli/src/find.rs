//! Finding the call that an id, or the beginning of one, means.

use crate::{
    args::Which,
    exit::{Exit, Said},
    output::visible,
};
use countersign_gate::{EventType, Filter, Gate, ThreadId, api};

/// How many of the last events are searched for a call that does not wait any more.
const RECENT: i64 = 20_000;

/// The `seq` of the last event of the log.
pub(crate) async fn tip(gate: &Gate) -> Result<i64, countersign_gate::Error> {
    match gate.tip(None).await {
        // Over a server; over a file that is not asked, because it tries whether the file can be written.
        Err(countersign_gate::Error::OnlyOverAFile) => gate.ready().await.map(|ready| ready.events),
        tip => tip,
    }
}

/// All that waits for people, in `thread` or everywhere.
pub(crate) async fn all_pending(gate: &Gate, thread: Option<&ThreadId>) -> anyhow::Result<Vec<api::Call>> {
    pending_of(gate, &Filter { thread_id: thread.cloned(), ..Filter::default() }).await
}

/// All that waits for people and meets the filter.
pub(crate) async fn pending_of(gate: &Gate, filter: &Filter) -> anyhow::Result<Vec<api::Call>> {
    let mut calls = Vec::new();
    let mut page = api::PageOf { after: 0, limit: api::MAX_PAGE };
    loop {
        let found = gate.pending(filter, page).await?;
        calls.extend(found.pending);
        match found.next {
            Some(next) => page.after = next,
            None => return Ok(calls),
        }
    }
}

/// The one call that is meant: one that waits if there is any, or one of the last.
pub(crate) async fn find(gate: &Gate, which: &Which) -> anyhow::Result<api::Call> {
    if which.id.is_empty() {
        return Err(Said::usage("the id is empty, and would be the beginning of every call's").into());
    }
    let thread = which.thread.as_deref().map(countersign_gate::name).transpose()?;
    if let Some(thread) = &thread
        && let Ok(id) = countersign_gate::call_id(&which.id)
        && let Ok(call) = gate.call(thread, &id).await
    {
        return Ok(call);
    }
    let pending = all_pending(gate, thread.as_ref()).await?;
    let begins = |call: &api::Call| call.id.as_str().starts_with(&which.id);
    let waiting: Vec<_> = pending.into_iter().filter(begins).collect();
    match one_of(waiting, &which.id)? {
        Some(call) => Ok(call),
        None => find_ended(gate, thread.as_ref(), &which.id).await,
    }
}

async fn find_ended(gate: &Gate, thread: Option<&ThreadId>, id: &str) -> anyhow::Result<api::Call> {
    let filter = Filter { thread_id: thread.cloned(), types: vec![EventType::ToolCall], ..Filter::default() };
    let tip = tip(gate).await?;
    let mut page = api::PageOf { after: (tip - RECENT).max(0), limit: api::MAX_PAGE };
    let mut found = Vec::new();
    loop {
        let events = gate.events(&filter, page).await?;
        for event in &events.events {
            let named: Named = event.data.read()?;
            if named.id.starts_with(id) {
                found.push(gate.call(&event.thread_id, &countersign_gate::call_id(&named.id)?).await?);
            }
        }
        match events.next {
            Some(next) => page.after = next,
            None => break,
        }
    }
    one_of(found, id)?.ok_or_else(|| {
        let shown = visible(id);
        Said::no_such_call(format!("no call begins with {shown:?}; --thread finds old ones")).into()
    })
}

#[derive(serde::Deserialize)]
struct Named {
    id: String,
}

/// The only one, or the only one of just that id.
fn one_of(mut calls: Vec<api::Call>, id: &str) -> anyhow::Result<Option<api::Call>> {
    if calls.iter().any(|call| call.id.as_str() == id) {
        calls.retain(|call| call.id.as_str() == id);
    }
    if calls.len() <= 1 {
        return Ok(calls.pop());
    }
    let names: Vec<_> = calls
        .iter()
        .take(10)
        .map(|call| format!("  {} --thread {}", visible(call.id.as_str()), visible(call.thread_id.as_str())))
        .collect();
    let message =
        format!("{} calls begin with {:?}; say which:\n{}", calls.len(), visible(id), names.join("\n"));
    Err(Said { exit: Exit::NO_SUCH_CALL, code: "several_calls", message }.into())
}
