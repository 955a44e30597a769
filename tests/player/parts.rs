//! The parts of the crash test: proposer, decider, executor and follower. Each may be killed and restarted with
//! the same words; it then resumes where the log says.

use crate::{PlayerError, print_line};
use countersign_api::{self as api, ApprovalGate, LogFilter, random_id};
use countersign_gate::{
    CallState, EmbeddedGate, EventType, Principal, ThreadId, event::Decision, id::CallId,
};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use std::{fs::OpenOptions, io::Write, path::PathBuf};

/// The number of calls that an executor or a proposer handles at once.
const AT_ONCE: usize = 4;

/// `call_0`, `call_1`, … of one thread.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PlayedCalls {
    thread: String,
    count: usize,
    /// After how long undecided calls expire.
    expires_in_seconds: Option<u32>,
    /// The file to which an executor appends one line per run.
    runs: Option<PathBuf>,
}

/// The log of all threads.
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

/// Allows every request in the thread, until all are allowed.
pub(crate) async fn decide(gate: &EmbeddedGate, calls: &PlayedCalls) -> Result<(), PlayerError> {
    let (thread, gate) = (calls.thread()?, gate.acting_as(Principal::user("ada")));
    let decide = api::DecisionRequest::plain(Decision::AllowOnce);
    let asked = gate.follow(LogFilter::of_thread(&thread), 0).map_err(PlayerError::from).try_filter_map(
        async |event| {
            let asked = event.kind == EventType::ApprovalRequest;
            Ok(if asked { Some(event.data.read::<AskedCall>()?.tool_call_id) } else { None })
        },
    );
    let decided = asked.take(calls.count).map(async |id| {
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

/// An agent after a crash: it repeats its proposals, waits, and runs the allowed calls.
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
