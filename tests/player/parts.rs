//! Crash test parts: proposer, decider, executor and follower. The test may kill each part and restart it
//! with the same argument. The part then continues from the log's state.

use crate::{PlayerError, print_line};
use countersign_api::{self as api, ApprovalGate, CallGate, LogFilter, random_id};
use countersign_events::{CallState, Decision, EventType, Principal, ThreadId, id::CallId};
use countersign_gate::EmbeddedGate;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use std::{fs::OpenOptions, io::Write, path::PathBuf};

/// The number of calls that an executor or a proposer handles concurrently.
const AT_ONCE: usize = 4;

/// The calls `call_0`, `call_1`, … of one thread.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlayedCalls {
    thread: String,
    count: usize,
    /// The time after which undecided calls expire.
    expires_in_seconds: Option<u32>,
    /// The file to which an executor appends one line per run.
    runs: Option<PathBuf>,
}

/// The log range that a follower reads, over all threads.
#[derive(Deserialize)]
pub(crate) struct FollowOptions {
    after: i64,
    until: i64,
}

impl PlayedCalls {
    fn thread(&self) -> Result<ThreadId, PlayerError> {
        Ok(countersign_api::parse_thread_id(&self.thread)?)
    }

    fn proposal(&self, number: usize) -> Result<api::ProposeRequest, PlayerError> {
        let arguments = json!({"command": format!("make part-{number}"), "cwd": "/"}).to_string();
        let propose = api::ProposeRequest::new(&format!("call_{number}"), "bash", &arguments)?;
        Ok(api::ProposeRequest { expires_in_seconds: self.expires_in_seconds, ..propose })
    }
}

fn acknowledged(kind: EventType, call: &api::Call, seq: i64) {
    print_line(&json!({"event": kind.as_str(), "thread": call.thread_id, "id": call.id, "seq": seq}));
}

pub(crate) async fn propose(gate: &EmbeddedGate, calls: &PlayedCalls) -> Result<(), PlayerError> {
    let thread = calls.thread()?;
    let one = async |number| {
        let call = gate.propose(&thread, &calls.proposal(number)?).await?;
        acknowledged(EventType::ToolCall, &call, call.proposal.seq);
        if let Some(request) = &call.request {
            acknowledged(EventType::ApprovalRequest, &call, request.seq);
        }
        Ok::<_, PlayerError>(())
    };
    stream::iter(0..calls.count).map(one).buffer_unordered(AT_ONCE).try_collect().await
}

/// Allows every request in the thread. Ends when all calls are allowed.
pub(crate) async fn decide(gate: &EmbeddedGate, calls: &PlayedCalls) -> Result<(), PlayerError> {
    let (thread, gate) = (calls.thread()?, gate.acting_as(Principal::user("ada")));
    let decide = api::DecisionRequest::plain(Decision::AllowOnce);
    let call_ids = gate.follow(LogFilter::of_thread(&thread), 0).map_err(PlayerError::from).try_filter_map(
        async |event| {
            let is_request = event.kind == EventType::ApprovalRequest;
            Ok(if is_request { Some(event.data.read::<AskedCall>()?.tool_call_id) } else { None })
        },
    );
    let decided = call_ids.take(calls.count).map(async |id| {
        let call = gate.decide(&thread, &id?, &decide).await?;
        let response = call.response.as_ref().ok_or("decided, and no response")?;
        acknowledged(EventType::ApprovalResponse, &call, response.seq);
        Ok::<_, PlayerError>(())
    });
    decided.buffer_unordered(AT_ONCE).try_collect().await
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskedCall {
    tool_call_id: CallId,
}

/// Proposes the calls, waits for the decisions and runs the allowed calls. After a restart, the proposals are repeated.
pub(crate) async fn execute(gate: &EmbeddedGate, calls: &PlayedCalls) -> Result<(), PlayerError> {
    let thread = calls.thread()?;
    let one = async |number| {
        let id = gate.propose(&thread, &calls.proposal(number)?).await?.id;
        let call = gate.wait(&thread, &id, None).await?;
        if call.state != CallState::Allowed {
            print_line(&json!({"leaves": id, "state": call.state}));
            return Ok(());
        }
        run(gate, calls, &call).await
    };
    stream::iter(0..calls.count).map(one).buffer_unordered(AT_ONCE).try_collect().await
}

async fn run(gate: &EmbeddedGate, calls: &PlayedCalls, call: &api::Call) -> Result<(), PlayerError> {
    let claim = api::ClaimRequest::for_call(call, &random_id("player-"));
    let claimed = gate.claim(&call.thread_id, &call.id, &claim).await?;
    let execution = claimed.execution.as_ref().ok_or("claimed, and no execution")?;
    acknowledged(EventType::ExecutionStarted, &claimed, execution.seq);
    if let Some(runs) = &calls.runs {
        let line = format!("{} {}\n", call.thread_id, call.id);
        OpenOptions::new().append(true).create(true).open(runs)?.write_all(line.as_bytes())?;
    }
    let finished = gate.finish(&call.thread_id, &call.id, &api::ResultRequest::success("made")).await?;
    let result = finished.result.as_ref().ok_or("finished, and no result")?;
    acknowledged(EventType::ToolResult, &finished, result.seq);
    Ok(())
}

pub(crate) async fn follow(gate: &EmbeddedGate, following: &FollowOptions) -> Result<(), PlayerError> {
    let mut events = gate.follow(LogFilter::default(), following.after);
    while let Some(event) = events.try_next().await? {
        print_line(&json!({"saw": event.seq}));
        if event.seq >= following.until {
            break;
        }
    }
    Ok(())
}
