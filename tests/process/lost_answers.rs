//! An answer that is lost on its way: what was done is not done again, and not given up either.

use crate::harness::{Place, Process, Server, in_time};
use countersign_gate::EventType;
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

/// Whether the answer to a request is lost, by its first line and by how many were lost before.
type Losing = fn(line: &str, before: usize) -> bool;

/// What a server says that is about to leave.
const LEAVING: &str =
    r#"{"title":"Service Unavailable","status":503,"code":"shutting_down","detail":"soon"}"#;

/// What one says whose database restarts.
const WITHOUT_DATABASE: &str =
    r#"{"title":"Service Unavailable","status":503,"code":"database_unreachable","detail":"soon"}"#;

/// How both begin.
const UNAVAILABLE: &str =
    "503 Service Unavailable\r\ncontent-type: application/problem+json\r\nretry-after: 1";

/// Stands between a client and its server, and loses some answers: the connection breaks instead, or the
/// client is told something else.
#[derive(Clone)]
struct Wire {
    server: SocketAddr,
    losing: Losing,
    instead: Option<&'static str>,
    lost: Arc<AtomicUsize>,
}

impl Wire {
    fn new(server: &Server, losing: Losing) -> Self {
        Self { server: server.address(), losing, instead: None, lost: Arc::default() }
    }

    /// Begins to pass on, and gives its address.
    async fn open(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let wire = self.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(wire.clone().pass_on(client));
            }
        });
        url
    }

    /// One connection, until either side ends it, or an answer is lost.
    async fn pass_on(self, mut client: TcpStream) -> std::io::Result<()> {
        let mut server = TcpStream::connect(self.server).await?;
        let (mut asked, mut answered) = (vec![0; 64 * 1024], vec![0; 64 * 1024]);
        let mut cut = false;
        loop {
            tokio::select! {
                read = client.read(&mut asked) => {
                    let asked = &asked[..read?];
                    let text = String::from_utf8_lossy(asked);
                    cut |= (self.losing)(text.lines().next().unwrap_or(""), self.lost.load(SeqCst));
                    if asked.is_empty() {
                        return Ok(());
                    }
                    server.write_all(asked).await?;
                }
                read = server.read(&mut answered) => {
                    let answered = &answered[..read?];
                    if cut {
                        self.lost.fetch_add(1, SeqCst);
                        return client.write_all(self.instead.unwrap_or("").as_bytes()).await;
                    }
                    if answered.is_empty() {
                        return Ok(());
                    }
                    client.write_all(answered).await?;
                }
            }
        }
    }
}

/// A run over a wire that loses answers; it is allowed, and runs once.
async fn runs_once_over_a_wire(losing: Losing, instead: Option<&'static str>) {
    let place = Place::new();
    let server = place.serve().await;
    let wire = Wire { instead, ..Wire::new(&server, losing) };
    let url = wire.open().await;
    let mut run = place.countersign(&["--server", &url, "run", "--id", "deploy", "--"]);
    let mut run = Process::start(run.args(["bash", "-c", "echo deployed >> ran"]));
    run.complains("is pending").await;
    server.allow("terminal", "deploy").await;
    let ended = run.ended().await;
    assert_eq!((ended.code, place.lines("ran")), (0, 1), "{}", ended.stderr);
    assert_eq!(wire.lost.load(SeqCst), 3);
    let events = place.sound_log().await;
    assert_eq!(events.len(), 5, "one call, request, response, claim and result");
    assert_eq!(events.last().map(|event| event.kind), Some(EventType::ToolResult));
}

fn is_claim(line: &str) -> bool {
    line.contains("/deploy/claim ")
}

fn is_look(line: &str) -> bool {
    line.starts_with("GET /v1/threads/terminal/tool-calls/deploy ")
}

#[tokio::test]
async fn a_run_whose_claim_was_made_and_the_answer_lost_knows_its_own_claim_and_runs_once() {
    in_time(runs_once_over_a_wire(|line, before| before < 3 && is_claim(line), None)).await;
}

#[tokio::test]
async fn a_run_that_cannot_look_at_its_own_claim_at_once_looks_again() {
    let losing: Losing =
        |line, before| if before == 0 { is_claim(line) } else { before < 3 && is_look(line) };
    in_time(runs_once_over_a_wire(losing, None)).await;
}

/// An answer of another status, with more headers if there are any, to say in the place of the server's.
fn saying(head: &str, body: &str) -> &'static str {
    let length = body.len();
    let text = format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    text.leak()
}

#[tokio::test]
async fn a_run_whose_claim_meets_a_server_that_is_leaving_claims_at_the_next_one() {
    let losing: Losing = |line, before| before < 3 && is_claim(line);
    in_time(runs_once_over_a_wire(losing, Some(saying(UNAVAILABLE, LEAVING)))).await;
}

#[tokio::test]
async fn a_run_whose_server_has_lost_its_database_goes_on_when_it_is_back() {
    let first: Losing =
        |line, before| before < 3 && line.starts_with("POST /v1/threads/terminal/tool-calls ");
    let waiting: Losing = |line, before| before < 3 && is_look(line);
    let claiming: Losing = |line, before| before < 3 && is_claim(line);
    let ended: Losing = |line, before| before < 3 && line.contains("/deploy/result ");
    let instead = || Some(saying(UNAVAILABLE, WITHOUT_DATABASE));
    let runs =
        [first, waiting, claiming, ended].map(|losing| Box::pin(runs_once_over_a_wire(losing, instead())));
    in_time(async { drop(join_all(runs).await) }).await;
}

#[tokio::test]
async fn a_run_whose_proxy_finds_no_server_asks_again() {
    let page = "<html><h1>502 Bad Gateway</h1></html>";
    let losing: Losing = |line, before| before < 3 && is_look(line);
    in_time(runs_once_over_a_wire(losing, Some(saying("502 Bad Gateway\r\ncontent-type: text/html", page))))
        .await;
}

#[tokio::test]
async fn a_run_whose_result_was_written_and_the_answer_lost_brings_it_again() {
    in_time(runs_once_over_a_wire(|line, before| before < 3 && line.contains("/deploy/result "), None)).await;
}

#[tokio::test]
async fn a_run_whose_wait_is_cut_off_asks_again() {
    in_time(runs_once_over_a_wire(|line, before| before < 3 && is_look(line), None)).await;
}

#[tokio::test]
async fn runs_outlive_a_server_that_is_killed_or_stopped_again_and_again() {
    in_time(async {
        let place = Place::new();
        let mut server = place.serve().await;
        let address = server.address().to_string();
        let mut runs = Vec::new();
        for number in 0..12 {
            let mut run =
                place.countersign(&["--server", &server.url, "run", "--id", &format!("call_{number}")]);
            let mut run =
                Process::start(run.args(["--", "bash", "-c", "echo $0 >> ran", &number.to_string()]));
            run.complains("is pending").await;
            runs.push(run);
        }
        for number in 0..runs.len() {
            let id = format!("call_{number}");
            assert_eq!(place.ends(&["allow", &id, "--thread", "terminal"]).await.0, 0);
            if number % 2 == 0 {
                server.kill().await;
            } else {
                server.signal(Signal::TERM);
                assert_eq!(server.ended().await.code, 0);
            }
            server = Server::start(&place, &address).await;
        }
        for run in runs {
            let ended = run.ended().await;
            assert_eq!(ended.code, 0, "{}", ended.stderr);
        }
        assert_eq!(place.lines("ran"), 12);
        assert_eq!(place.sound_log().await.len(), 12 * 5);
    })
    .await;
}
