//! The session with one server on streamable HTTP, and the messages to it.

use super::{http_target::HttpTarget, param_headers::MarkedArguments};
use crate::hub::HubFrame;
use countersign_json_rpc::JsonObject;
use reqwest::{
    Client, Method, Response,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The time in which a server takes a notification, or a client answer.
const NOTIFY_LIMIT: Duration = Duration::from_secs(30);

/// The session's header.
pub(crate) const SESSION: &str = "mcp-session-id";

/// The facts about a session, which starts with the answer to `initialize`.
#[derive(Debug, Default, Clone)]
pub(crate) struct SessionFacts {
    pub(crate) id: Option<HeaderValue>,
    pub(crate) version: Option<String>,
    /// The client's `initialize`, to start another session if the server has lost this one.
    pub(crate) initialize: Option<String>,
    /// Counts the sessions.
    pub(crate) number: u64,
}

/// A request that the server has.
pub(crate) struct OpenPost {
    pub(crate) is_stateless: bool,
    pub(crate) abandoned: CancellationToken,
}

/// The session with one server, and the messages to it.
pub(crate) struct HttpSession {
    client: Client,
    pub(crate) target: HttpTarget,
    to_client: mpsc::Sender<String>,
    facts: Mutex<SessionFacts>,
    /// Held while a lost session is replaced.
    pub(crate) replacing: tokio::sync::Mutex<()>,
    marked: Mutex<MarkedArguments>,
    open: Mutex<HashMap<String, OpenPost>>,
    pub(crate) requests: TaskTracker,
    pub(crate) closing: CancellationToken,
}

impl HttpSession {
    pub(crate) fn new(client: Client, target: HttpTarget, to_client: mpsc::Sender<String>) -> Self {
        Self {
            client,
            target,
            to_client,
            facts: Mutex::default(),
            replacing: tokio::sync::Mutex::default(),
            marked: Mutex::default(),
            open: Mutex::default(),
            requests: TaskTracker::new(),
            closing: CancellationToken::new(),
        }
    }

    pub(crate) fn facts(&self) -> MutexGuard<'_, SessionFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open(&self) -> MutexGuard<'_, HashMap<String, OpenPost>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes a server message on.
    pub(crate) async fn emit(&self, text: &str) {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner).learn(text);
        // A frame is one line.
        let _ = self.to_client.send(text.replace(['\n', '\r'], " ")).await;
    }

    /// The headers for a frame: those of the target, and those of the session or of the protocol without one.
    fn headers(&self, text: &str, facts: &SessionFacts) -> HeaderMap {
        let mut headers = self.target.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let frame = HubFrame::read(text).ok();
        if let Some((frame, version)) =
            frame.and_then(|frame| frame.own_version().map(|version| (frame, version)))
        {
            let marked = self.marked.lock().unwrap_or_else(PoisonError::into_inner);
            headers.extend(marked.headers(&frame, &version));
            return headers;
        }
        if let Some(id) = &facts.id {
            headers.insert(SESSION, id.clone());
        }
        let version = facts.version.as_deref().and_then(|version| HeaderValue::from_str(version).ok());
        if let Some(version) = version {
            headers.insert("mcp-protocol-version", version);
        }
        headers
    }

    pub(crate) async fn post(&self, text: &str, facts: &SessionFacts) -> reqwest::Result<Response> {
        let mut headers = self.headers(text, facts);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.client.post(self.target.url.clone()).headers(headers).body(text.to_owned()).send().await
    }

    /// Opens the session stream, or resumes a stream after this event.
    pub(crate) async fn get(&self, last_event: Option<&str>) -> reqwest::Result<Response> {
        let facts = self.facts().clone();
        let mut headers = self.headers("", &facts);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last_event.and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        self.client.get(self.target.url.clone()).headers(headers).send().await
    }

    /// Ends the session at the server.
    pub(crate) async fn delete(&self) {
        let facts = self.facts().clone();
        if facts.id.is_some() {
            let headers = self.headers("", &facts);
            let request = self.client.request(Method::DELETE, self.target.url.clone()).headers(headers);
            // The server may not permit it.
            let _ = request.send().await;
        }
    }

    /// Sends a frame that has no answer.
    pub(crate) async fn notify(&self, text: &str) {
        let facts = self.facts().clone();
        match tokio::time::timeout(NOTIFY_LIMIT, self.post(text, &facts)).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) => {
                tracing::warn!(status = %response.status(), "the server refused a notification");
            }
            Ok(Err(why)) => tracing::warn!(error = %why.without_url(), "a notification cannot be sent"),
            Err(_) => tracing::warn!("the server does not take a notification"),
        }
    }

    /// Gives a request without a session up: the end of its connection is the cancellation. False for other requests.
    pub(crate) fn abandon_stateless(&self, key: &str) -> bool {
        let open = self.open();
        let found = open.get(key).filter(|post| post.is_stateless);
        found.inspect(|post| post.abandoned.cancel()).is_some()
    }

    /// Remembers the protocol version that the server chose.
    pub(crate) fn learn_version(&self, answer: &str) {
        let result =
            JsonObject::read(answer).and_then(|answer| answer.get("result")).and_then(JsonObject::read);
        if let Some(version) = result.and_then(|result| result.get_as("protocolVersion")) {
            self.facts().version = Some(version);
        }
    }
}
