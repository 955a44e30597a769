//! One call of a tool, from the client's request to its answer.

use crate::{
    ClientFrame, ToolCallFrame,
    answer_text::{BAD_STATE, error_result, refusal_text, started_text},
    call_slot::{CallSlot, ExecutionOutcome},
    call_table::{MAX_ROUNDS, OpenedCall, ProposedContent},
    execution::{ClaimedExecution, PlannedExecution, runnable_frame},
    gateway_core::{GatewayCore, ServerSender},
    open_requests::RequestCancellation,
    parked_call::{ParkedCall, StateMeaning},
    read_client_frame,
    request_state::RedeemedState,
    server_frame::with_id,
    tool_catalog::CatalogTool,
    waiting::{DecisionWait, WaitEnd},
};
use countersign_api::{Call, CancelRequest, EventType, GateError, LogFilter, ProposeRequest};
use countersign_events::{CallState, Json, Sha256, Timestamp, ToolName};
use futures_util::StreamExt;
use std::sync::Arc;
use tokio::sync::watch;

/// A request for a tool call.
#[derive(Clone)]
pub(crate) struct GatedCall {
    pub(crate) core: Arc<GatewayCore>,
    pub(crate) frame: ToolCallFrame,
    pub(crate) to_server: ServerSender,
    /// The client has cancelled the request.
    pub(crate) cancelled: RequestCancellation,
}

/// Another process runs the call that was found for the request, about which no person was asked.
struct TakenElsewhere;

/// Which round of its request the client makes.
enum RequestRound {
    /// The first one, or a later one for a decision: the number of earlier ones.
    Decision(u32),
    /// The client returns with input for the server that runs its call.
    ServerInput(Box<ParkedCall>),
    /// The client's state cannot be accepted.
    Refused,
}

/// One round: what it asks, and how many rounds the client has made before.
#[derive(Clone, Copy)]
struct AskedRound {
    content: Sha256,
    round: u32,
}

impl GatedCall {
    /// Returns the answer to the client; `None` if it expects none.
    pub(crate) async fn answer(mut self) -> Option<String> {
        let tool = tokio::select! {
            tool = self.core.find_tool(&self.frame, &self.to_server) => tool,
            () = self.cancelled.cancelled() => return None,
        };
        let (proposal, arguments_hash) = match self.proposal(tool.as_ref()) {
            Ok(proposed) => proposed,
            Err(error) => return Some(self.error(&refusal_text(&error), None)),
        };
        let proposed = ProposedContent { proposal: &proposal, arguments_hash };
        let content = self.core.calls.content_key(&proposed);
        let round = match self.read_round(content) {
            RequestRound::Decision(round) => round,
            RequestRound::ServerInput(parked) => return self.continue_call(content, *parked).await,
            RequestRound::Refused => return Some(self.error(BAD_STATE, None)),
        };
        if round > 0 {
            // What the client returns is for the gateway. The server gets the request as it was at first.
            self.frame = self.frame.without_rounds();
        }
        let asked = AskedRound { content, round };
        let end = (self.core.calls.now)().after(self.core.options.hold);
        for _ in 0..MAX_ROUNDS {
            if let Ok(answer) = self.clone().open(&proposed, asked, end).await {
                return answer;
            }
        }
        Some(self.error("other processes make the same call all the time: repeat it later", None))
    }

    async fn open(
        self,
        proposed: &ProposedContent<'_>,
        asked: AskedRound,
        end: Timestamp,
    ) -> Result<Option<String>, TakenElsewhere> {
        match self.core.calls.open(proposed).await {
            Ok(OpenedCall::Mine(slot, call)) => self.settle(slot, call, asked).await,
            Ok(OpenedCall::Elsewhere(call)) if !call.was_asked() && self.sees_result(&call, end).await => {
                Err(TakenElsewhere)
            }
            Ok(OpenedCall::Elsewhere(call)) => Ok(Some(self.error(&started_text(&call), Some(&call)))),
            Err(error) => Ok(Some(self.error(&refusal_text(&error), None))),
        }
    }

    /// Waits until another process has run the call. False if it has not in time: that process may be lost.
    async fn sees_result(&self, call: &Call, end: Timestamp) -> bool {
        let types = vec![EventType::ToolResult];
        let filter = LogFilter { types, ..LogFilter::of_thread(&call.thread_id) };
        let mut results = self.core.calls.gate.follow(filter, call.proposal.seq);
        let is_reported = async {
            while let Some(Ok(event)) = results.next().await {
                let data = event.data.read::<serde_json::Value>().unwrap_or_default();
                if data["toolCallId"] == call.id.as_str() {
                    return true;
                }
            }
            false
        };
        let left = end.since((self.core.calls.now)());
        tokio::select! {
            reported = tokio::time::timeout(left, is_reported) => reported.unwrap_or(false),
            () = self.cancelled.cancelled() => false,
        }
    }

    fn read_round(&self, content: Sha256) -> RequestRound {
        let Some(state) = &self.frame.request_state else { return RequestRound::Decision(0) };
        match self.core.states.redeem(state, content, (self.core.calls.now)()) {
            RedeemedState::Valid(StateMeaning::Decision(round)) => RequestRound::Decision(round),
            RedeemedState::Valid(StateMeaning::ServerInput(parked)) => RequestRound::ServerInput(parked),
            RedeemedState::Refused => RequestRound::Refused,
            // The server gave it to the client in another way, so the request is a call of its own.
            RedeemedState::OfServer => RequestRound::Decision(0),
        }
    }

    /// Waits for the decision on the call, and then runs it if it is allowed.
    async fn settle(
        self,
        slot: Arc<CallSlot>,
        mut call: Box<Call>,
        AskedRound { content, round }: AskedRound,
    ) -> Result<Option<String>, TakenElsewhere> {
        if call.is_pending() {
            let wait =
                DecisionWait { core: &self.core, frame: &self.frame, cancelled: &self.cancelled, round };
            match wait.wait(&slot, &call).await {
                Ok(WaitEnd::Decided(decided)) => call = decided,
                Ok(WaitEnd::StillPending(call)) => {
                    slot.leave();
                    return Ok(Some(wait.answer_pending(&call, content)));
                }
                Ok(WaitEnd::Cancelled) => {
                    self.withdraw(&slot).await;
                    return Ok(None);
                }
                Ok(WaitEnd::Closing) => return Ok(None),
                Err(error) => {
                    slot.leave();
                    return Ok(Some(self.error(&refusal_text(&error), Some(&call))));
                }
            }
        }
        self.answer_decided(slot, call, content).await
    }

    async fn answer_decided(
        self,
        slot: Arc<CallSlot>,
        call: Box<Call>,
        content: Sha256,
    ) -> Result<Option<String>, TakenElsewhere> {
        match call.state {
            CallState::Allowed if self.cancelled.is_cancelled() => {
                self.withdraw(&slot).await;
                Ok(None)
            }
            CallState::Allowed | CallState::Unknown => self.run(slot, *call, content).await,
            _ if slot.is_running() => self.run(slot, *call, content).await,
            CallState::Running => Ok(Some(self.error(&started_text(&call), Some(&call)))),
            _ => {
                slot.close();
                Ok(Some(self.error(&call.ended_text(), Some(&call))))
            }
        }
    }

    fn error(&self, text: &str, call: Option<&Call>) -> String {
        error_result(&self.frame.id, text, call)
    }

    /// The call proposal, and the arguments hash. The call table chooses the id.
    fn proposal(&self, tool: Option<&CatalogTool>) -> Result<(ProposeRequest, Sha256), GateError> {
        let name = self.core.options.tool_name(&self.frame.name);
        let name = ToolName::new(&name).map_err(|why| GateError::invalid("name", &why))?;
        let hash = self.frame.arguments.admit().map_err(|why| GateError::invalid("arguments", &why))?;
        let mut proposal = ProposeRequest::new("mcp", name.as_str(), "{}")?;
        proposal.place = self.core.options.places.of_tool(&self.frame.name).cloned();
        proposal.arguments = self.frame.arguments.clone();
        proposal.annotations = tool.and_then(|tool| tool.annotations.clone());
        proposal.definition = tool.map(|tool| tool.definition.clone());
        Ok((proposal, hash))
    }

    /// Cancels the call, if the client wants it no more and no other request waits for it.
    async fn withdraw(&self, slot: &CallSlot) {
        if !slot.leave() || !self.cancelled.is_withdrawn() {
            return;
        }
        slot.close();
        let core = &self.core;
        let reason = Some("the client cancelled its request".to_owned());
        if let Err(error) =
            core.calls.gate.cancel(&core.calls.thread, &slot.id, &CancelRequest { reason }).await
        {
            tracing::warn!(call = slot.id.as_str(), code = error.code(), %error, "the call cannot be cancelled");
        }
    }

    /// Runs the call, or waits for its run if another request has started it.
    async fn run(
        self,
        slot: Arc<CallSlot>,
        call: Call,
        content: Sha256,
    ) -> Result<Option<String>, TakenElsewhere> {
        let Self { core, frame, to_server, .. } = self;
        let tool = core.find_tool(&frame, &to_server).await;
        let definition_hash = tool.as_ref().and_then(CatalogTool::hash);
        let planned = PlannedExecution {
            core: Arc::clone(&core),
            slot: Arc::clone(&slot),
            frame: frame.clone(),
            call: call.clone(),
            content,
            definition_hash,
            to_server,
        };
        let execution = slot.execution(|outcome| {
            core.tasks.spawn(planned.run(outcome));
        });
        await_outcome(execution, &frame.id, &call).await
    }

    /// Passes the client's input on to the server that runs the call.
    async fn continue_call(self, content: Sha256, parked: ParkedCall) -> Option<String> {
        let Self { core, frame, to_server, .. } = self;
        let ParkedCall { held, note, server_state } = parked;
        let call = held.call().clone();
        let text = match runnable_frame(&call, &frame) {
            Ok(text) => text,
            Err(why) => return Some(error_result(&frame.id, why, Some(&call))),
        };
        let text = with_server_state(&text, server_state.as_deref());
        let claimed =
            ClaimedExecution { core: Arc::clone(&core), id_key: frame.id_key.clone(), content, held, note };
        let (sender, execution) = watch::channel(None);
        core.tasks.spawn(async move {
            claimed.run(text, to_server, |ended| drop(sender.send_replace(Some(ended)))).await;
        });
        // The call is claimed already.
        await_outcome(execution, &frame.id, &call).await.ok().flatten()
    }
}

/// The frame with the state that the server expects instead of the gateway state.
fn with_server_state(text: &str, state: Option<&str>) -> String {
    match read_client_frame(text) {
        Ok(ClientFrame::ToolCall(frame)) => frame.with_request_state(state),
        // It was read before, and only its arguments were replaced.
        _ => text.to_owned(),
    }
}

/// Waits until an execution ends, and answers the request with this id.
async fn await_outcome(
    mut execution: watch::Receiver<Option<ExecutionOutcome>>,
    id: &Json,
    call: &Call,
) -> Result<Option<String>, TakenElsewhere> {
    let ended = execution.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
    match ended {
        Some(ExecutionOutcome::Answered(answer)) => Ok(Some(with_id(&answer, id))),
        Some(ExecutionOutcome::Refused(text)) => Ok(Some(error_result(id, &text, Some(call)))),
        Some(ExecutionOutcome::TakenElsewhere) => Err(TakenElsewhere),
        Some(ExecutionOutcome::ServerGone) | None => Ok(None),
    }
}
