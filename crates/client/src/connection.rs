//! The connection to one server: one request and one response per operation.

use crate::{
    tls::{self, TrustedAuthorities},
    without_password,
};
use countersign_api::{self as api, AnyAnswer, ErrorCode, GateError, WireOperation};
use countersign_events::{CallId, SecretValue, ThreadId};
use reqwest::{
    Client, ClientBuilder, Method, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
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
    /// The server's address, for error messages.
    pub(crate) name: String,
    /// The headers of every request that a proxy needs.
    headers: HeaderMap,
    /// The value of `Authorization`. It is no header before a request is sent, because a header is not wiped.
    credential: Option<SecretValue<String>>,
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
        Ok(Self { client, base, name, headers: HeaderMap::new(), credential: None })
    }

    /// The same connection with a token. Fails if the token has characters that no token has.
    pub(crate) fn with_token(&self, token: &str) -> Result<Self, GateError> {
        let bad =
            |_| GateError::new(ErrorCode::Unauthenticated, "the token has characters that no token has");
        let credential = SecretValue::new(format!("Bearer {}", token.trim()));
        HeaderValue::from_str(credential.expose()).map_err(bad)?;
        Ok(Self { credential: Some(credential), ..self.clone() })
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

    /// The headers of a request.
    pub(crate) fn request_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        let credential = self.credential.as_ref();
        if let Some(mut value) = credential.and_then(|text| HeaderValue::from_str(text.expose()).ok()) {
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        headers
    }

    pub(crate) fn url(&self, path: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        url
    }

    pub(crate) fn thread_url(&self, thread: &ThreadId, suffix: &[&str]) -> Url {
        self.url(&[&["threads", thread.as_str()], suffix].concat())
    }

    pub(crate) async fn caller(&self) -> Result<api::CallerView, GateError> {
        self.send(self.client.get(self.url(&["me"]))).await
    }

    /// Sends the operation and reads its answer.
    pub(crate) async fn send_operation(&self, operation: &dyn WireOperation) -> Result<AnyAnswer, GateError> {
        let row = operation.row();
        let (values, mut url) = (operation.path_values(), self.base.clone());
        if let Ok(mut segments) = url.path_segments_mut() {
            let value_of = |name: &str| values.iter().find(|(part, _)| *part == name).map(|(_, value)| value);
            let part = |segment| match str::strip_prefix(segment, '{') {
                Some(name) => value_of(name.trim_end_matches('}')).map_or(segment, String::as_str),
                None => segment,
            };
            segments.pop_if_empty().extend(row.path.trim_start_matches('/').split('/').map(part));
        }
        let method = Method::from_bytes(row.method.as_str().as_bytes()).unwrap_or(Method::GET);
        let mut request = self.client.request(method, url).query(&operation.query_pairs());
        if row.method.has_body() {
            let body = operation.encode_body();
            let body = body.map_err(|why| GateError::invalid("body", &why))?;
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let answer = self.read_body(request).await?;
        operation.decode_answer(answer.as_ref()).map_err(|why| self.strange(&why.to_string()))
    }

    /// Repeats the request until the call is decided, for at most `timeout`.
    pub(crate) async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<api::Call, GateError> {
        let url = self.thread_url(thread, &["tool-calls", id.as_str()]);
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

    pub(crate) async fn decide_all(
        &self,
        all: &api::BulkDecisionRequest,
    ) -> Result<Vec<api::DecisionAnswer>, GateError> {
        let url = self.url(&["approvals", "decide"]);
        let decided: api::BulkDecisionResponse = self.send(self.client.post(url).json(all)).await?;
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
