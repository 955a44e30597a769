//! Calls that agents propose and run and people allow, and a record of every step that a server acknowledged.

use countersign_api::{self as api, CallGate, GateError};
use countersign_client::HttpGate;
use countersign_events::{Decision, Event, EventType, Principal, ThreadId, id::CallId};
use countersign_tests::{ProcessWorld, gate_of};
use futures_util::future::join_all;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard},
};

/// A call's steps, as its events.
const STEPS: [EventType; 4] =
    [EventType::ToolCall, EventType::ApprovalResponse, EventType::ExecutionStarted, EventType::ToolResult];

/// The codes with which a server may refuse a step while something is broken.
const TROUBLE: [&str; 4] = ["unreachable", "database_unavailable", "not_ready", "shutting_down"];

/// The codes for a step that was taken before, although its answer was lost.
const TAKEN: [&str; 3] = ["already_decided", "already_finished", "already_claimed"];

/// A test's calls.
#[derive(Default)]
pub(crate) struct FaultTraffic {
    calls: Mutex<TrafficLog>,
}

#[derive(Default)]
struct TrafficLog {
    proposed: BTreeSet<String>,
    acknowledged: HashSet<(String, EventType)>,
    refusals: BTreeMap<String, usize>,
}

impl FaultTraffic {
    fn log(&self) -> MutexGuard<'_, TrafficLog> {
        self.calls.lock().expect("the mutex is not poisoned")
    }

    /// Plays this many calls at each of the servers, at the same time. A call ends at the first refusal.
    pub(crate) async fn play(&self, urls: &[&str], round: usize, calls: usize) {
        let at_server = async |number: usize, url: &str| {
            for call in 0..calls {
                let id = format!("r{round}-s{number}-c{call}");
                self.log().proposed.insert(id.clone());
                if let Err(refused) = self.play_call(url, &id).await {
                    self.note_refusal(&id, &refused);
                }
            }
        };
        join_all(urls.iter().enumerate().map(|(number, url)| at_server(number, url))).await;
    }

    /// Plays all calls to their end, at a server that has no trouble any more.
    pub(crate) async fn finish(&self, url: &str) {
        eprintln!("refused: {:?}", self.take_refusals());
        let proposed = self.log().proposed.clone();
        for id in proposed {
            if let Err(refused) = self.play_call(url, &id).await {
                panic!("{id} cannot be finished: {refused} ({})", refused.code());
            }
        }
    }

    /// Takes all call steps, also those that the log has already.
    async fn play_call(&self, url: &str, id: &str) -> Result<(), GateError> {
        let (bot, ada) = (gate_of(url, &Principal::agent("bot")), gate_of(url, &Principal::user("ada")));
        let thread = ThreadId::new("t").expect("valid");
        let call = self.take_step(&bot, &thread, id, 0).await?;
        for step in 1..STEPS.len() {
            let gate = if step == 1 { &ada } else { &bot };
            self.take_step(gate, &thread, call.as_str(), step).await?;
        }
        Ok(())
    }

    async fn take_step(
        &self,
        gate: &HttpGate,
        thread: &ThreadId,
        id: &str,
        step: usize,
    ) -> Result<CallId, GateError> {
        let call = CallId::new(id).expect("valid");
        let taken = match step {
            0 => {
                let arguments = format!(r#"{{"command":"make {id}"}}"#);
                gate.propose(thread, &api::ProposeRequest::new(id, "bash", &arguments)?).await.map(drop)
            }
            1 => {
                gate.decide(thread, &call, &api::DecisionRequest::plain(Decision::AllowOnce)).await.map(drop)
            }
            2 => {
                let found = gate.call(thread, &call).await?;
                let claim = api::ClaimRequest::for_call(&found, "worker");
                gate.claim(thread, &call, &claim).await.map(drop)
            }
            _ => gate.finish(thread, &call, &api::ResultRequest::success("done")).await.map(drop),
        };
        if let Err(error) = taken
            && !TAKEN.contains(&error.code())
        {
            return Err(error);
        }
        self.log().acknowledged.insert((id.to_owned(), STEPS[step]));
        Ok(call)
    }

    fn note_refusal(&self, id: &str, refused: &GateError) {
        assert!(
            TROUBLE.contains(&refused.code()),
            "{id} was refused for another reason than the trouble: {refused} ({})",
            refused.code()
        );
        let reason = refused.facts.reason.map_or(refused.code(), |reason| reason.as_str());
        *self.log().refusals.entry(reason.to_owned()).or_default() += 1;
    }

    /// The number of refusals with each reason, since the last time.
    pub(crate) fn take_refusals(&self) -> BTreeMap<String, usize> {
        std::mem::take(&mut self.log().refusals)
    }

    /// Checks that the log is intact, that it has each acknowledged step, and no step twice.
    pub(crate) async fn assert_kept(&self, world: &ProcessWorld) {
        let mut found: HashMap<(String, EventType), usize> = HashMap::new();
        for event in world.verified_log().await {
            if let Some(id) = call_of(&event) {
                *found.entry((id, event.kind)).or_default() += 1;
            }
        }
        for step in &self.log().acknowledged {
            assert_eq!(found.get(step), Some(&1), "{step:?} was acknowledged");
        }
        let twice: Vec<_> =
            found.iter().filter(|((_, kind), count)| STEPS.contains(kind) && **count > 1).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}

fn call_of(event: &Arc<Event>) -> Option<String> {
    let data: serde_json::Value = serde_json::from_str(event.data.as_str()).ok()?;
    let id =
        data.get("toolCallId").or_else(|| data.get("id").filter(|_| event.kind == EventType::ToolCall))?;
    Some(id.as_str()?.to_owned())
}
