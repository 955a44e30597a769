//! One call of a tool, from the request of the client to its answer.

use crate::{
    answer_text::{ended_text, error_result, pending_text, progress, refusal_text, started_text},
    call_slot::{CallSlot, ExecutionOutcome},
    call_table::{OpenedCall, ProposedContent},
    client_frame::ToolCallFrame,
    execution::PlannedExecution,
    gateway_core::{GatewayCore, ServerSender},
    server_frame::with_id,
    tool_catalog::CatalogTool,
};
use countersign_api::{Call, CancelRequest, GateError, ProposeRequest};
use countersign_events::{CallState, ToolName};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A request for a call of a tool.
pub(crate) struct GatedCall {
    pub(crate) core: Arc<GatewayCore>,
    pub(crate) frame: ToolCallFrame,
    pub(crate) to_server: ServerSender,
    /// The client has cancelled the request.
    pub(crate) cancelled: CancellationToken,
}

/// The end of the wait for a decision.
enum WaitEnd {
    Decided(Box<Call>),
    StillPending(Box<Call>),
    /// The client has cancelled its request.
    Cancelled,
    /// The client is gone. The call stays pending.
    Closing,
}

impl GatedCall {
    /// Returns the answer to the client; `None` if it expects none.
    pub(crate) async fn answer(self) -> Option<String> {
        let tool = tokio::select! {
            tool = self.core.find_tool(&self.frame, &self.to_server) => tool,
            () = self.cancelled.cancelled() => return None,
        };
        let opened = match self.open(tool.as_ref()).await {
            Ok(opened) => opened,
            Err(error) => return Some(self.error(&refusal_text(&error), None)),
        };
        let (slot, mut call) = match opened {
            OpenedCall::Mine(slot, call) => (slot, call),
            OpenedCall::Elsewhere(call) => return Some(self.error(&started_text(&call), Some(&call))),
        };
        if call.is_pending() {
            match self.wait(&slot, &call).await {
                Ok(WaitEnd::Decided(decided)) => call = decided,
                Ok(WaitEnd::StillPending(call)) => {
                    slot.leave();
                    let text = pending_text(&call, &(self.core.options.describe_location)(&call));
                    return Some(self.error(&text, Some(&call)));
                }
                Ok(WaitEnd::Cancelled) => {
                    self.withdraw(&slot).await;
                    return None;
                }
                Ok(WaitEnd::Closing) => return None,
                Err(error) => {
                    slot.leave();
                    return Some(self.error(&refusal_text(&error), Some(&call)));
                }
            }
        }
        self.answer_decided(slot, call).await
    }

    async fn answer_decided(self, slot: Arc<CallSlot>, call: Box<Call>) -> Option<String> {
        match call.state {
            CallState::Allowed if self.cancelled.is_cancelled() => {
                self.withdraw(&slot).await;
                None
            }
            CallState::Allowed | CallState::Unknown => self.run(slot, *call).await,
            _ if slot.is_running() => self.run(slot, *call).await,
            CallState::Running => Some(self.error(&started_text(&call), Some(&call))),
            _ => {
                slot.close();
                Some(self.error(&ended_text(&call), Some(&call)))
            }
        }
    }

    fn error(&self, text: &str, call: Option<&Call>) -> String {
        error_result(&self.frame.id, text, call)
    }

    async fn open(&self, tool: Option<&CatalogTool>) -> Result<OpenedCall, GateError> {
        let core = &self.core;
        let name = core.options.tool_name(&self.frame.name);
        let name = ToolName::new(&name).map_err(|why| GateError::invalid("name", &why))?;
        let arguments = self.frame.arguments.admit().map_err(|why| GateError::invalid("arguments", &why))?;
        let mut proposal = ProposeRequest::new("mcp", name.as_str(), "{}")?;
        proposal.arguments = self.frame.arguments.clone();
        proposal.annotations = tool.and_then(|tool| tool.annotations.clone());
        proposal.definition = tool.map(|tool| tool.definition.clone());
        core.calls.open(&ProposedContent { proposal: &proposal, arguments_hash: arguments }).await
    }

    /// Waits for the decision: with a progress token until it is there, otherwise for a limited time.
    async fn wait(&self, slot: &CallSlot, call: &Call) -> Result<WaitEnd, GateError> {
        let core = &self.core;
        let message =
            format!("Waits for a decision on {}: {}", call.id, (core.options.describe_location)(call));
        for count in 1.. {
            let span = match &self.frame.progress_token {
                Some(token) => {
                    core.send_to_client(progress(token, count, &message)).await;
                    core.options.progress_interval
                }
                None => core.options.hold,
            };
            let call = tokio::select! {
                biased;
                call = core.calls.gate.wait(&core.calls.thread, &slot.id, Some(span)) => Box::new(call?),
                () = self.cancelled.cancelled() => return Ok(WaitEnd::Cancelled),
                () = core.closing.cancelled() => return Ok(WaitEnd::Closing),
            };
            if !call.is_pending() {
                return Ok(WaitEnd::Decided(call));
            }
            if self.frame.progress_token.is_none() {
                return Ok(WaitEnd::StillPending(call));
            }
        }
        Ok(WaitEnd::Closing)
    }

    /// Cancels the call, if no other request waits for it.
    async fn withdraw(&self, slot: &CallSlot) {
        if !slot.leave() {
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
    async fn run(self, slot: Arc<CallSlot>, call: Call) -> Option<String> {
        let Self { core, frame, to_server, .. } = self;
        let tool = core.find_tool(&frame, &to_server).await;
        let definition_hash = tool.as_ref().and_then(CatalogTool::hash);
        let planned = PlannedExecution {
            core: Arc::clone(&core),
            slot: Arc::clone(&slot),
            frame: frame.clone(),
            call: call.clone(),
            definition_hash,
            to_server,
        };
        let mut execution = slot.execution(|outcome| {
            core.tasks.spawn(planned.run(outcome));
        });
        let ended = execution.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        match ended? {
            ExecutionOutcome::Answered(answer) => Some(with_id(&answer, &frame.id)),
            ExecutionOutcome::Refused(text) => Some(error_result(&frame.id, &text, Some(&call))),
            ExecutionOutcome::ServerGone => None,
        }
    }
}
