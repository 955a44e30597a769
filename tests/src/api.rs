//! A server in this process over a fresh file, with a clock that the test turns, and the people and
//! agents who speak to it.

#![expect(clippy::missing_panics_doc, reason = "a test that cannot be set up is to panic")]

use crate::lay_out;
use countersign_api::ApprovalGate;
use countersign_gate::{Clock, EmbeddedGate, Options, Policy, Timestamp};
use countersign_server::{Address, Listener, Options as ServerOptions};
use countersign_store::ManualClock;
use reqwest::{Client, Method, RequestBuilder, Response, header::HeaderMap};
use std::{fmt, net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// What a whole story may take before it counts as hanging.
const LIMIT: Duration = Duration::from_mins(1);

/// When every story begins: 2026-01-31T12:00:00.000Z.
const BEGINNING: i64 = 1_769_860_800_000;

/// Where everybody is.
pub struct Town {
    /// Stands still until it is moved.
    pub clock: Arc<ManualClock>,
    /// The server's own gate.
    pub gate: EmbeddedGate,
    /// Where the server listens.
    pub address: SocketAddr,
    /// Tells the server to stop.
    pub stop: CancellationToken,
    client: Client,
    server: JoinHandle<Result<(), countersign_server::Error>>,
    folder: TempDir,
}

/// Tells a story under a policy, within a time limit. In the end the server must stop by itself and the
/// log must verify.
pub async fn story(policy: &str, tell: impl AsyncFnOnce(&Town)) {
    let told = async {
        let town = Town::new(policy).await;
        tell(&town).await;
        town.end().await;
    };
    tokio::time::timeout(LIMIT, told).await.expect("the story hangs");
}

/// A gate over a fresh file, with a clock that the test turns.
pub async fn fresh_gate(policy: &str) -> (EmbeddedGate, Arc<ManualClock>, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (clock, turned) = Clock::manual(Timestamp::from_millis(BEGINNING));
    let policy = Policy::read(policy).expect("a valid policy");
    let options = Options { clock, ..Options::default() };
    let gate =
        EmbeddedGate::open_with(folder.path().join("log.db"), options, policy).await.expect("a fresh file");
    (gate, turned, folder)
}

impl Town {
    async fn new(policy: &str) -> Self {
        let (gate, clock, folder) = fresh_gate(policy).await;
        let anywhere = Address::Tcp(([127, 0, 0, 1], 0).into());
        let listener = Listener::bind(&anywhere, false).expect("a free port");
        let Address::Tcp(address) = *listener.address() else { panic!("a port") };
        let (stop, options) =
            (CancellationToken::new(), ServerOptions::by(Clock::Manual(Arc::clone(&clock))));
        let server = countersign_server::serve(vec![listener], gate.clone(), options, stop.clone());
        let server = tokio::spawn(server);
        let client = Client::builder().no_proxy().build().expect("a client");
        Self { clock, gate, address, stop, client, server, folder }
    }

    async fn end(self) {
        self.stop.cancel();
        drop(self.client);
        self.server.await.expect("the server panics").expect("the server fails");
        let report = self.gate.verify(|_| ()).await.expect("the log can be read");
        assert!(report.holds(), "the log does not verify: {report:?}");
        self.gate.shut_down().await;
    }

    /// The log's file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.folder.path().join("log.db")
    }

    /// Somebody who says to be that agent.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona<'_> {
        Persona { town: self, principal: Some(format!("agent:{name}")) }
    }

    /// Somebody who says to be that person.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona<'_> {
        Persona { town: self, principal: Some(format!("user:{name}")) }
    }

    /// Somebody who does not say who.
    #[must_use]
    pub fn somebody(&self) -> Persona<'_> {
        Persona { town: self, principal: None }
    }

    /// Sends a request to the byte, for what no client would send, and reads the answer's status and body.
    pub async fn raw(&self, head: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).await.expect("the server listens");
        let request = format!("{head}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("the server reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("the server answers");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        let id = head.lines().find_map(|line| line.strip_prefix("x-request-id: ")).unwrap_or("");
        Answer { status, headers: HeaderMap::new(), body: without_id(body, id) }
    }
}

/// Who speaks to the server.
pub struct Persona<'a> {
    town: &'a Town,
    principal: Option<String>,
}

impl Persona<'_> {
    /// A request that can still be given headers.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.town.client.request(method, format!("http://{}{path}", self.town.address));
        match &self.principal {
            Some(principal) => request.header("countersign-principal", principal),
            None => request,
        }
    }

    /// `GET`
    pub async fn get(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::GET, path)).await
    }

    /// `POST` of a JSON body, which need not be valid.
    pub async fn post(&self, path: &str, body: &str) -> Answer {
        let request = self.request(Method::POST, path).header("content-type", "application/json");
        Answer::to(request.body(body.to_owned())).await
    }

    /// `PUT` of a JSON body.
    pub async fn put(&self, path: &str, body: &str) -> Answer {
        let request = self.request(Method::PUT, path).header("content-type", "application/json");
        Answer::to(request.body(body.to_owned())).await
    }

    /// `GET` with one more header.
    pub async fn get_with(&self, path: &str, name: &str, value: &str) -> Answer {
        Answer::to(self.request(Method::GET, path).header(name, value)).await
    }

    /// `DELETE`
    pub async fn delete(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::DELETE, path)).await
    }

    /// Proposes a call of `bash` in a thread, and that is all there is to it.
    pub async fn proposes(&self, thread: &str, id: &str) -> Answer {
        let body = format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"ls"}}}}"#);
        let answer = self.post(&format!("/v1/threads/{thread}/tool-calls"), &body).await;
        assert_eq!(answer.status, 201, "{answer}");
        answer
    }

    /// Decides a call.
    pub async fn decides(&self, thread: &str, id: &str, decision: &str) -> Answer {
        let body = format!(r#"{{"decision":"{decision}"}}"#);
        let answer = self.post(&format!("/v1/threads/{thread}/approvals/{id}"), &body).await;
        assert_eq!(answer.status, 200, "{answer}");
        answer
    }

    /// Claims a call as it stands.
    pub async fn claims(&self, thread: &str, id: &str, executor: &str) -> Answer {
        let path = format!("/v1/threads/{thread}/tool-calls/{id}");
        let hash = self.get(&path).await.member("argumentsHash");
        let body = format!(r#"{{"executor":"{executor}","argumentsHash":{hash}}}"#);
        let answer = self.post(&format!("{path}/claim"), &body).await;
        assert_eq!(answer.status, 200, "{answer}");
        answer
    }

    /// Says that a call went well.
    pub async fn finishes(&self, thread: &str, id: &str, content: &str) -> Answer {
        let path = format!("/v1/threads/{thread}/tool-calls/{id}/result");
        let answer = self.post(&path, &format!(r#"{{"status":"success","content":{content}}}"#)).await;
        assert_eq!(answer.status, 200, "{answer}");
        answer
    }

    /// Opens a stream of events, after that one if one is named.
    pub async fn streams(&self, path: &str, last_event_id: Option<&str>) -> Stream {
        let request = self.request(Method::GET, path).header("accept", "text/event-stream");
        let request = last_event_id.into_iter().fold(request, |all, id| all.header("last-event-id", id));
        let response = request.send().await.expect("the server answers");
        assert_eq!(response.status(), 200);
        Stream { response, received: Vec::new() }
    }
}

/// An answer, shown as its status and its body.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it came.
    pub body: String,
}

impl Answer {
    /// Sends a request. An error must be a problem that says its own status.
    pub async fn to(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the server answers");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text().await.expect("a body in UTF-8");
        let mut answer = Self { status, headers, body };
        assert!(!answer.header("x-request-id").is_empty(), "every answer bears an id: {answer}");
        if answer.status >= 400 && !answer.body.is_empty() {
            assert_eq!(answer.header("content-type"), "application/problem+json", "{answer}");
            assert_eq!(answer.header("cache-control"), "no-store", "{answer}");
            assert_eq!(answer.member("status"), answer.status.to_string(), "{answer}");
            assert_eq!(answer.text("requestId"), answer.header("x-request-id"), "{answer}");
            answer.body = without_id(&answer.body, answer.header("x-request-id"));
        }
        answer
    }

    /// A header, or nothing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("ASCII"))
    }

    /// A member of the body, as JSON.
    #[must_use]
    pub fn member(&self, key: &str) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).expect("a JSON body");
        body[key].to_string()
    }

    /// A member of the body which is a text.
    #[must_use]
    pub fn text(&self, key: &str) -> String {
        serde_json::from_str(&self.member(key)).expect("a text")
    }
}

/// A problem without the id of its request, which is another each time.
fn without_id(body: &str, id: &str) -> String {
    body.replace(&format!(",\"requestId\":\"{id}\""), "")
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.status, lay_out(&self.body))
    }
}

/// A stream of server-sent events, read message by message.
pub struct Stream {
    response: Response,
    received: Vec<u8>,
}

impl Stream {
    /// The next message, to the byte but for the empty line that ends it; `None` at the end.
    pub async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.received.windows(2).position(|pair| pair == b"\n\n") {
                let message = self.received.drain(..end + 2).take(end).collect();
                return Some(String::from_utf8(message).expect("UTF-8"));
            }
            self.received.extend(self.response.chunk().await.expect("the stream goes on")?);
        }
    }

    /// The next message that is there or comes.
    pub async fn message(&mut self) -> String {
        self.next().await.expect("the stream goes on")
    }

    /// A header of the answer.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let value = self.response.headers().get(name);
        value.map_or_else(String::new, |value| value.to_str().expect("ASCII").to_owned())
    }
}
