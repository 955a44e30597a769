//! Clients that send or read nothing are disconnected, each after the time limit of its step. Requests that wait and
//! streams without events are not.

use countersign_api::{self as api, ApprovalGate, CallGate, parse_thread_id};
use countersign_events::{Decision, Principal};
use countersign_gate::EmbeddedGate;
use countersign_server::{BoundListener, ConnectionTimeouts, ListenAddress, ServerError, ServerOptions};
use countersign_store::Clock;
use countersign_tests::trusting_options;
use std::time::Duration;
use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpStream, UnixStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// A time limit that a test waits for.
const SHORT: Duration = Duration::from_millis(50);
/// A time limit that no test reaches.
const LONG: Duration = Duration::from_hours(1);
const NO_LIMITS: ConnectionTimeouts =
    ConnectionTimeouts { connect: LONG, head: LONG, body: LONG, idle: LONG, write: LONG };

const HEALTH: &str = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Socket for S {}

/// A server on a port and on a socket file.
struct LimitedServer {
    gate: EmbeddedGate,
    folder: TempDir,
    address: ListenAddress,
    stop: CancellationToken,
    served: JoinHandle<Result<(), ServerError>>,
}

impl LimitedServer {
    async fn start(timeouts: ConnectionTimeouts, max_connections: Option<usize>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let gate = EmbeddedGate::open(folder.path().join("log.db")).await.expect("a new log");
        let port = BoundListener::bind(&"127.0.0.1:0".parse().expect("an address"), false).expect("a port");
        let address = port.address().clone();
        let file = ListenAddress::Unix(folder.path().join("here.sock"));
        let file = BoundListener::bind(&file, false).expect("a socket");
        let (stop, options) = (
            CancellationToken::new(),
            ServerOptions { timeouts, max_connections, ..trusting_options(Clock::System) },
        );
        let served = countersign_server::serve(vec![port, file], gate.clone(), options, stop.clone());
        Self { gate, folder, address, stop, served: tokio::spawn(served) }
    }

    async fn connect_port(&self) -> TcpStream {
        let ListenAddress::Tcp(address) = self.address else { panic!("a port") };
        TcpStream::connect(address).await.expect("it listens")
    }

    /// Returns a connection to the port and one to the socket file.
    async fn connect(&self) -> [Box<dyn Socket>; 2] {
        let file = UnixStream::connect(self.folder.path().join("here.sock")).await.expect("it listens");
        [Box::new(self.connect_port().await), Box::new(file)]
    }

    async fn end(self) {
        self.stop.cancel();
        self.served.await.expect("no panic").expect("no error");
        self.gate.shut_down().await;
    }
}

/// Sends `text` and returns everything that the server sends until it closes the connection.
async fn answer_until_close(mut socket: impl Socket, text: &str) -> String {
    socket.write_all(text.as_bytes()).await.expect("the server reads");
    let mut answer = Vec::new();
    // A connection that is closed with unread bytes may be reset.
    let _ = socket.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends `text` over a port and over a socket file, and returns the answers when the server closes the connections.
async fn answers_until_close(timeouts: ConnectionTimeouts, text: &str) -> Vec<String> {
    let server = LimitedServer::start(timeouts, None).await;
    let mut answers = Vec::new();
    for socket in server.connect().await {
        answers.push(answer_until_close(socket, text).await);
    }
    server.end().await;
    answers
}

#[tokio::test]
async fn silent_client_is_disconnected() {
    let limits = ConnectionTimeouts { connect: SHORT, ..NO_LIMITS };
    assert_eq!(answers_until_close(limits, "").await, ["", ""]);
}

#[tokio::test]
async fn half_a_head_is_disconnected() {
    let limits = ConnectionTimeouts { head: SHORT, ..NO_LIMITS };
    assert_eq!(answers_until_close(limits, "GET /healthz HTTP/1.1\r\nHos").await, ["", ""]);
}

#[tokio::test]
async fn missing_body_is_answered_and_disconnected() {
    let limits = ConnectionTimeouts { body: SHORT, ..NO_LIMITS };
    let head = "POST /v1/threads/t/close HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Content-Length: 2\r\n\r\n{";
    for answer in answers_until_close(limits, head).await {
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(
            answer.contains(
                r#""code":"request_timeout","detail":"the body was not complete after 0.05 seconds""#
            ),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn idle_client_is_disconnected_after_its_answer() {
    let limits = ConnectionTimeouts { idle: SHORT, ..NO_LIMITS };
    for answer in answers_until_close(limits, HEALTH).await {
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

/// Proposes calls whose events do not fit into a socket's buffers.
async fn fill_log(gate: &EmbeddedGate) {
    let text = format!(r#"{{"command":"{}"}}"#, "x".repeat(1_000_000));
    let agent = gate.acting_as(Principal::agent("bot"));
    for number in 0..20 {
        let call = api::ProposeRequest::new(&format!("call_{number}"), "bash", &text).expect("a call");
        agent.propose(&parse_thread_id("t").expect("a name"), &call).await.expect("proposed");
    }
}

/// Returns a series value, read over a new connection.
async fn metric(server: &LimitedServer, series: &str) -> String {
    let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let answer = answer_until_close(server.connect_port().await, request).await;
    let line = answer.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("there is no {series} in\n{answer}")).to_owned()
}

#[tokio::test]
async fn stream_reader_that_never_reads_is_dropped() {
    let server = LimitedServer::start(ConnectionTimeouts { write: SHORT, ..NO_LIMITS }, None).await;
    fill_log(&server.gate).await;
    let mut sockets = server.connect().await;
    for socket in &mut sockets {
        let request = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
        socket.write_all(request.as_bytes()).await.expect("the server reads");
    }
    while metric(&server, r#"countersign_http_connection_timeouts_total{step="write"}"#).await != "2" {
        tokio::task::yield_now().await;
    }
    assert_eq!(metric(&server, "countersign_http_streams").await, "0", "the streams have ended");
    server.end().await;
}

/// The connections here outlive another one that is disconnected for the same time limits.
#[tokio::test]
async fn waits_and_streams_outlive_the_timeouts() {
    let server = LimitedServer::start(
        ConnectionTimeouts { connect: LONG, head: SHORT, body: SHORT, idle: SHORT, write: SHORT },
        None,
    )
    .await;
    let (agent, ada) =
        (server.gate.acting_as(Principal::agent("bot")), server.gate.acting_as(Principal::user("ada")));
    let thread = parse_thread_id("t").expect("a name");
    let call = api::ProposeRequest::new("call_1", "bash", r#"{"command":"ls"}"#).expect("a call");
    let call = agent.propose(&thread, &call).await.expect("proposed");
    let mut stream = server.connect_port().await;
    let request = "GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n";
    stream.write_all(request.as_bytes()).await.expect("the server reads");
    let wait = "GET /v1/threads/t/tool-calls/call_1 HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=300\r\n\
        Connection: close\r\n\r\n";
    let waiting = tokio::spawn(answer_until_close(server.connect_port().await, wait));
    while metric(&server, "countersign_http_waits").await != "1" {}
    for _ in 0..3 {
        assert_eq!(
            answer_until_close(server.connect_port().await, "GET").await,
            "",
            "a slow client is disconnected"
        );
    }
    ada.decide(&thread, &call.id, &api::DecisionRequest::plain(Decision::Deny)).await.expect("decided");
    let answer = waiting.await.expect("no panic");
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("denied"), "{answer}");
    let (mut seen, mut part) = (String::new(), [0; 4_096]);
    while !seen.contains("event: TOOL_APPROVAL_RESPONSE") {
        let length = stream.read(&mut part).await.expect("the stream is open");
        assert_ne!(length, 0, "the server closed the stream: {seen}");
        seen.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    server.end().await;
}

#[tokio::test]
async fn connections_beyond_the_maximum_are_refused() {
    let server = LimitedServer::start(NO_LIMITS, Some(2)).await;
    let mut held = server.connect().await;
    for socket in &mut held {
        socket.write_all(HEALTH.as_bytes()).await.expect("the server reads");
        let mut status = [0; 15];
        socket.read_exact(&mut status).await.expect("the server answers");
        assert_eq!(&status, b"HTTP/1.1 200 OK");
    }
    let pending = "GET /v1/approvals/pending HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for socket in server.connect().await {
        let answer = answer_until_close(socket, pending).await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(
            answer.contains("retry-after: 1\r\n") && answer.contains("connection: close\r\n"),
            "{answer}"
        );
        assert!(
            answer.contains(r#""code":"too_many_connections","detail":"the server has 2 connections"#),
            "{answer}"
        );
    }
    let alive = answer_until_close(server.connect_port().await, HEALTH).await;
    assert!(alive.starts_with("HTTP/1.1 200 "), "{alive}");
    drop(held);
    loop {
        let answer = answer_until_close(
            server.connect_port().await,
            "GET /v1/approvals/pending HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
        )
        .await;
        if answer.starts_with("HTTP/1.1 200 ") {
            break;
        }
    }
    let refused = metric(&server, "countersign_http_connections_refused_total").await;
    assert!(refused.parse::<u64>().expect("a number") >= 3, "{refused}");
    server.end().await;
}

#[tokio::test]
async fn silent_clients_do_not_hold_the_liveness_check() {
    let server = LimitedServer::start(NO_LIMITS, Some(1)).await;
    let mut held = Vec::new();
    for _ in 0..40 {
        held.push(server.connect_port().await);
    }
    // The oldest of the connections beyond the maximum give way, and the one that has a place does not.
    let alive = answer_until_close(server.connect_port().await, HEALTH).await;
    assert!(alive.starts_with("HTTP/1.1 200 "), "{alive}");
    let mut first = held.remove(0);
    first.write_all(HEALTH.as_bytes()).await.expect("the server reads");
    let mut status = [0; 15];
    first.read_exact(&mut status).await.expect("the server answers");
    assert_eq!(&status, b"HTTP/1.1 200 OK");
    server.end().await;
}

/// Sends a whole body of this size before it reads the answer, as simple clients do.
async fn answer_to_large_body(server: &LimitedServer, head: &str, bytes: usize) -> String {
    let mut socket = server.connect_port().await;
    let head = format!("{head}content-length: {bytes}\r\nconnection: close\r\n\r\n");
    socket.write_all(head.as_bytes()).await.expect("the server reads");
    let chunk = vec![b' '; 64 * 1024];
    let mut left = bytes;
    while left > 0 {
        let sent = left.min(chunk.len());
        socket.write_all(&chunk[..sent]).await.expect("the server reads to the end");
        left -= sent;
    }
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("the connection is not broken");
    answer
}

#[tokio::test]
async fn refusal_of_large_body_reaches_the_client() {
    let server = LimitedServer::start(NO_LIMITS, None).await;
    let post = |path: &str, headers: &str| format!("POST {path} HTTP/1.1\r\nhost: localhost\r\n{headers}");
    let json = "content-type: application/json\r\n";
    for (head, status) in [
        (post("/v1/threads/t/tool-calls", json), "413"),
        (post("/v1/threads/t/tool-calls", "content-type: text/plain\r\n"), "415"),
        (post("/v1/nothing", json), "404"),
        (post("/v1/threads/t/tool-calls", &format!("{json}authorization: Bearer csgn_wrong\r\n")), "401"),
    ] {
        let answer = answer_to_large_body(&server, &head, 16 * 1024 * 1024).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{head}: {answer}");
    }
    server.end().await;
}
