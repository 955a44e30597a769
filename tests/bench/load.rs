//! Requests of many clients at once, in cycles of an agent and an approver or alone.

use crate::{
    client::{BenchClient, BenchTarget},
    lab::{self, LabOutcome},
};
use std::sync::Arc;
use tokio::{
    runtime::Builder,
    task::{JoinSet, spawn_blocking},
};

/// The number of requests of a cycle: propose, decide, claim, result.
pub(crate) const REQUESTS: usize = 4;

/// The requests that each client repeats.
#[derive(Clone)]
pub(crate) enum HttpLoad {
    /// Whole cycles. Each client has its own thread of calls, and its first call has this number.
    Cycles { first: usize },
    /// Whole cycles in one thread of calls.
    CyclesInOneThread,
    /// Proposals that follow those cycles in the same thread. They stay pending.
    ProposalsInOneThread { first: usize },
    /// One request, which returns an equal response each time.
    Get(RepeatedGet),
}

/// A request, and the tag on the response that the client has.
#[derive(Clone)]
pub(crate) struct RepeatedGet {
    pub(crate) path: Arc<str>,
    pub(crate) tag: Option<Arc<str>>,
}

/// The number of connections, and of the repetitions over each.
#[derive(Clone, Copy)]
pub(crate) struct LoadSize {
    pub(crate) connections: usize,
    pub(crate) each: usize,
}

impl LoadSize {
    /// Returns the number of cycles, or of requests.
    #[expect(clippy::cast_precision_loss, reason = "thousands")]
    pub(crate) fn units(self) -> f64 {
        (self.connections * self.each) as f64
    }
}

impl HttpLoad {
    /// Runs all clients at once. They share one thread of the operating system, which leaves more processor time to the
    /// server.
    pub(crate) async fn run(&self, target: &BenchTarget, size: LoadSize) -> LabOutcome<()> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (load, target) = (self.clone(), target.clone());
        spawn_blocking(move || runtime.block_on(load.run_clients(&target, size))).await?
    }

    async fn run_clients(self, target: &BenchTarget, size: LoadSize) -> LabOutcome<()> {
        let mut clients = Vec::new();
        for _ in 0..size.connections {
            clients.push(BenchClient::connect(target).await?);
        }
        let mut tasks = JoinSet::new();
        for (n, mut client) in clients.into_iter().enumerate() {
            let load = self.clone();
            tasks.spawn(async move {
                for repetition in 0..size.each {
                    load.run_once(&mut client, n, n * size.each + repetition, repetition).await?;
                }
                LabOutcome::Ok(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        Ok(())
    }

    /// The `repetition` of client `n`, which is number `unit` of all.
    async fn run_once(
        &self,
        client: &mut BenchClient,
        n: usize,
        unit: usize,
        repetition: usize,
    ) -> LabOutcome<()> {
        match self {
            Self::Cycles { first } => cycle(client, n, first + repetition).await,
            Self::CyclesInOneThread => cycle(client, 0, unit).await,
            Self::ProposalsInOneThread { first } => propose(client, 0, first + unit).await,
            Self::Get(RepeatedGet { path, tag: None }) => client.get(path).await.map(|_| ()),
            Self::Get(RepeatedGet { path, tag: Some(tag) }) => {
                client.get_with(path, &[("if-none-match", tag)]).await.map(|_| ())
            }
        }
    }
}

async fn cycle(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    propose(client, thread, call).await?;
    decide(client, thread, call).await?;
    let path = call_path(thread, call);
    let hash = lab::arguments(&lab::call(call)?)?.hash();
    let claim = format!(r#"{{"executor":"worker","argumentsHash":"{hash}"}}"#);
    client.post(&format!("{path}/claim"), claim).await?;
    client.post(&format!("{path}/result"), r#"{"status":"success","content":"ok"}"#.to_owned()).await?;
    Ok(())
}

pub(crate) async fn propose(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    let arguments = lab::json(&lab::call(call)?);
    let body = format!(r#"{{"id":"call_{call}","name":"bash","arguments":{arguments}}}"#);
    client.post(&format!("/v1/threads/thread-{thread}/tool-calls"), body).await?;
    Ok(())
}

pub(crate) async fn decide(client: &mut BenchClient, thread: usize, call: usize) -> LabOutcome<()> {
    let path = format!("/v1/threads/thread-{thread}/approvals/call_{call}");
    client.post(&path, r#"{"decision":"allow_once"}"#.to_owned()).await?;
    Ok(())
}

pub(crate) fn call_path(thread: usize, call: usize) -> String {
    format!("/v1/threads/thread-{thread}/tool-calls/call_{call}")
}
