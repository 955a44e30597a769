//! An MCP server with one tool, which Claude Code asks before it runs a tool of its own (`--permission-prompt-tool`).
//!
//! The arguments are `tool_name`, `input` and `tool_use_id`. The result is one text, the JSON of `{"behavior":"allow",
//! "updatedInput":…}` or `{"behavior":"deny","message":…}`.

use crate::{
    BadFrame, ClientFrame, ToolCallFrame,
    answer_text::{progress, protocol_error, refusal_text, started_text},
    open_requests::{OpenRequests, RequestCancellation},
    read_client_frame,
};
use countersign_api::{
    Call, CancelRequest, ClaimRequest, GateError, Place, ProposeRequest, ResultRequest, SharedCallGate,
    ThreadId, parse_call_id, random_id,
};
use countersign_events::{CallState, Json, ToolName};
use countersign_json_rpc::{JsonObject, LineRead, read_line};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::mpsc,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The tool's name.
const TOOL: &str = "approve";

/// The protocol version for a client that names none.
const PROTOCOL: &str = "2025-11-25";

/// The result for a call that the agent runs itself.
const NOT_REPORTED: &str = "Allowed. The agent runs the tool itself and does not report the result.";

/// The server.
pub struct PermissionPrompt {
    /// The service that decides.
    pub gate: SharedCallGate,
    /// The thread for all calls.
    pub thread: ThreadId,
    /// Where the calls run.
    pub place: Place,
    /// The time between progress notifications.
    pub progress_interval: Duration,
}

/// A question from the agent.
struct PromptedCall {
    server: Arc<PermissionPrompt>,
    frame: ToolCallFrame,
    cancelled: RequestCancellation,
    to_client: mpsc::Sender<String>,
}

impl PermissionPrompt {
    /// Answers client requests until the client output ends. Questions that wait then stay pending.
    pub async fn serve(
        self,
        input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) {
        let (to_client, answers) = mpsc::channel(64);
        let writer = tokio::spawn(write_answers(answers, output));
        let (server, requests) = (Arc::new(self), Arc::new(OpenRequests::default()));
        let (tasks, closing) = (TaskTracker::new(), CancellationToken::new());
        let mut reader = BufReader::new(input);
        loop {
            let text = match read_line(&mut reader).await {
                LineRead::Line(line) => String::from_utf8(line).unwrap_or_default(),
                LineRead::TooLong => String::new(),
                LineRead::End => break,
            };
            let answer = match read_client_frame(&text) {
                Ok(ClientFrame::ToolCall(frame)) if frame.name == TOOL => match requests.begin(&frame.id_key)
                {
                    Some(cancelled) => {
                        let (server, to_client) = (Arc::clone(&server), to_client.clone());
                        let question = PromptedCall { server, frame: *frame, cancelled, to_client };
                        let (requests, closing) = (Arc::clone(&requests), closing.clone());
                        tasks.spawn(async move {
                            tokio::select! {
                                () = question.answer(&requests) => {}
                                () = closing.cancelled() => {}
                            }
                        });
                        None
                    }
                    None => Some(protocol_error(Some(&frame.id), -32600, "the id is in use; use a new one")),
                },
                Ok(ClientFrame::ToolCall(frame)) => {
                    Some(protocol_error(Some(&frame.id), -32602, "the only tool is \"approve\""))
                }
                Ok(ClientFrame::Cancelled { id, cancellation }) => {
                    requests.cancel(&id, cancellation);
                    None
                }
                Ok(ClientFrame::Batch(_)) => {
                    Some(protocol_error(None, BadFrame::Syntax.code(), "send one message per line"))
                }
                Ok(_) => answer_request(&text),
                Err(bad) => Some(protocol_error(bad.id(), bad.code(), &bad.to_string())),
            };
            if let Some(answer) = answer
                && to_client.send(answer).await.is_err()
            {
                break;
            }
        }
        closing.cancel();
        tasks.close();
        tasks.wait().await;
        drop(to_client);
        let _ = writer.await;
    }
}

async fn write_answers(mut answers: mpsc::Receiver<String>, mut output: impl AsyncWrite + Unpin) {
    while let Some(mut answer) = answers.recv().await {
        answer.push('\n');
        if output.write_all(answer.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

/// Answers a request that is not a tool call; `None` for notifications and answers.
fn answer_request(text: &str) -> Option<String> {
    let frame = JsonObject::read(text)?;
    let (method, id): (String, Json) = (frame.get_as("method")?, frame.get_as("id")?);
    let result = match method.as_str() {
        "initialize" => {
            let asked = frame.get("params").and_then(JsonObject::read);
            let version = asked.and_then(|params| params.get_as::<String>("protocolVersion"));
            json!({
                "protocolVersion": version.unwrap_or_else(|| PROTOCOL.to_owned()),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "countersign", "version": env!("CARGO_PKG_VERSION")},
            })
        }
        "ping" => json!({}),
        "tools/list" => json!({"tools": [{
            "name": TOOL,
            "description": "Asks people for permission to run a tool",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "tool_name": {"type": "string"},
                    "input": {"type": "object"},
                    "tool_use_id": {"type": "string"},
                },
                "required": ["tool_name", "input"],
            },
        }]}),
        _ => return Some(protocol_error(Some(&id), -32601, "this server has only tools")),
    };
    Some(answer_frame(&id, &result))
}

fn answer_frame(id: &Json, result: &Value) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}", id.as_str())
}

impl PromptedCall {
    async fn answer(self, requests: &OpenRequests) {
        let behaviour = match self.decide().await {
            Ok(Some(Ok(arguments))) => {
                format!("{{\"behavior\":\"allow\",\"updatedInput\":{}}}", arguments.as_str())
            }
            Ok(Some(Err(message))) => json!({"behavior": "deny", "message": message}).to_string(),
            Ok(None) => return requests.end(&self.frame.id_key),
            Err(error) => json!({"behavior": "deny", "message": refusal_text(&error)}).to_string(),
        };
        requests.end(&self.frame.id_key);
        let result = json!({"content": [{"type": "text", "text": behaviour}]});
        // A client that is gone reads nothing.
        let _ = self.to_client.send(answer_frame(&self.frame.id, &result)).await;
    }

    /// The arguments to run, or the reason why the call does not run. `None` if the client has cancelled the question.
    async fn decide(&self) -> Result<Option<Result<Json, String>>, GateError> {
        let PermissionPrompt { gate, thread, .. } = &*self.server;
        let proposal = self.proposal()?;
        let mut call = gate.propose(thread, &proposal).await?;
        if call.is_pending() {
            let Some(decided) = self.wait(&call).await? else {
                let reason = Some("the client cancelled its request".to_owned());
                gate.cancel(thread, &proposal.id, &CancelRequest { reason }).await?;
                return Ok(None);
            };
            call = decided;
        }
        match call.state {
            CallState::Allowed => {}
            CallState::Denied | CallState::Cancelled | CallState::Other => {
                return Ok(Some(Err(call.ended_text())));
            }
            _ => return Ok(Some(Err(started_text(&call)))),
        }
        let executor = random_id("permission-prompt-");
        let claim = ClaimRequest::for_own_call(&call, &executor, &proposal.arguments);
        let claimed = gate.claim(thread, &call.id, &claim).await?;
        let result = ResultRequest { executor: Some(executor), ..ResultRequest::success(NOT_REPORTED) };
        gate.finish(thread, &call.id, &result).await?;
        Ok(Some(Ok(claim.arguments.unwrap_or(claimed.arguments))))
    }

    fn proposal(&self) -> Result<ProposeRequest, GateError> {
        let missing = |field| GateError::invalid(field, &"it is missing or of another type");
        let arguments =
            JsonObject::read(self.frame.arguments.as_str()).ok_or_else(|| missing("arguments"))?;
        let name: String = arguments.get_as("tool_name").ok_or_else(|| missing("tool_name"))?;
        let input: Json = arguments.get_as("input").ok_or_else(|| missing("input"))?;
        let id = arguments.get_as::<String>("tool_use_id").unwrap_or_else(|| random_id("prompt_"));
        let mut proposal = ProposeRequest::new("prompt", "prompt", "{}")?;
        proposal.id = parse_call_id(&id)?;
        proposal.name = ToolName::new(&name).map_err(|why| GateError::invalid("tool_name", &why))?;
        proposal.arguments = input;
        proposal.place = Some(self.server.place.clone());
        Ok(proposal)
    }

    /// Waits for the decision, and tells a client with a progress token that it waits. `None` if the client cancels.
    async fn wait(&self, call: &Call) -> Result<Option<Call>, GateError> {
        let server = &self.server;
        for count in 1.. {
            if let Some(token) = &self.frame.progress_token {
                let message = format!("Waits for a decision on {}", call.id);
                let _ = self.to_client.send(progress(token, count, &message)).await;
            }
            let span = self.frame.progress_token.is_some().then_some(server.progress_interval);
            let waited = tokio::select! {
                waited = server.gate.wait(&server.thread, &call.id, span) => waited?,
                () = self.cancelled.cancelled() => return Ok(None),
            };
            if !waited.is_pending() {
                return Ok(Some(waited));
            }
        }
        Ok(None)
    }
}
