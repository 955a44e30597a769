//! The HTTP response of a server, in the form that tests compare.

use super::name_hashes;
use crate::lay_out;
use reqwest::{RequestBuilder, StatusCode, header::HeaderMap};
use serde_json::Value;
use std::{fmt, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The problem members that the first line of its short form contains.
const IN_FIRST_LINE: [&str; 4] = ["title", "status", "code", "detail"];

/// An HTTP response. It is displayed as its status and its body, with names instead of known hashes. A problem is
/// displayed in a short form: `409 its_code: its detail`, and one line for each other member.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The unchanged body, except that a problem does not contain its `requestId`, which differs each time.
    pub body: String,
}

impl HttpAnswer {
    /// Sends a request. If the response is an error with a body, it must be a complete problem. A stream's body is not read,
    /// because it may have no end.
    pub async fn to(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let is_stream = headers.get("content-type").is_some_and(|kind| kind == "text/event-stream");
        let body = if is_stream { String::new() } else { response.text().await.expect("a body in UTF-8") };
        let mut answer = Self { status, headers, body };
        assert!(!answer.header("x-request-id").is_empty(), "every response has an x-request-id: {answer:?}");
        // Only a browser that opens an unknown address gets a page.
        let is_page = answer.status == 404 && answer.header("content-type").starts_with("text/html");
        if answer.status >= 400 && !answer.body.is_empty() && !is_page {
            answer.check_problem();
            answer.body = without_id(&answer.body, answer.header("x-request-id"));
        }
        answer
    }

    /// Sends the exact bytes of a request. The returned answer's headers are empty.
    pub(super) async fn to_raw(address: SocketAddr, head: &str) -> Self {
        let mut stream = TcpStream::connect(address).await.expect("the server listens");
        let request = format!("{head}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("the server reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("the server answers");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let id = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap_or("");
        Self { status, headers: HeaderMap::new(), body: without_id(body, id) }
    }

    fn check_problem(&self) {
        let title = StatusCode::from_u16(self.status).ok().and_then(|status| status.canonical_reason());
        assert_eq!(self.header("content-type"), "application/problem+json", "{self:?}");
        assert_eq!(self.header("cache-control"), "no-store", "{self:?}");
        assert_eq!(self.value("status"), self.status, "{self:?}");
        assert_eq!(self.value("title").as_str(), title, "{self:?}");
        assert_eq!(self.value("requestId"), self.header("x-request-id"), "{self:?}");
    }

    /// Returns a header, or an empty text if the header is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// Returns the status and the body.
    #[must_use]
    pub fn into_parts(self) -> (u16, String) {
        (self.status, self.body)
    }

    /// Parses the body, which must be JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    /// Returns the body part at a path such as `response.source`, or `null` if it is absent.
    #[must_use]
    pub fn value(&self, path: &str) -> Value {
        let body = self.json();
        body.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or_default()
    }

    /// Returns a body part as JSON.
    #[must_use]
    pub fn member(&self, path: &str) -> String {
        self.value(path).to_string()
    }

    /// Returns a body part as JSON, with names instead of known hashes.
    #[must_use]
    pub fn shown(&self, path: &str) -> String {
        name_hashes(&self.member(path))
    }

    /// Returns a body part, which must be a string.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        self.value(path).as_str().expect("a string").to_owned()
    }

    /// Returns the status, and one line for each part of the body at these paths.
    #[must_use]
    pub fn fields<const N: usize>(&self, paths: [&str; N]) -> String {
        let lines = paths.map(|path| format!("{path}: {}", self.shown(path)));
        format!("{}\n{}", self.status, lines.join("\n"))
    }

    /// Returns the status and the whole body. A problem has all members except `requestId`.
    #[must_use]
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.status, lay_out(&name_hashes(&self.body)))
    }

    /// Returns the short form of a problem, or `None` if the body is not a problem.
    fn in_short(&self) -> Option<String> {
        let Value::Object(mut problem) = serde_json::from_str(&self.body).ok()? else { return None };
        let first_line = format!(
            "{} {}: {}",
            self.status,
            problem.get("code")?.as_str()?,
            problem.get("detail")?.as_str()?
        );
        problem.retain(|key, _| !IN_FIRST_LINE.contains(&key.as_str()));
        let others = problem.iter().map(|(key, value)| format!("\n{key}: {value}"));
        Some(others.fold(first_line, |text, line| text + &line))
    }
}

impl fmt::Display for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.in_short().filter(|_| self.status >= 400) {
            Some(problem) => f.write_str(&name_hashes(&problem)),
            None => f.write_str(&self.whole()),
        }
    }
}

fn without_id(body: &str, id: &str) -> String {
    body.replace(&format!(",\"requestId\":\"{id}\""), "")
}
