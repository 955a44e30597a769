//! An answer of a server, in the form that tests compare.

use super::name_hashes;
use crate::lay_out;
use reqwest::{RequestBuilder, StatusCode, header::HeaderMap};
use serde_json::Value;
use std::{fmt, net::SocketAddr};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The members of a problem that its first line shows.
const IN_FIRST_LINE: [&str; 4] = ["title", "status", "code", "detail"];

/// An answer. As text it is its status and its body, with the known hashes by their names. A problem is shortened
/// to `409 its_code: its detail`, with one line for each other member.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it came. A problem comes without the id of its request, which differs each time.
    pub body: String,
}

impl HttpAnswer {
    /// Sends a request. An error must be a whole problem.
    pub async fn to(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.expect("a body in UTF-8");
        let mut answer = Self { status, headers, body };
        assert!(!answer.header("x-request-id").is_empty(), "every answer carries an id: {answer:?}");
        if answer.status >= 400 && !answer.body.is_empty() {
            answer.check_problem();
            answer.body = without_id(&answer.body, answer.header("x-request-id"));
        }
        answer
    }

    /// Sends the exact bytes of a request. Its answer has no headers.
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

    /// A header, or an empty text.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// The status and the body.
    #[must_use]
    pub fn into_parts(self) -> (u16, String) {
        (self.status, self.body)
    }

    /// The body, which must be JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    /// The part of the body at that path, such as `response.source`; `null` if there is none.
    #[must_use]
    pub fn value(&self, path: &str) -> Value {
        let body = self.json();
        body.pointer(&format!("/{}", path.replace('.', "/"))).cloned().unwrap_or_default()
    }

    /// A part of the body, as JSON text.
    #[must_use]
    pub fn member(&self, path: &str) -> String {
        self.value(path).to_string()
    }

    /// A part of the body, as JSON text with the known hashes by their names.
    #[must_use]
    pub fn shown(&self, path: &str) -> String {
        name_hashes(&self.member(path))
    }

    /// A part of the body that is a text.
    #[must_use]
    pub fn text(&self, path: &str) -> String {
        self.value(path).as_str().expect("a text").to_owned()
    }

    /// The parts of the body at those paths, one line each: the fields that a test is about.
    #[must_use]
    pub fn fields<const N: usize>(&self, paths: [&str; N]) -> String {
        let lines = paths.map(|path| format!("{path}: {}", self.shown(path)));
        format!("{}\n{}", self.status, lines.join("\n"))
    }

    /// A problem with all its members, except for the id of its request.
    #[must_use]
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.status, lay_out(&name_hashes(&self.body)))
    }

    /// A problem in short.
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
