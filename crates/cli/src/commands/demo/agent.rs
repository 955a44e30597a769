//! The demo's agent. It proposes, waits, claims, runs and reports as any executor does.

use super::{script::DemoStep, story, tools};
use countersign_api::{self as api, GateError, SharedGate, random_id};
use countersign_console::print_line;
use countersign_events::{CallId, CallState, ThreadId};
use countersign_store::Clock;
use futures_util::future::try_join_all;
use std::{path::PathBuf, time::Duration};
use tokio_util::sync::CancellationToken;

/// The delay between lists of calls, so that a person can see them arrive.
const APART: Duration = Duration::from_millis(700);

/// The lease in seconds.
const LEASE: u32 = 60;

pub(crate) struct DemoAgent {
    pub(crate) gate: SharedGate,
    pub(crate) thread: ThreadId,
    pub(crate) desk: PathBuf,
    /// Whether each step is printed.
    pub(crate) tells: bool,
    /// Cancelled when the person leaves the demo.
    pub(crate) stop: CancellationToken,
}

impl DemoAgent {
    /// Runs all lists of steps concurrently.
    pub(crate) async fn run_lists(&self, steps: &[DemoStep]) -> Result<(), GateError> {
        let lists = steps.chunk_by(|step, next| step.list == next.list);
        let run = async |(list, index)| {
            tokio::select! {
                () = Clock::System.sleep(APART * index) => self.run_steps(list, None).await,
                () = self.stop.cancelled() => Ok(()),
            }
        };
        try_join_all(lists.zip(0_u32..).map(run)).await.map(drop)
    }

    /// Runs the steps one after the other. `person` answers as the script says.
    pub(crate) async fn run_steps(
        &self,
        steps: &[DemoStep],
        person: Option<&SharedGate>,
    ) -> Result<(), GateError> {
        for step in steps {
            if self.stop.is_cancelled() {
                break;
            }
            let call = self.gate.propose(&self.thread, &step.call).await?;
            self.tell(&story::describe_proposal(&call));
            match (person.filter(|_| call.is_pending()), &step.answer) {
                (Some(person), Some(answer)) => {
                    person.decide(&self.thread, &call.id, answer).await?;
                }
                (Some(_), None) => self.tell("  no answer …"),
                (None, _) => {}
            }
            let call = Box::pin(self.finish(&call.id)).await?;
            self.tell(&story::describe_outcome(&call));
        }
        Ok(())
    }

    fn tell(&self, text: &str) {
        if self.tells {
            print_line(text);
        }
    }

    /// Waits for the decision, runs an allowed call, and records the result.
    async fn finish(&self, id: &CallId) -> Result<api::Call, GateError> {
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
        let lease_seconds = Some(LEASE);
        let claim = api::ClaimRequest { lease_seconds, ..api::ClaimRequest::for_call(&call, &executor) };
        let claimed = self.gate.claim(&self.thread, id, &claim).await?;
        let (status, content) = tools::run(&self.desk, &claimed).await;
        let executor = Some(executor);
        let finish = api::ResultRequest { status, content, executor, ran_arguments: None };
        self.gate.finish(&self.thread, id, &finish).await
    }
}
