//! The connection to one server: one request and one response per operation.

use crate::{
    tls::{self, TrustedAuthorities},
    without_password,
};
use countersign_api::{self as api, ErrorCode, GateError, PRINCIPAL_HEADER};
use countersign_events::{CallId, Principal, ThreadId};
use reqwest::{Client, ClientBuilder, Method, Url};
use serde::{Serialize, de::DeserializeOwned};
use std::{path::Path, time::Duration};
use tokio::time::Instant;

/// The time that one request waits for a decision. The next request follows at once.
const HOLD: Duration = Duration::from_secs(25);

/// The HTTP client and the address of one server.
pub(crate) struct ServerConnection {
    pub(crate) client: Client,
    base: Url,
    /// The address of the server, for error messages.
    pub(crate) name: String,
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
        let client = tls::builder(&trusted)?.no_proxy().connect_timeout(Duration::from_secs(5));
        let client = socket.into_iter().fold(client, ClientBuilder::unix_socket);
        let client = client.build().map_err(|why| bad(&why.to_string()))?;
        let name = if socket.is_some() { url.to_owned() } else { base.to_string() };
        Ok(Self { client, base, name })
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
        by: &Principal,
        url: Url,
        body: &T,
    ) -> Result<A, GateError> {
        self.send_body(by, Method::POST, url, body).await
    }

    pub(crate) async fn send_body<T: Serialize + Sync, A: DeserializeOwned>(
        &self,
        by: &Principal,
        method: Method,
        url: Url,
        body: &T,
    ) -> Result<A, GateError> {
        let request = self.client.request(method, url).json(body);
        self.send(request.header(PRINCIPAL_HEADER, header(by))).await
    }

    pub(crate) async fn propose(
        &self,
        by: &Principal,
        thread: &ThreadId,
        call: &api::ProposeRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.url(&["threads", thread.as_str(), "tool-calls"]), call).await
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
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
    ) -> Result<api::Call, GateError> {
        let url = self.url(&["threads", thread.as_str(), "approvals", id.as_str()]);
        self.post(by, url, decide).await
    }

    pub(crate) async fn decide_all(
        &self,
        by: &Principal,
        all: &api::BulkDecisionRequest,
    ) -> Result<Vec<api::DecisionAnswer>, GateError> {
        let url = self.url(&["approvals", "decide"]);
        let decided: api::BulkDecisionResponse = self.post(by, url, all).await?;
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
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::ClaimRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["claim"]), claim).await
    }

    pub(crate) async fn renew_claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        renew: &api::RenewRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["claim", "renew"]), renew).await
    }

    pub(crate) async fn finish(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::ResultRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["result"]), finish).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::CancelRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["cancel"]), cancel).await
    }

    pub(crate) async fn release(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        release: &api::ReleaseRequest,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["release"]), release).await
    }

    pub(crate) async fn erase(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        erase: &api::EraseRequest,
    ) -> Result<api::ErasureReport, GateError> {
        self.post(by, self.call_url(thread, id, &["erase"]), erase).await
    }

    pub(crate) async fn heartbeat(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<api::Call, GateError> {
        self.post(by, self.call_url(thread, id, &["heartbeat"]), &serde_json::json!({})).await
    }

    pub(crate) async fn preview_scope(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        request: &api::ScopeRequest,
    ) -> Result<api::ScopePreview, GateError> {
        self.post(by, self.call_url(thread, id, &["scope"]), request).await
    }

    /// Denies the pending calls of this thread, or of all threads.
    pub(crate) async fn stop(
        &self,
        by: &Principal,
        thread: Option<&ThreadId>,
        stop: &api::StopRequest,
    ) -> Result<api::StopReport, GateError> {
        let url = match thread {
            Some(thread) => self.thread_url(thread, &["stop"]),
            None => self.url(&["approvals", "stop"]),
        };
        self.post(by, url, stop).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateError> {
        self.send(self.client.get(self.call_url(thread, id, &[]))).await
    }

    pub(crate) async fn ready(&self) -> Result<api::ReadinessReport, GateError> {
        let mut url = self.base.clone();
        url.set_path("/readyz");
        self.send(self.client.get(url)).await
    }
}

/// Returns the value of the principal's header. Names may contain any Unicode, but a header only ASCII, so the value is
/// percent-encoded as in a URL.
pub(crate) fn header(by: &Principal) -> String {
    percent_encoding::utf8_percent_encode(by.as_str(), ENCODED).to_string()
}

const ENCODED: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b'%');

#[expect(clippy::disallowed_methods, reason = "a client waits for the machine, not for the log's time")]
pub(crate) async fn sleep(span: Duration) {
    tokio::time::sleep(span).await;
}
