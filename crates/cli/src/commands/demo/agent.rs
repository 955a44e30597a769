//! The agent of the demo. It proposes, waits, claims, runs and reports as any executor does.

use super::tools;
use crate::commands::demo::script::{ScriptStep, THREAD};
use countersign_api as api;
use countersign_api::{GateError, SharedGate, random_id};
use countersign_gate::{CallId, CallState, Clock, ThreadId};
use std::{path::PathBuf, time::Duration};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The delay between calls, so that a person can see them arrive.
const APART: Duration = Duration::from_millis(700);

/// The lease in seconds.
const LEASE: u32 = 60;

#[derive(Clone)]
pub(crate) struct DemoAgent {
    pub(crate) gate: SharedGate,
    pub(crate) thread: ThreadId,
    pub(crate) work: PathBuf,
    /// Cancelled when the person leaves the demo.
    pub(crate) stop: CancellationToken,
}

impl DemoAgent {
    pub(crate) fn new(gate: SharedGate, work: PathBuf) -> Result<Self, GateError> {
        let thread = countersign_api::parse_thread_id(THREAD)?;
        Ok(Self { gate, thread, work, stop: CancellationToken::new() })
    }

    /// Runs all lists of steps concurrently.
    pub(crate) async fn ask_for_all(self, script: Vec<Vec<ScriptStep>>) -> Result<(), GateError> {
        let mut lists: JoinSet<Result<(), GateError>> = JoinSet::new();
        for (index, list) in script.into_iter().enumerate() {
            let agent = self.clone();
            let wait = APART * u32::try_from(index).unwrap_or(u32::MAX);
            lists.spawn(async move {
                tokio::select! {
                    () = Clock::System.sleep(wait) => {}
                    () = agent.stop.cancelled() => return Ok(()),
                }
                for step in list {
                    if agent.stop.is_cancelled() {
                        break;
                    }
                    agent.propose(&step).await?;
                    Box::pin(agent.see_through(&step.call.id)).await?;
                }
                Ok(())
            });
        }
        while let Some(done) = lists.join_next().await {
            done.unwrap_or(Ok(()))?;
        }
        Ok(())
    }

    pub(crate) async fn propose(&self, step: &ScriptStep) -> Result<api::Call, GateError> {
        self.gate.propose(&self.thread, &step.call).await
    }

    /// Waits for the decision, runs an allowed call, and records the result.
    pub(crate) async fn see_through(&self, id: &CallId) -> Result<api::Call, GateError> {
        let call = tokio::select! {
            call = self.gate.wait(&self.thread, id, None) => call?,
            () = self.stop.cancelled() => {
                let reason = Some("the demo ended".to_owned());
                return match self.gate.cancel(&self.thread, id, &api::CancelRequest { reason }).await {
                    // The call was decided at the same moment.
                    Err(error) if !error.is_transient() => self.gate.call(&self.thread, id).await,
                    other => other,
                };
            }
        };
        if call.state != CallState::Allowed {
            return Ok(call);
        }
        let executor = random_id("demo-");
        let claim =
            api::ClaimRequest { lease_seconds: Some(LEASE), ..api::ClaimRequest::for_call(&call, &executor) };
        let claimed = self.gate.claim(&self.thread, id, &claim).await?;
        let ran = tools::run(&self.work, &claimed).await;
        let finish = api::ResultRequest {
            status: ran.status,
            content: ran.content,
            executor: Some(executor),
            ran_arguments: None,
        };
        self.gate.finish(&self.thread, id, &finish).await
    }
}
