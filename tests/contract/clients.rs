//! A whole call over the Rust client, which has no operation for it: the steps are those that `README.md` names.

use crate::{fields::StepFields, outcome::StoryOutcome};
use countersign_api::{
    self as api, Call, ErrorCode, GateError, ProposeRequest, ResultRequest, SharedGate, ThreadId,
    held_claim::HeldClaim,
};
use countersign_client::HttpGate;
use countersign_events::{CallState, Json, Source, Status};
use std::{
    fs::OpenOptions,
    io::Write,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::watch;

/// The gate for an agent or an approver.
pub(crate) fn connect(url: &str, token: &str) -> SharedGate {
    let gate =
        HttpGate::connect(url).and_then(|gate| gate.with_token(token)).expect("an address and a token");
    Arc::new(gate.with_retries())
}

pub(crate) fn thread() -> ThreadId {
    api::parse_thread_id("t").expect("a thread")
}

/// Returns a name that no other executor has.
pub(crate) fn new_executor() -> String {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    format!("rust-{}-{}", std::process::id(), NUMBER.fetch_add(1, Relaxed))
}

/// A tool: it notes each run, and may wait until the story lets it go.
pub(crate) struct StoryTool {
    runs: PathBuf,
    returns: String,
    fails: Option<String>,
    pub(crate) started: watch::Sender<bool>,
    pub(crate) released: watch::Sender<bool>,
}

impl StoryTool {
    pub(crate) fn new(runs: PathBuf, step: &mut StepFields) -> Self {
        let returns = step.find_text("returns").unwrap_or_else(|| r#""done""#.to_owned());
        let released = watch::Sender::new(!step.flag("holds"));
        Self { runs, returns, fails: step.find_text("fails"), started: watch::Sender::new(false), released }
    }

    async fn run(&self, arguments: &Json) -> Result<Json, String> {
        let mut runs = OpenOptions::new().create(true).append(true).open(&self.runs).expect("a file");
        writeln!(runs, "{}", arguments.as_str()).expect("the file is writable");
        self.started.send_replace(true);
        let mut released = self.released.subscribe();
        released.wait_for(|released| *released).await.expect("the tool owns the sender");
        match &self.fails {
            Some(text) => Err(text.clone()),
            None => Ok(Json::parse(&self.returns).expect("JSON")),
        }
    }
}

/// A call to make.
pub(crate) struct ToolCallPlan {
    request: Result<ProposeRequest, GateError>,
    timeout: Option<Duration>,
    withdraw: bool,
    lease_seconds: Option<u32>,
}

impl ToolCallPlan {
    pub(crate) fn new(mut step: StepFields) -> Self {
        let [id, tool, arguments] = ["call", "tool", "arguments"].map(|name| step.text(name));
        let expires_in_seconds = step.find_seconds("expires_in");
        let request = ProposeRequest::new(&id, &tool, &arguments);
        let plan = Self {
            request: request.map(|request| ProposeRequest { expires_in_seconds, ..request }),
            timeout: step.find_number("timeout_ms").map(Duration::from_millis),
            withdraw: step.flag("withdraw"),
            lease_seconds: step.find_seconds("lease_seconds"),
        };
        step.end();
        plan
    }

    /// Makes the call, and returns its outcome.
    pub(crate) async fn make(self, gate: SharedGate, tool: Arc<StoryTool>) -> StoryOutcome {
        Box::pin(self.propose_and_run(gate, &tool))
            .await
            .unwrap_or_else(|error| StoryOutcome::of_error(&error))
    }

    async fn propose_and_run(self, gate: SharedGate, tool: &StoryTool) -> Result<StoryOutcome, GateError> {
        let request = self.request.clone()?;
        let mut call = gate.propose(&thread(), &request).await?;
        if call.is_pending() {
            call = gate.wait(&thread(), &request.id, self.timeout).await?;
        }
        if call.is_pending() && self.withdraw {
            gate.cancel(&thread(), &request.id, &api::CancelRequest::default()).await?;
        }
        if !matches!(call.state, CallState::Allowed | CallState::Unknown) {
            return Ok(outcome_without_run(&call));
        }
        let masked = (!call.redacted.is_empty()).then(|| request.arguments.clone());
        let claim = api::ClaimRequest {
            lease_seconds: self.lease_seconds,
            arguments: masked.clone(),
            ..api::ClaimRequest::for_call(&call, &new_executor())
        };
        match HeldClaim::claim(gate.clone(), &thread(), &request.id, &claim).await {
            Ok(held) => run_claimed(held, masked, tool).await,
            Err(error) if matches!(error.code, ErrorCode::AlreadyClaimed | ErrorCode::NotAllowed) => {
                let call = gate.call(&thread(), &request.id).await?;
                if call.may_run() { Err(error) } else { Ok(outcome_without_run(&call)) }
            }
            Err(error) => Err(error),
        }
    }
}

async fn run_claimed(
    held: HeldClaim,
    masked: Option<Json>,
    tool: &StoryTool,
) -> Result<StoryOutcome, GateError> {
    let arguments = masked.unwrap_or_else(|| held.call().arguments.clone());
    match tool.run(&arguments).await {
        Ok(content) => {
            let result = ResultRequest {
                status: Status::Success,
                content: content.clone(),
                executor: None,
                ran_arguments: None,
            };
            let call = held.finish(&result).await?;
            Ok(StoryOutcome { value: Some(content.as_str().to_owned()), ..StoryOutcome::of_call(&call) })
        }
        Err(text) => {
            held.finish(&ResultRequest::error(&text)).await?;
            Ok(StoryOutcome { tool_error: Some(text), ..StoryOutcome::default() })
        }
    }
}

/// The outcome for a call that does not run now.
fn outcome_without_run(call: &Call) -> StoryOutcome {
    let is_expired = call.response.as_ref().is_some_and(|response| response.source == Source::Expiry);
    let kind = match call.state {
        CallState::Denied if is_expired => "expired",
        CallState::Denied => "denied",
        CallState::Cancelled => "cancelled",
        CallState::Pending => "still_pending",
        CallState::Running => "already_running",
        CallState::Finished => match &call.result {
            Some(result) if result.status == Status::Success => {
                let value = Some(result.content.as_str().to_owned());
                return StoryOutcome { value, ..StoryOutcome::of_call(call) };
            }
            _ => "failed_before",
        },
        _ => "outcome_unknown",
    };
    StoryOutcome::not_run(kind, call)
}
