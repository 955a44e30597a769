//! The agent of the demo: it proposes, waits, claims, runs and reports, as any executor does.

use super::{
    script::{Step, THREAD},
    tools,
};
use crate::target::Gate;
use countersign_api::{self as api, GateError, random_id};
use countersign_gate::{CallId, Clock, State, ThreadId};
use std::{path::PathBuf, time::Duration};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How far apart the calls arrive, so that somebody can watch them come.
const APART: Duration = Duration::from_millis(700);

/// For how long a call may run before its outcome counts as unknown.
const LEASE: u32 = 60;

#[derive(Clone)]
pub(super) struct Agent {
    pub(super) gate: Gate,
    pub(super) thread: ThreadId,
    pub(super) work: PathBuf,
    /// When the demo is left.
    pub(super) stop: CancellationToken,
}

impl Agent {
    pub(super) fn new(gate: Gate, work: PathBuf) -> Result<Self, GateError> {
        let thread = countersign_api::parse_thread_id(THREAD)?;
        Ok(Self { gate, thread, work, stop: CancellationToken::new() })
    }

    /// Asks for everything, the lists side by side.
    pub(super) async fn ask_for_all(self, script: Vec<Vec<Step>>) -> Result<(), GateError> {
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

    pub(super) async fn propose(&self, step: &Step) -> Result<api::Call, GateError> {
        self.gate.propose(&self.thread, &step.call).await
    }

    /// Waits for the decision, runs what was allowed, and says what came of it.
    pub(super) async fn see_through(&self, id: &CallId) -> Result<api::Call, GateError> {
        let call = tokio::select! {
            call = self.gate.wait(&self.thread, id, None) => call?,
            () = self.stop.cancelled() => {
                let reason = Some("the demo was left".to_owned());
                return match self.gate.cancel(&self.thread, id, &api::CancelRequest { reason }).await {
                    // Refused because it was decided meanwhile: return that decision.
                    Err(error) if !error.is_transient() => self.gate.call(&self.thread, id).await,
                    other => other,
                };
            }
        };
        if call.state != State::Allowed {
            return Ok(call);
        }
        let executor = random_id("demo-");
        let claim =
            api::ClaimRequest { lease_seconds: Some(LEASE), ..api::ClaimRequest::for_call(&call, &executor) };
        let claimed = self.gate.claim(&self.thread, id, &claim).await?;
        let ran = tools::run(&self.work, &claimed).await;
        let finish =
            api::ResultRequest { status: ran.status, content: ran.content, executor: Some(executor) };
        self.gate.finish(&self.thread, id, &finish).await
    }
}
