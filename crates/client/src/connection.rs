//! The connection to one server: one request and one response per operation.

use crate::{
    tls::{self, TrustedAuthorities},
    without_password,
};
use countersign_api::{self as api, ErrorCode, GateError};
use countersign_events::{CallId, ThreadId};
use reqwest::{
    Client, ClientBuilder, Method, Url,
    header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue},
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    time::Duration,
};
use tokio::time::Instant;

/// The time that one request waits for a decision. The next request follows at once.
const HOLD: Duration = Duration::from_secs(25);

/// The program that a request names if it names no other.
const USER_AGENT: &str = concat!("countersign-rust/", env!("CARGO_PKG_VERSION"));

/// The HTTP client, the address of one server, and the credential for it.
#[derive(Clone)]
pub(crate) struct ServerConnection {
    pub(crate) client: Client,
    base: Url,
    /// The address of the server, for error messages.
    pub(crate) name: String,
    /// The headers of every request: the credential, and those that a proxy needs.
    pub(crate) headers: HeaderMap,
}

impl ServerConnection {
    pub(crate) fn new(url: &str, authorities: Option<&Path>) -> Result<Self, GateError> {
        let bad = |why: &str| {
            let url = without_password(url);
            let detail = format!(
                "{url:?} is not the address of a server ({why}); use an address such as http://127.0.0.1:7878 \
                 or unix:/run/countersign.sock"
            );
            GateError::new(ErrorCode::BadUrl, detail)
        };
        let socket = url.strip_prefix("unix:");
        if socket == Some("") {
            return Err(bad("unix: needs the path of a socket"));
        }
        let base = if socket.is_some() { "http://localhost" } else { url };
        let base = Url::parse(base).map_err(|why| bad(&why.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(bad("the scheme must be http or https"));
        }
        if base.host().is_none() || base.cannot_be_a_base() {
            return Err(bad("the host is missing"));
        }
        let trusted = match authorities {
            _ if base.scheme() == "http" => TrustedAuthorities::None,
            Some(path) => TrustedAuthorities::File(path),
            None => TrustedAuthorities::System,
        };
        let client =
            tls::builder(&trusted)?.user_agent(USER_AGENT).no_proxy().connect_timeout(Duration::from_secs(5));
        let client = socket.into_iter().fold(client, ClientBuilder::unix_socket);
        // Browsers resolve this name by themselves, and many systems do not.
        let client = client.resolve(api::PAGE_HOST, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let client = client.build().map_err(|why| bad(&why.to_string()))?;
        let name = if socket.is_some() { url.to_owned() } else { base.to_string() };
        Ok(Self { client, base, name, headers: HeaderMap::new() })
    }

    /// The same connection with a token. Fails if the token has characters that no token has.
    pub(crate) fn with_token(&self, token: &str) -> Result<Self, GateError> {
        let bad =
            |_| GateError::new(ErrorCode::Unauthenticated, "the token has characters that no token has");
        let value = HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(bad)?;
        Ok(self.with_value(AUTHORIZATION, value))
    }

    /// The same connection with a further header. Fails if its name or its value has characters that no header has.
    pub(crate) fn with_header(&self, name: &str, value: &str) -> Result<Self, GateError> {
        let bad =
            || GateError::invalid("header", &format!("{name:?} is not a header, or its value is not one"));
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
        let (name, value) = parsed.ok_or_else(bad)?;
        Ok(self.with_value(name, value))
    }

    fn with_value(&self, name: HeaderName, mut value: HeaderValue) -> Self {
        value.set_sensitive(true);
        let mut headers = self.headers.clone();
        headers.insert(name, value);
        Self { headers, ..self.clone() }
    }

    pub(crate) fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }

    pub(crate) fn call_url(&self, thread: &ThreadId, id: &CallId, suffix: &[&str]) -> Url {
        let path = ["threads", thread.as_str(), "tool-calls", id.as_str()];
        self.url(&[&path, suffix].concat())
    }

    pub(crate) async fn post<T: Serialize + Sync, A: DeserializeOwned>(
        &self,
        url: Url,
        body: &T,
    ) -> Result<A, GateError> {
        self.send_body(Method::POST, url, body).await
    }

    pub(crate) async fn send_body<T: Serialize + Sync, A: DeserializeOwned>(
        &self,
        method: Method,
        url: Url,
        body: &T,
    ) -> Result<A, GateError> {
        let request = self.client.request(method, url).json(body);
        self.send(request).await
    }

    pub(crate) async fn propose(
        &self,
        thread: &ThreadId,
        call: &api::ProposeRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.url(&["threads", thread.as_str(), "tool-calls"]), call).await
    }

    /// Repeats the request until the call is decided, for at most `timeout`.
    pub(crate) async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<api::Call, GateError> {
        let url = self.call_url(thread, id, &[]);
        let end = timeout.map(|timeout| Instant::now() + timeout);
        loop {
            let remaining = end.map(|end| end.saturating_duration_since(Instant::now()));
            // The header takes whole seconds. With less than one second left, request without a wait and sleep below.
            let hold = remaining.unwrap_or(HOLD).min(HOLD).as_secs();
            let request = self.client.get(url.clone()).header("prefer", format!("wait={hold}"));
            let call: api::Call = self.send(request.timeout(HOLD * 2)).await?;
            if !call.is_pending() || remaining.is_some_and(|remaining| remaining.is_zero()) {
                return Ok(call);
            }
            if hold == 0 {
                sleep(remaining.unwrap_or_default()).await;
            }
        }
    }

    pub(crate) async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
    ) -> Result<api::Call, GateError> {
        let url = self.url(&["threads", thread.as_str(), "approvals", id.as_str()]);
        self.post(url, decide).await
    }

    pub(crate) async fn decide_all(
        &self,
        all: &api::BulkDecisionRequest,
    ) -> Result<Vec<api::DecisionAnswer>, GateError> {
        let url = self.url(&["approvals", "decide"]);
        let decided: api::BulkDecisionResponse = self.post(url, all).await?;
        let answers = decided.results.into_iter().map(|result| {
            let api::BulkDecisionResult { thread_id, id, call, problem } = result;
            let outcome = match (call, problem) {
                (Some(call), _) => Ok(call),
                (None, Some(problem)) => Err(problem.into()),
                (None, None) => Err(self.strange("a decision has neither a call nor a problem")),
            };
            api::DecisionAnswer { thread_id, id, outcome }
        });
        Ok(answers.collect())
    }

    pub(crate) async fn claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::ClaimRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["claim"]), claim).await
    }

    pub(crate) async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        renew: &api::RenewRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["claim", "renew"]), renew).await
    }

    pub(crate) async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::ResultRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["result"]), finish).await
    }

    pub(crate) async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::CancelRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["cancel"]), cancel).await
    }

    pub(crate) async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        release: &api::ReleaseRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["release"]), release).await
    }

    pub(crate) async fn flag(
        &self,
        thread: &ThreadId,
        id: &CallId,
        flag: &api::FlagRequest,
    ) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["flag"]), flag).await
    }

    pub(crate) async fn erase(
        &self,
        thread: &ThreadId,
        id: &CallId,
        erase: &api::EraseRequest,
    ) -> Result<api::ErasureReport, GateError> {
        self.post(self.call_url(thread, id, &["erase"]), erase).await
    }

    pub(crate) async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateError> {
        self.post(self.call_url(thread, id, &["heartbeat"]), &serde_json::json!({})).await
    }

    pub(crate) async fn preview_scope(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &api::ScopeRequest,
    ) -> Result<api::ScopePreview, GateError> {
        self.post(self.call_url(thread, id, &["scope"]), request).await
    }

    /// Denies the pending calls of this thread, or of all threads.
    pub(crate) async fn stop(
        &self,
        thread: Option<&ThreadId>,
        stop: &api::StopRequest,
    ) -> Result<api::StopReport, GateError> {
        let url = match thread {
            Some(thread) => self.thread_url(thread, &["stop"]),
            None => self.url(&["approvals", "stop"]),
        };
        self.post(url, stop).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateError> {
        self.send(self.client.get(self.call_url(thread, id, &[]))).await
    }

    pub(crate) async fn status(&self) -> Result<api::StatusReport, GateError> {
        self.send(self.client.get(self.url(&["status"]))).await
    }

    pub(crate) async fn ready(&self) -> Result<api::ReadinessReport, GateError> {
        let mut url = self.base.clone();
        url.set_path("/readyz");
        self.send(self.client.get(url)).await
    }
}

#[expect(clippy::disallowed_methods, reason = "a client waits for the machine, not for the log's time")]
pub(crate) async fn sleep(span: Duration) {
    tokio::time::sleep(span).await;
}
