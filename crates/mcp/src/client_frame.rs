//! Reading client frames: which of them are calls of a tool, and which cannot be passed on safely.
//!
//! A frame is one line of JSON-RPC 2.0, as the stdio transport of MCP defines it. All frames but calls of tools are passed on
//! as they are.

use crate::{
    RoundParts,
    round_parts::{OWN_REQUEST_PREFIX, opens_urls, read_rounds, shows_forms},
};
use countersign_events::Json;
use countersign_json_rpc::{FRAME_KEYS, JsonObject, range_of, splice};
use serde_json::value::RawValue;
use std::ops::Range;

/// The most elements of a batch that contains a tool call.
pub const MAX_BATCH: usize = 1_000;

/// The call parameters that decide its meaning.
const CALL_KEYS: &[&str] = &["name", "arguments", "_meta", "requestState", "inputResponses"];

/// A client frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientFrame {
    /// A tool call.
    ToolCall(Box<ToolCallFrame>),
    /// `tools/list`; its answer has the tool definitions.
    ToolList {
        /// The request's id, canonical.
        id: String,
    },
    /// `notifications/cancelled` of a request.
    Cancelled {
        /// The request's id, canonical.
        id: String,
        /// Whether the client wants the call no more, or only stops waiting.
        cancellation: ClientCancellation,
    },
    /// The elements of a batch that contains at least one that is not passed on unchanged.
    Batch(Vec<String>),
    /// `initialize`, with which clients before 2026-07-28 declare what they can do.
    Initialize {
        /// The request's id, canonical.
        id: String,
        /// Whether the client opens addresses for its user: elicitation in URL mode.
        opens_urls: bool,
        /// Whether the client shows forms to its user: elicitation in form mode.
        shows_forms: bool,
    },
    /// The answer to one of the gateway's own requests.
    OwnAnswer,
    /// The answer to a request of the server.
    Answer {
        /// The request's id, canonical.
        id: String,
    },
    /// Any other frame.
    Other {
        /// The id, canonical, if it is a request.
        id: Option<String>,
    },
}

/// A tool call as the client sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallFrame {
    /// The whole frame.
    pub text: String,
    /// The request's id as it is written.
    pub id: Json,
    /// The id in its canonical form, by which requests are compared.
    pub id_key: String,
    /// The tool's name.
    pub name: String,
    /// The arguments; `{}` if the frame has none.
    pub arguments: Json,
    /// The token for progress notifications.
    pub progress_token: Option<Json>,
    /// The members of `_meta` that name the client and its protocol (from 2026-07-28 on), as JSON of an object.
    pub protocol_meta: Option<Json>,
    /// The request parts for several rounds; `None` before 2026-07-28.
    pub rounds: Option<RoundParts>,
    /// The state that the client returns from an earlier round.
    pub request_state: Option<String>,
    /// The place of `params`.
    params_at: Range<usize>,
    /// The byte range of the arguments; or, if the frame has none, an empty range after the opening brace of `params`.
    arguments_at: Range<usize>,
}

/// The reason why a client frame is answered with an error instead of being passed on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFrame {
    /// The text is not JSON of an object or an array, or not Unicode.
    #[error("the frame is not a JSON object or array (RFC 8259); send one message of JSON-RPC 2.0 per line")]
    Syntax,
    /// Two members could be read as one.
    #[error(
        "the frame repeats the member {key:?}, or spells it with other letters; send it once, in lower case"
    )]
    Ambiguous {
        /// The member.
        key: String,
        /// The frame's id, if it has a usable one.
        id: Option<Json>,
    },
    /// A tool call is not valid.
    #[error("{why}")]
    InvalidCall {
        /// The defect and its remedy.
        why: String,
        /// The frame's id, if it has a usable one.
        id: Option<Json>,
    },
}

impl BadFrame {
    /// The code of JSON-RPC 2.0.
    #[must_use]
    pub const fn code(&self) -> i32 {
        match self {
            Self::Syntax => -32700,
            Self::Ambiguous { .. } => -32600,
            Self::InvalidCall { .. } => -32602,
        }
    }

    /// The frame's id, if it has a usable one.
    #[must_use]
    pub const fn id(&self) -> Option<&Json> {
        match self {
            Self::Syntax => None,
            Self::Ambiguous { id, .. } | Self::InvalidCall { id, .. } => id.as_ref(),
        }
    }
}

/// Reads a client frame. The error says why it must not reach the server.
pub fn read_client_frame(text: &str) -> Result<ClientFrame, BadFrame> {
    if text.trim_start().starts_with('[') {
        return read_batch(text);
    }
    let frame = JsonObject::read(text).ok_or(BadFrame::Syntax)?;
    let id = frame.get("id").and_then(read_id);
    frame
        .check_keys(FRAME_KEYS)
        .map_err(|key| BadFrame::Ambiguous { key: key.0, id: id.clone().map(|(id, _)| id) })?;
    let key = id.as_ref().map(|(_, key)| key.clone());
    let Some(method) = frame.get("method") else {
        return Ok(match key {
            Some(key) if key.starts_with(&format!("\"{OWN_REQUEST_PREFIX}")) => ClientFrame::OwnAnswer,
            Some(id) => ClientFrame::Answer { id },
            None => ClientFrame::Other { id: None },
        });
    };
    let method: String = serde_json::from_str(method).map_err(|_| BadFrame::Syntax)?;
    Ok(match (method.as_str(), key) {
        ("tools/call", _) => ClientFrame::ToolCall(Box::new(read_tool_call(text, &frame, id)?)),
        ("tools/list", Some(id)) => ClientFrame::ToolList { id },
        ("initialize", Some(id)) => {
            let params = frame.get("params").and_then(JsonObject::read);
            let capabilities = params.and_then(|params| params.get("capabilities"));
            let (opens_urls, shows_forms) = (opens_urls(capabilities), shows_forms(capabilities));
            ClientFrame::Initialize { id, opens_urls, shows_forms }
        }
        ("notifications/cancelled", None) => {
            let params = frame.get("params").and_then(JsonObject::read);
            let cancelled = params.as_ref().and_then(|params| params.get("requestId").and_then(read_id));
            let reason = params.and_then(|params| params.get_as::<String>("reason"));
            match cancelled {
                Some((_, id)) => {
                    let cancellation = ClientCancellation::read(reason.as_deref());
                    ClientFrame::Cancelled { id, cancellation }
                }
                None => ClientFrame::Other { id: None },
            }
        }
        (_, id) => ClientFrame::Other { id },
    })
}

/// What a client cancellation means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientCancellation {
    /// The client wants the call no more.
    Withdrawn,
    /// The client only waits no longer. People may still decide, and the same call, repeated, gets the decision.
    StoppedWaiting,
}

impl ClientCancellation {
    /// Reads the reason. Clients send the error of their own time limit: "MCP error -32001: Request timed out" (TypeScript
    /// SDK), "request timeout" (rmcp), "context deadline exceeded" (Go SDK). A cancellation without a reason, such as a
    /// closed connection, says nothing about the call.
    fn read(reason: Option<&str>) -> Self {
        const TIME_LIMITS: [&str; 6] = ["-32001", "timed out", "timeout", "time-out", "time out", "deadline"];
        let reason = reason.unwrap_or_default().trim().to_lowercase();
        let is_time_limit = reason.is_empty() || TIME_LIMITS.iter().any(|words| reason.contains(words));
        if is_time_limit { Self::StoppedWaiting } else { Self::Withdrawn }
    }
}

/// Reads a batch (MCP 2025-03-26). One that contains a tool call is split, so that each call is decided alone.
fn read_batch(text: &str) -> Result<ClientFrame, BadFrame> {
    let elements: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| BadFrame::Syntax)?;
    let is_plain =
        |element: &&RawValue| matches!(read_client_frame(element.get()), Ok(ClientFrame::Other { .. }));
    if elements.iter().any(|element| element.get().starts_with('[')) {
        return Err(BadFrame::Syntax);
    }
    if elements.iter().all(is_plain) {
        return Ok(ClientFrame::Other { id: None });
    }
    if elements.len() > MAX_BATCH {
        let why = format!("a batch with a call of a tool has at most {MAX_BATCH} elements");
        return Err(BadFrame::InvalidCall { why, id: None });
    }
    Ok(ClientFrame::Batch(elements.iter().map(|element| element.get().to_owned()).collect()))
}

fn read_tool_call(
    text: &str,
    frame: &JsonObject<'_>,
    id: Option<(Json, String)>,
) -> Result<ToolCallFrame, BadFrame> {
    let Some((id, id_key)) = id else {
        let why = "tools/call needs an id, a string or a number, so that it can be answered".to_owned();
        return Err(BadFrame::InvalidCall { why, id: None });
    };
    let invalid = |why: String| BadFrame::InvalidCall { why, id: Some(id.clone()) };
    let params_text = frame.get("params").unwrap_or_default();
    let params = JsonObject::read(params_text).ok_or_else(|| {
        invalid("params of tools/call must be an object with the name of the tool".to_owned())
    })?;
    params.check_keys(CALL_KEYS).map_err(|key| BadFrame::Ambiguous { key: key.0, id: Some(id.clone()) })?;
    let name: String = params
        .get_as("name")
        .ok_or_else(|| invalid("params.name of tools/call must be the name of a tool".to_owned()))?;
    let (arguments, arguments_at) = match params.get("arguments") {
        Some(arguments) => (arguments, range_of(text, arguments)),
        None => ("{}", after_brace(text, params_text)),
    };
    let arguments = Json::parse(arguments)
        .map_err(|why| invalid(format!("params.arguments of tools/call cannot be reviewed: {why}")))?;
    if let Some(keys) = arguments.find_ambiguous_keys() {
        return Err(invalid(format!("params.arguments of tools/call are ambiguous: {keys}")));
    }
    let meta = params.get("_meta").and_then(JsonObject::read);
    let rounds = meta.as_ref().and_then(|meta| read_rounds(meta, &params));
    let progress_token = meta.as_ref().and_then(|meta| meta.get("progressToken")).and_then(read_id);
    Ok(ToolCallFrame {
        text: text.to_owned(),
        id_key,
        name,
        arguments,
        progress_token: progress_token.map(|(token, _)| token),
        protocol_meta: meta.as_ref().and_then(read_protocol_meta),
        rounds,
        request_state: params.get_as("requestState"),
        params_at: range_of(text, params_text),
        arguments_at,
        id,
    })
}

fn after_brace(text: &str, params: &str) -> Range<usize> {
    let at = range_of(text, params).start + 1;
    at..at
}

/// The members of `_meta` that every request of the protocol 2026-07-28 repeats.
fn read_protocol_meta(meta: &JsonObject<'_>) -> Option<Json> {
    let keys = ["protocolVersion", "clientInfo", "clientCapabilities"];
    let members: Vec<String> = keys
        .iter()
        .filter_map(|key| {
            let key = format!("io.modelcontextprotocol/{key}");
            meta.get(&key).map(|value| format!("{}:{value}", Json::string(&key).as_str()))
        })
        .collect();
    if members.is_empty() { None } else { Json::parse(&format!("{{{}}}", members.join(","))).ok() }
}

/// Reads an id of JSON-RPC: a string or a number. Returns it as it is written and in its canonical form.
pub(crate) fn read_id(text: &str) -> Option<(Json, String)> {
    let is_id = text.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit());
    let id = if is_id { Json::parse(text).ok()? } else { return None };
    let key = id.canonical().ok()?;
    Some((id, key))
}

impl ToolCallFrame {
    /// The frame with other arguments, and unchanged otherwise.
    #[must_use]
    pub fn with_arguments(&self, arguments: &Json) -> String {
        if self.arguments_at.is_empty() {
            let member = format!("\"arguments\":{},", arguments.as_str());
            splice(&self.text, self.arguments_at.clone(), &member)
        } else {
            splice(&self.text, self.arguments_at.clone(), arguments.as_str())
        }
    }
}

impl ToolCallFrame {
    /// The request without the parts of earlier rounds, which were for the gateway and not for the server.
    #[must_use]
    pub fn without_rounds(&self) -> Self {
        let text = self.with_params(|key| match key {
            "requestState" | "inputResponses" => Some(None),
            _ => None,
        });
        match read_client_frame(&text) {
            Ok(ClientFrame::ToolCall(frame)) => Self { rounds: self.rounds, ..*frame },
            // A call's members were read before, and each of them is still there.
            _ => self.clone(),
        }
    }

    /// The request with the state that the server expects instead of the gateway state.
    #[must_use]
    pub fn with_request_state(&self, state: Option<&str>) -> String {
        let state = state.map(|state| Json::string(state).as_str().to_owned());
        self.with_params(|key| (key == "requestState").then(|| state.clone()))
    }

    /// The frame with other parameters: `change` returns `None` for a member that stays, and otherwise its new value, or
    /// `Some(None)` to remove it.
    fn with_params(&self, change: impl Fn(&str) -> Option<Option<String>>) -> String {
        let params = self.text.get(self.params_at.clone()).and_then(JsonObject::read);
        let Some(params) = params else { return self.text.clone() };
        let members: Vec<String> = params
            .members()
            .filter_map(|(key, value)| {
                let value = change(key).unwrap_or_else(|| Some(value.to_owned()))?;
                Some(format!("{}:{value}", Json::string(key).as_str()))
            })
            .collect();
        splice(&self.text, self.params_at.clone(), &format!("{{{}}}", members.join(",")))
    }
}

/// Makes a frame safe for servers that also end a line at a carriage return, as Python's text files do. Between the tokens of
/// JSON it is white space, and inside a string it is always escaped. Without this, such a server would read a part of one
/// frame as a frame of its own.
#[must_use]
pub fn without_carriage_returns(text: &str) -> String {
    text.replace('\r', " ")
}

#[cfg(test)]
mod tests;
