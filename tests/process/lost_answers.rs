//! Lost answers: the client neither repeats an action that succeeded nor stops retrying.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, Process, Server, in_time};
use futures_util::future::join_all;
use rustix::process::Signal;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Returns true to lose the answer to a request. The arguments are the first line of the request and the number of
/// answers that were lost before.
type LosingProxy = fn(line: &str, before: usize) -> bool;

/// The answer from a server that shuts down.
const SHUTTING_DOWN: &str =
    r#"{"title":"Service Unavailable","status":503,"code":"shutting_down","detail":"soon"}"#;

/// The answer from a server whose database restarts.
const WITHOUT_DATABASE: &str = r#"{"title":"Service Unavailable","status":503,"code":"database_unavailable","reason":"unreachable","detail":"soon"}"#;

/// The head of both answers.
const UNAVAILABLE: &str =
    "503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1";

/// A proxy between a client and its server that loses some answers: it closes the connection, or sends another answer.
#[derive(Clone)]
struct WireEnd {
    server: SocketAddr,
    losing: LosingProxy,
    instead: Option<&'static str>,
    lost: Arc<AtomicUsize>,
}

impl WireEnd {
    fn new(server: &Server, losing: LosingProxy) -> Self {
        Self { server: server.address(), losing, instead: None, lost: Arc::default() }
    }

    /// Starts the proxy, and returns its address.
    async fn open(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let proxy = self.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(proxy.clone().forward(client));
            }
        });
        url
    }

    /// Forwards one connection, until either side ends it or an answer is lost.
    async fn forward(self, mut client: TcpStream) -> std::io::Result<()> {
        let mut server = TcpStream::connect(self.server).await?;
        let (mut request, mut response) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        let mut cut = false;
        loop {
            tokio::select! {
                read = client.read(&mut request) => {
                    let request = &request[..read?];
                    let text = String::from_utf8_lossy(request);
                    cut |= (self.losing)(text.lines().next().unwrap_or(""), self.lost.load(SeqCst));
                    if request.is_empty() {
                        return Ok(());
                    }
                    server.write_all(request).await?;
                }
                read = server.read(&mut response) => {
                    let response = &response[..read?];
                    if cut {
                        self.lost.fetch_add(1, SeqCst);
                        return client.write_all(self.instead.unwrap_or("").as_bytes()).await;
                    }
                    if response.is_empty() {
                        return Ok(());
                    }
                    client.write_all(response).await?;
                }
            }
        }
    }
}

/// Runs a command over the proxy and allows it. The command must run once, and three answers must be lost.
async fn assert_runs_once(losing: LosingProxy, instead: Option<&'static str>) {
    let world = new_world(Database::Sqlite).await;
    let server = world.serves().await;
    let proxy = WireEnd { instead, ..WireEnd::new(&server, losing) };
    let url = proxy.open().await;
    let mut run = world.countersign(&["--server", &url, "run", "--id", "deploy", "--"]);
    let mut run = Process::start(run.args(["bash", "-c", "echo deployed >> ran"]));
    run.complains("is pending").await;
    server.person("ada").in_thread("terminal").allows("deploy").await;
    let ended = run.ended().await;
    assert_eq!((ended.code, world.line_count("ran")), (0, 1), "{}", ended.stderr);
    assert_eq!(proxy.lost.load(SeqCst), 3);
    let events = world.verified_log().await;
    assert_eq!(events.len(), 5, "one call, request, response, claim and result");
    assert_eq!(events.last().map(|event| event.kind), Some(EventType::ToolResult));
}

fn is_claim(line: &str) -> bool {
    line.contains("/deploy/claim ")
}

fn is_read(line: &str) -> bool {
    line.starts_with("GET /v1/threads/terminal/tool-calls/deploy ")
}

#[tokio::test]
async fn run_with_a_lost_claim_answer_runs_once() {
    in_time(assert_runs_once(|line, before| before < 3 && is_claim(line), None)).await;
}

#[tokio::test]
async fn run_with_a_lost_claim_check_checks_again() {
    let losing: LosingProxy =
        |line, before| if before == 0 { is_claim(line) } else { before < 3 && is_read(line) };
    in_time(assert_runs_once(losing, None)).await;
}

/// Returns an HTTP response's text.
fn http_response(head: &str, body: &str) -> &'static str {
    let length = body.len();
    let text = format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    text.leak()
}

#[tokio::test]
async fn run_claims_again_after_a_server_shutdown() {
    let losing: LosingProxy = |line, before| before < 3 && is_claim(line);
    in_time(assert_runs_once(losing, Some(http_response(UNAVAILABLE, SHUTTING_DOWN)))).await;
}

#[tokio::test]
async fn run_survives_a_server_without_its_database() {
    let first: LosingProxy =
        |line, before| before < 3 && line.starts_with("POST /v1/threads/terminal/tool-calls ");
    let waiting: LosingProxy = |line, before| before < 3 && is_read(line);
    let claiming: LosingProxy = |line, before| before < 3 && is_claim(line);
    let ended: LosingProxy = |line, before| before < 3 && line.contains("/deploy/result ");
    let instead = || Some(http_response(UNAVAILABLE, WITHOUT_DATABASE));
    let runs = [first, waiting, claiming, ended].map(|losing| Box::pin(assert_runs_once(losing, instead())));
    in_time(async { drop(join_all(runs).await) }).await;
}

#[tokio::test]
async fn run_retries_when_its_proxy_finds_no_server() {
    let page = "<html><h1>502 Bad Gateway</h1></html>";
    let losing: LosingProxy = |line, before| before < 3 && is_read(line);
    in_time(assert_runs_once(
        losing,
        Some(http_response("502 Bad Gateway\r\ncontent-type: text/html", page)),
    ))
    .await;
}

#[tokio::test]
async fn run_with_a_lost_result_answer_repeats_it() {
    in_time(assert_runs_once(|line, before| before < 3 && line.contains("/deploy/result "), None)).await;
}

#[tokio::test]
async fn run_with_an_interrupted_wait_waits_again() {
    in_time(assert_runs_once(|line, before| before < 3 && is_read(line), None)).await;
}

#[tokio::test]
async fn runs_survive_repeated_server_kills_and_stops() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut server = world.serves().await;
        let address = server.address().to_string();
        let mut runs = Vec::new();
        for number in 0..12 {
            let mut run =
                world.countersign(&["--server", &server.url, "run", "--id", &format!("call_{number}")]);
            let mut run =
                Process::start(run.args(["--", "bash", "-c", "echo $0 >> ran", &number.to_string()]));
            run.complains("is pending").await;
            runs.push(run);
        }
        for number in 0..runs.len() {
            let id = format!("call_{number}");
            assert_eq!(world.person("ada").in_thread("terminal").allows(&id).await.code, 0);
            if number % 2 == 0 {
                server.kill().await;
            } else {
                server.signal(Signal::TERM);
                assert_eq!(server.ended().await.code, 0);
            }
            server = world.serves_on(&address).await;
        }
        for run in runs {
            let ended = run.ended().await;
            assert_eq!(ended.code, 0, "{}", ended.stderr);
        }
        assert_eq!(world.line_count("ran"), 12);
        assert_eq!(world.verified_log().await.len(), 12 * 5);
    })
    .await;
}
