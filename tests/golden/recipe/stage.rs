//! The log of the story, and short words for what happens to its calls.

use countersign_api::{self as api, ApprovalGate, CallGate, Operation, SendOperation, operations};
use countersign_events::{EventType, Principal};
use countersign_gate::EmbeddedGate;
use countersign_store::{Clock, ManualClock, Store, StoreOptions};
use countersign_tests::{new_gate, run_sqlite3};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;

/// The log of the story, which is a file.
pub(crate) struct GoldenStage {
    pub(super) gate: EmbeddedGate,
    pub(super) clock: Arc<ManualClock>,
    folder: TempDir,
}

/// A call of the story.
pub(crate) struct GoldenCall<'a> {
    stage: &'a GoldenStage,
    pub(super) thread: api::ThreadId,
    pub(super) id: api::CallId,
}

/// Reads a request as a server does. The numbers and the order of the arguments are those of the text.
pub(super) fn read_body<T: DeserializeOwned>(body: &Value) -> T {
    serde_json::from_str(&body.to_string()).unwrap_or_else(|why| panic!("{body}: {why}"))
}

pub(super) fn named(principal: &str) -> Principal {
    principal.parse().expect("a principal")
}

impl GoldenStage {
    pub(super) async fn open(policy: &str) -> Self {
        let (gate, clock, folder) = new_gate(policy).await;
        Self { gate, clock, folder }
    }

    /// Returns a file of the story: `log.db` is the log.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn passes(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Sends an operation, a second after what happened before.
    pub(super) async fn send<O: Operation>(&self, by: &str, operation: O) -> O::Answer {
        self.passes(1);
        let sent = self.gate.acting_as(named(by)).send(operation).await;
        sent.unwrap_or_else(|why| panic!("{} by {by}: {why:?}", O::ROW.id))
    }

    /// Waits until the log has an event of this type.
    pub(super) async fn sees(&self, kind: EventType) {
        let filter = api::LogFilter { types: vec![kind], ..api::LogFilter::default() };
        let seen = self.gate.follow(filter, 0).next().await;
        seen.expect("the log continues").expect("the log reads");
    }

    pub(super) async fn runs_sql(&self, sql: &str) -> String {
        run_sqlite3(&self.file("log.db"), sql).await.expect("the shell runs it")
    }

    pub(super) async fn gate_is_closed(&self) {
        self.gate.shut_down().await;
    }

    /// Opens the log again, as a store alone.
    pub(super) async fn open_store(&self) -> Store {
        let options =
            StoreOptions { clock: Clock::Manual(Arc::clone(&self.clock)), ..StoreOptions::default() };
        Store::open(self.file("log.db"), options).await.expect("the log opens")
    }

    pub(super) fn call(&self, thread: &str, id: &str) -> GoldenCall<'_> {
        let (thread, id) = (api::parse_thread_id(thread), api::parse_call_id(id));
        GoldenCall { stage: self, thread: thread.expect("valid"), id: id.expect("valid") }
    }
}

impl GoldenCall<'_> {
    /// Proposes the call with everything that the request says beside its id.
    pub(super) async fn proposes(&self, mut request: Value) -> api::Call {
        request["id"] = json!(self.id);
        let operation = operations::ProposeCall { thread: self.thread.clone(), body: read_body(&request) };
        self.stage.send("agent:bot", operation).await
    }

    /// Proposes a shell command, which people are asked about.
    pub(super) async fn asks(&self, command: &str) -> api::Call {
        self.proposes(json!({"name": "bash", "arguments": {"command": command}})).await
    }

    pub(super) async fn decides(&self, by: &str, decision: Value) -> api::Call {
        let (thread, id) = (self.thread.clone(), self.id.clone());
        self.stage.send(by, operations::DecideCall { thread, id, body: read_body(&decision) }).await
    }

    pub(super) async fn allows(&self) -> api::Call {
        self.decides("user:ada", json!({"decision": "allow_once"})).await
    }

    /// Claims the call for an executor whose lease lasts this many seconds.
    pub(super) async fn claims(&self, lease_seconds: u32) -> api::Call {
        let call = self.stage.gate.call(&self.thread, &self.id).await.expect("the call exists");
        let body = api::ClaimRequest {
            lease_seconds: Some(lease_seconds),
            ..api::ClaimRequest::for_call(&call, "worker-1")
        };
        let (thread, id) = (self.thread.clone(), self.id.clone());
        self.stage.send("agent:bot", operations::ClaimCall { thread, id, body }).await
    }

    pub(super) async fn finishes(&self, mut result: Value) -> api::Call {
        result["executor"] = json!("worker-1");
        let (thread, id) = (self.thread.clone(), self.id.clone());
        self.stage.send("agent:bot", operations::FinishCall { thread, id, body: read_body(&result) }).await
    }

    /// Runs the allowed call to its end.
    pub(super) async fn runs(&self) -> api::Call {
        self.claims(60).await;
        self.finishes(json!({"status": "success", "content": "done"})).await
    }

    /// Waits until the call is decided.
    pub(super) async fn is_decided(&self) -> api::Call {
        let decided = self.stage.gate.wait(&self.thread, &self.id, None).await;
        decided.expect("the call is decided")
    }
}
