//! The messages that a client posts, and the reasons to refuse them.

use super::param_headers::decode_value;
use crate::{
    HubFrame,
    answer_text::protocol_error,
    hub::{qualify_id, split_batch},
};
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use countersign_events::Json;
use std::collections::HashSet;

/// The most messages of one request.
const MAX_BATCH: usize = 100;

/// A request among the posted messages.
#[derive(Debug, Clone)]
pub(crate) struct PostedRequest {
    text: String,
    id: Json,
    /// The canonical id.
    pub(crate) key: String,
    /// The canonical token for progress.
    pub(crate) progress: Option<String>,
}

impl PostedRequest {
    /// The request with the mark of its response in its id and its token.
    pub(crate) fn marked(&self, mark: &str) -> String {
        HubFrame::read(&self.text).map_or_else(|_| self.text.clone(), |frame| frame.qualified(mark))
    }

    /// The cancellation for the request with this mark.
    pub(crate) fn cancellation(&self, mark: &str) -> String {
        let id = qualify_id(mark, self.id.as_str());
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
        )
    }
}

/// What a POST contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PostKind {
    /// One message that starts a session.
    Initialize,
    /// One message of a session.
    Single,
    /// Several messages of a session (2025-03-26).
    Batch,
    /// One message that carries its protocol version, so that it has no session.
    Stateless,
}

/// The messages of one POST.
#[derive(Debug, Clone)]
pub(crate) struct FramePost {
    pub(crate) texts: Vec<String>,
    pub(crate) requests: Vec<PostedRequest>,
    pub(crate) kind: PostKind,
    pub(crate) accepts_events: bool,
}

/// The reason why posted messages are refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PostRefusal {
    #[error("the request needs the header Authorization: Bearer TOKEN, with the token of this gateway")]
    Unauthorized,
    #[error("the header Accept must name application/json and text/event-stream")]
    NotAcceptable,
    #[error("the body is not one message of JSON-RPC 2.0: {0}")]
    Syntax(String),
    #[error("{0}")]
    HeaderMismatch(String, Option<Json>),
    #[error("the request needs the header Mcp-Session-Id; begin a session with initialize")]
    NoSession,
    #[error("the session has ended; begin another one with initialize")]
    UnknownSession,
    #[error("there is no stream without a session")]
    NoStream,
    #[error("{0} sessions are open; end one first")]
    TooManySessions(usize),
    #[error("the id of a request is in use, or too many requests are open")]
    UsedId,
    #[error("the gateway cannot serve this: {0}")]
    Start(String),
}

impl IntoResponse for PostRefusal {
    fn into_response(self) -> Response {
        let (status, code) = match &self {
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, -32600),
            Self::NotAcceptable => (StatusCode::NOT_ACCEPTABLE, -32600),
            Self::Syntax(_) => (StatusCode::BAD_REQUEST, -32700),
            Self::HeaderMismatch(..) => (StatusCode::BAD_REQUEST, -32020),
            Self::NoSession | Self::UsedId => (StatusCode::BAD_REQUEST, -32600),
            Self::UnknownSession => (StatusCode::NOT_FOUND, -32600),
            Self::NoStream => (StatusCode::METHOD_NOT_ALLOWED, -32600),
            Self::TooManySessions(_) => (StatusCode::SERVICE_UNAVAILABLE, -32603),
            Self::Start(_) => (StatusCode::BAD_GATEWAY, -32603),
        };
        let id = match &self {
            Self::HeaderMismatch(_, id) => id.as_ref(),
            _ => None,
        };
        let body = protocol_error(id, code, &self.to_string());
        let mut response = (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        if self == Self::Unauthorized {
            let challenge = HeaderValue::from_static("Bearer realm=\"countersign mcp\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl FramePost {
    /// Reads the POST body.
    pub(crate) fn read(body: &str, headers: &HeaderMap) -> Result<Self, PostRefusal> {
        let accepts = |kinds: &[&str]| {
            let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
            accepted.flat_map(|value| value.split(',')).any(|kind| {
                kinds.contains(
                    &kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase().as_str(),
                )
            })
        };
        let accepts_events =
            accepts(&["text/event-stream", "text/*", "*/*"]) || !headers.contains_key(header::ACCEPT);
        if !accepts_events && !accepts(&["application/json", "application/*"]) {
            return Err(PostRefusal::NotAcceptable);
        }
        let is_batch = body.trim_start().starts_with('[');
        let elements = split_batch(body.trim());
        if elements.is_empty() || elements.len() > MAX_BATCH {
            return Err(PostRefusal::Syntax(format!("a batch has 1 to {MAX_BATCH} messages")));
        }
        let mut post = Self {
            texts: elements.iter().map(|text| (*text).to_owned()).collect(),
            requests: Vec::new(),
            kind: if is_batch { PostKind::Batch } else { PostKind::Single },
            accepts_events,
        };
        let mut keys = HashSet::new();
        for text in &elements {
            let frame = HubFrame::read(text).map_err(|why| PostRefusal::Syntax(why.to_string()))?;
            let method = frame.method.as_deref();
            if let Some(version) = frame.own_version() {
                check_headers(&frame, &version, headers)?;
                post.kind = PostKind::Stateless;
            } else if method == Some("initialize") && frame.id.is_some() {
                post.kind = PostKind::Initialize;
            }
            if let (Some(_), Some((id, key))) = (method, &frame.id) {
                if !keys.insert(key.clone()) {
                    return Err(PostRefusal::UsedId);
                }
                post.requests.push(PostedRequest {
                    text: (*text).to_owned(),
                    id: id.clone(),
                    key: key.clone(),
                    progress: frame.progress_key(),
                });
            }
        }
        if is_batch && post.kind != PostKind::Batch {
            return Err(PostRefusal::Syntax("it must not be a batch".to_owned()));
        }
        Ok(post)
    }

    /// Returns true if this gateway frame answers one of the requests.
    pub(crate) fn is_answer(&self, text: &str) -> bool {
        let frame = HubFrame::read(text);
        frame.is_ok_and(|frame| {
            let id = frame.id.filter(|_| frame.method.is_none());
            id.is_some_and(|(_, key)| self.requests.iter().any(|request| request.key == key))
        })
    }
}

/// Checks the headers that repeat parts of a request: something between client and gateway may have judged them.
fn check_headers(frame: &HubFrame<'_>, version: &str, headers: &HeaderMap) -> Result<(), PostRefusal> {
    let id = frame.id.as_ref().map(|(id, _)| id.clone());
    let Some(method) = frame.method.as_deref().filter(|_| id.is_some()) else { return Ok(()) };
    let name = match method {
        "tools/call" | "prompts/get" => frame.text_param("name"),
        "resources/read" => frame.text_param("uri"),
        _ => None,
    };
    let expected = [
        ("mcp-protocol-version", Some(version.to_owned())),
        ("mcp-method", Some(method.to_owned())),
        ("mcp-name", name),
    ];
    for (header, expected) in expected {
        let Some(expected) = expected else { continue };
        let mut values = headers.get_all(header).iter();
        let found = values.next().and_then(|value| value.to_str().ok()).and_then(decode_value);
        if found.as_ref() != Some(&expected) || values.next().is_some() {
            let why = format!("Header mismatch: {header} must be {expected:?}, as in the body");
            return Err(PostRefusal::HeaderMismatch(why, id));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str, headers: &[(&'static str, &'static str)]) -> Result<FramePost, PostRefusal> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_static(value));
        }
        FramePost::read(body, &map)
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;

    #[test]
    fn headers_must_agree_with_the_body() {
        let all = [
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "tools/call"),
            ("mcp-name", "=?base64?w6k=?="),
        ];
        assert_eq!(read(CALL, &all).expect("valid").kind, PostKind::Stateless);
        for missing in 0..3 {
            let some: Vec<_> =
                all.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, header)| *header).collect();
            assert!(matches!(read(CALL, &some), Err(PostRefusal::HeaderMismatch(..))), "{missing}");
        }
        let twice = [all[0], all[1], all[2], ("mcp-name", "other")];
        assert!(matches!(read(CALL, &twice), Err(PostRefusal::HeaderMismatch(..))));
    }

    #[test]
    fn bodies_that_are_not_messages_are_refused() {
        for body in ["", "x", "[]", "1", r#"{"id":1,"id":2,"method":"a"}"#, "[[]]"] {
            assert!(matches!(read(body, &[]), Err(PostRefusal::Syntax(_))), "{body}");
        }
        let twice = r#"[{"id":1,"method":"a"},{"id":1.0,"method":"b"}]"#;
        assert_eq!(read(twice, &[]).err(), Some(PostRefusal::UsedId));
        assert_eq!(
            read(r#"{"method":"a"}"#, &[("accept", "text/html")]).err(),
            Some(PostRefusal::NotAcceptable)
        );
        assert!(read("[{\"id\":1,\"method\":\"initialize\"}]", &[]).is_err());
    }
}
