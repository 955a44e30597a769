//! Agents that propose, run, cancel and close threads, and people who decide.

use super::Gate;
use countersign_api::{self as api, GateError, LogFilter, SendOperation, operations};
use countersign_events::{Decision, EventType, ThreadId, ToolName, id::CallId};
use countersign_tests::Random;
use futures_util::{StreamExt, future::join_all};
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// The number of concurrent agents.
const AGENTS: usize = 12;

/// The number of calls of a thread. The last one closes the thread.
const CALLS_PER_THREAD: usize = 40;

pub(crate) struct SoakTraffic {
    gate: Gate,
    calls: usize,
    next: AtomicUsize,
}

impl SoakTraffic {
    pub(crate) fn new(gate: &Gate, calls: usize) -> Self {
        Self { gate: gate.clone(), calls, next: AtomicUsize::new(0) }
    }

    /// Executes the calls up to number `end`.
    pub(crate) async fn play_until(&self, end: usize) {
        let agent = async || {
            while let Ok(n) =
                self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| (n < end).then_some(n + 1))
            {
                match Box::pin(self.play(n)).await {
                    Ok(()) => {}
                    // Another agent has executed the last call of the thread, and has closed it.
                    Err(error) if ["thread_closed", "not_allowed"].contains(&error.code()) => {}
                    Err(error) => panic!("call {n} of {}: {error} ({})", self.calls, error.code()),
                }
            }
        };
        join_all((0..AGENTS).map(|_| agent())).await;
    }

    /// Executes the last call of all, in the thread that tells the readers to end.
    pub(crate) async fn ends(&self) {
        let thread = thread(super::readers::LAST);
        let call = self.propose(&thread, "last", "ls", None).await.expect("proposed");
        self.run(&thread, call).await.expect("run");
    }

    async fn play(&self, n: usize) -> Result<(), GateError> {
        let (thread, id) =
            (thread(&format!("thread-{}", n / CALLS_PER_THREAD)), format!("call_{}", n % CALLS_PER_THREAD));
        match Random::seeded(n as u64).below(20) {
            0 => {
                let call = self.propose(&thread, &id, "bash", None).await?;
                // A person may decide first, or another agent may close the thread, which cancels the call.
                let cancelled = self.gate.cancel(&thread, &call.id, &api::CancelRequest::default()).await;
                cancelled
                    .map(|_| ())
                    .or_else(|e| if e.code() == "already_decided" { Ok(()) } else { Err(e) })?;
            }
            1 => {
                let call = self.propose(&thread, &id, "slow", Some(1)).await?;
                assert!(
                    !self.gate.wait(&thread, &call.id, None).await?.may_run(),
                    "the call is not decided and must not run"
                );
            }
            2 => assert!(
                !self.propose(&thread, &id, "rm", None).await?.may_run(),
                "the policy blocks the call"
            ),
            3..=10 => {
                let call = self.propose(&thread, &id, "ls", None).await?;
                self.run(&thread, call).await?;
            }
            _ => {
                let call = self.propose(&thread, &id, "bash", None).await?;
                let call = self.gate.wait(&thread, &call.id, None).await?;
                if call.may_run() {
                    self.run(&thread, call).await?;
                }
            }
        }
        if n % CALLS_PER_THREAD == CALLS_PER_THREAD - 1 {
            self.gate.send(operations::CloseThread { thread: thread.clone() }).await?;
        }
        Ok(())
    }

    async fn propose(
        &self,
        thread: &ThreadId,
        id: &str,
        tool: &str,
        expires: Option<u32>,
    ) -> Result<api::Call, GateError> {
        let arguments = format!(r#"{{"command":"make {id}","why":"{}"}}"#, "x".repeat(200));
        let call = api::ProposeRequest {
            expires_in_seconds: expires,
            ..api::ProposeRequest::new(id, tool, &arguments)?
        };
        self.gate.propose(thread, &call).await
    }

    async fn run(&self, thread: &ThreadId, call: api::Call) -> Result<(), GateError> {
        self.gate.claim(thread, &call.id, &api::ClaimRequest::for_call(&call, "worker")).await?;
        self.gate.finish(thread, &call.id, &api::ResultRequest::success(&"output ".repeat(30))).await?;
        Ok(())
    }
}

fn thread(name: &str) -> ThreadId {
    ThreadId::new(name).expect("valid")
}

/// Decides on requests for `bash` as the person of this gate. The connection ends after some requests.
pub(crate) async fn decide(gate: Gate, stop: CancellationToken) {
    let filter = LogFilter {
        types: vec![EventType::ApprovalRequest],
        tool: Some(ToolName::new("bash").expect("valid")),
        ..LogFilter::default()
    };
    let mut after = 0;
    loop {
        let mut requests = gate.follow(filter.clone(), after);
        for _ in 0..50 {
            let request = tokio::select! {
                request = requests.next() => request.expect("the stream continues").expect("the read succeeds"),
                () = stop.cancelled() => return,
            };
            after = request.seq;
            answer(&gate, &request.thread_id, &id_of(&request), request.seq).await;
        }
    }
}

async fn answer(gate: &Gate, thread: &ThreadId, id: &CallId, seq: i64) {
    let decide = match seq % 10 {
        0 | 1 => api::DecisionRequest::plain(Decision::Deny),
        2 => api::DecisionRequest::for_session(countersign_events::Json::string("tool")),
        _ => api::DecisionRequest::plain(Decision::AllowOnce),
    };
    match gate.decide(thread, id, &decide).await {
        Err(error) if error.code() != "already_decided" => panic!("{error}"),
        _ => {}
    }
}

fn id_of(event: &countersign_events::Event) -> CallId {
    let data: serde_json::Value = serde_json::from_str(event.data.as_str()).expect("JSON");
    CallId::new(data["toolCallId"].as_str().expect("an id")).expect("valid")
}
