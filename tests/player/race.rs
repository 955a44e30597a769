//! One of several processes that race for the same calls. Of `n` processes, process `i mod n` proposes call `i`. The
//! next process allows it and the one after that denies it. The other processes and the proposer try to run it under
//! any decision.

use crate::{PlayerError, print_line};
use countersign_api::{self as api, ApprovalGate, CallGate, ErrorCode, GateError, LogFilter, random_id};
use countersign_events::{CallId, Decision, EventType, Principal, ThreadId};
use countersign_gate::EmbeddedGate;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RaceOptions {
    me: usize,
    processes: usize,
    calls: usize,
    /// The number of calls that this process proposes concurrently.
    at_once: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RaceQuestion {
    tool_call_id: CallId,
}

pub(crate) async fn race(gate: &EmbeddedGate, race: &RaceOptions) -> Result<(), PlayerError> {
    let mine = (race.me..race.calls).step_by(race.processes);
    let proposing = stream::iter(mine)
        .map(|number| propose(gate, number))
        .buffer_unordered(race.at_once)
        .try_collect::<()>();
    tokio::try_join!(proposing, answer(gate, race))?;
    Ok(())
}

fn thread(number: usize) -> Result<ThreadId, GateError> {
    countersign_api::parse_thread_id(&format!("thread-{}", number % 32))
}

async fn propose(gate: &EmbeddedGate, number: usize) -> Result<(), PlayerError> {
    let arguments = json!({"command": format!("make race-{number}")}).to_string();
    let propose = api::ProposeRequest::new(&format!("call_{number}"), "bash", &arguments)?;
    gate.propose(&thread(number)?, &propose).await?;
    run(gate, number, &propose.id).await
}

/// Executes this process's part of every call. Ends when it has seen all calls.
async fn answer(gate: &EmbeddedGate, race: &RaceOptions) -> Result<(), PlayerError> {
    let call_ids =
        gate.follow(LogFilter::default(), 0).map_err(PlayerError::from).try_filter_map(async |event| {
            let is_request = event.kind == EventType::ApprovalRequest;
            Ok(if is_request { Some(event.data.read::<RaceQuestion>()?.tool_call_id) } else { None })
        });
    let answers = call_ids.take(race.calls).map(async |id| {
        let id = id?;
        let number: usize = id.as_str().trim_start_matches("call_").parse()?;
        match (race.me + race.processes - number % race.processes) % race.processes {
            0 => Ok(()),
            1 => decide(gate, number, &id, Decision::AllowOnce).await,
            2 => decide(gate, number, &id, Decision::Deny).await,
            _ => run(gate, number, &id).await,
        }
    });
    answers.buffer_unordered(race.at_once * race.processes).try_collect().await
}

async fn decide(
    gate: &EmbeddedGate,
    number: usize,
    id: &CallId,
    decision: Decision,
) -> Result<(), PlayerError> {
    let decision_text = decision.as_str();
    let gate = gate.acting_as(Principal::user(decision_text));
    let decide = api::DecisionRequest::plain(decision);
    match gate.decide(&thread(number)?, id, &decide).await {
        Ok(_) => print_line(&json!({"decides": number, "said": decision_text, "won": decision_text})),
        Err(lost) => {
            let winner =
                lost.facts.response.clone().filter(|_| lost.code == ErrorCode::AlreadyDecided).ok_or(lost)?;
            let (won, by) = (winner.decision.as_str(), winner.principal);
            print_line(&json!({"decides": number, "said": decision_text, "won": won, "by": by}));
        }
    }
    Ok(())
}

/// Tries to run the call, also if it is denied. The gate must let only allowed calls run, and only once.
async fn run(gate: &EmbeddedGate, number: usize, id: &CallId) -> Result<(), PlayerError> {
    let thread = thread(number)?;
    let call = gate.wait(&thread, id, None).await?;
    match gate.claim(&thread, id, &api::ClaimRequest::for_call(&call, &random_id("racer-"))).await {
        Ok(_) => {
            gate.finish(&thread, id, &api::ResultRequest::success("made")).await?;
            print_line(&json!({"runs": number, "told": "go"}));
        }
        Err(refused) if matches!(refused.code(), "already_claimed" | "not_allowed") => {
            print_line(&json!({"runs": number, "told": refused.code()}));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
