//! The contract network: forwards requests to the server one by one, and loses or replaces some on command.

use countersign_tests::in_time;
use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::Instant,
};
use tokio_util::task::AbortOnDropHandle;

/// What happens to a request.
#[derive(Clone)]
pub(crate) enum RequestFault {
    /// The server does not receive it.
    LoseRequest,
    /// The server answers, and the answer does not arrive.
    LoseAnswer,
    /// This answer arrives instead of the server's.
    Answer(String),
}

struct PlannedFault {
    fault: RequestFault,
    to: String,
    left: u64,
}

struct NetworkState {
    target: Mutex<SocketAddr>,
    faults: Mutex<Vec<PlannedFault>>,
    /// The request times by kind.
    arrivals: watch::Sender<HashMap<String, Vec<Instant>>>,
}

/// A proxy in front of the server, on its own port.
pub(crate) struct FaultyNetwork {
    pub(crate) url: String,
    state: Arc<NetworkState>,
    _accept: AbortOnDropHandle<()>,
}

impl FaultyNetwork {
    pub(crate) async fn before(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (target, faults) = (Mutex::new(target), Mutex::default());
        let state = Arc::new(NetworkState { target, faults, arrivals: watch::Sender::default() });
        let accepting = Arc::clone(&state);
        let accept = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(serve(client, Arc::clone(&accepting)));
            }
        });
        Self { url, state, _accept: AbortOnDropHandle::new(accept) }
    }

    pub(crate) fn redirect_to(&self, target: SocketAddr) {
        *self.state.target.lock().expect("the mutex is not poisoned") = target;
    }

    pub(crate) fn plan(&self, fault: RequestFault, to: String, times: u64) {
        let planned = PlannedFault { fault, to, left: times };
        self.state.faults.lock().expect("the mutex is not poisoned").push(planned);
    }

    /// Returns the kinds of requests whose faults did not occur.
    pub(crate) fn unused_faults(&self) -> Vec<String> {
        let faults = self.state.faults.lock().expect("the mutex is not poisoned");
        faults.iter().map(|fault| fault.to.clone()).collect()
    }

    /// Waits until `times` requests of this kind have arrived since the start.
    pub(crate) async fn await_requests(&self, kind: &str, times: usize) {
        let mut arrivals = self.state.arrivals.subscribe();
        let arrived =
            arrivals.wait_for(|seen| seen.get(kind).is_some_and(|times_seen| times_seen.len() >= times));
        drop(in_time(arrived).await.expect("the network owns the sender"));
    }

    pub(crate) fn arrivals(&self, kind: &str) -> Vec<Instant> {
        self.state.arrivals.borrow().get(kind).cloned().unwrap_or_default()
    }
}

impl NetworkState {
    /// Notes the request, and returns its fault.
    fn note(&self, kind: &str) -> Option<RequestFault> {
        let fault = self.find_fault(kind);
        self.arrivals.send_modify(|seen| seen.entry(kind.to_owned()).or_default().push(Instant::now()));
        fault
    }

    fn find_fault(&self, kind: &str) -> Option<RequestFault> {
        let mut faults = self.faults.lock().expect("the mutex is not poisoned");
        let at = faults.iter().position(|fault| fault.to == kind)?;
        faults[at].left -= 1;
        Some(if faults[at].left == 0 { faults.remove(at).fault } else { faults[at].fault.clone() })
    }
}

/// Serves one request, and closes the connection. An error ends only this connection.
async fn serve(client: TcpStream, state: Arc<NetworkState>) {
    let _ = serve_request(client, &state).await;
}

async fn serve_request(client: TcpStream, state: &NetworkState) -> io::Result<()> {
    let mut client = BufReader::new(client);
    let (mut head, mut length, mut header) = (String::new(), 0, [String::new(), String::new()]);
    loop {
        let mut line = String::new();
        client.read_line(&mut line).await?;
        let lower = line.to_ascii_lowercase();
        if let Some(text) = lower.strip_prefix("content-length:") {
            length = text.trim().parse().map_err(io::Error::other)?;
        }
        match lower.split_once(':') {
            Some(("accept", value)) => value.clone_into(&mut header[0]),
            Some(("prefer", value)) => value.clone_into(&mut header[1]),
            _ => {}
        }
        if line.trim().is_empty() {
            break;
        }
        if !lower.starts_with("connection:") {
            head.push_str(&line);
        }
    }
    let mut body = vec![0; length];
    client.read_exact(&mut body).await?;
    let fault = state.note(request_kind(&head, &header));
    let mut client = client.into_inner();
    match fault {
        Some(RequestFault::LoseRequest) => return Ok(()),
        Some(RequestFault::Answer(answer)) => return client.write_all(answer.as_bytes()).await,
        Some(RequestFault::LoseAnswer) | None => {}
    }
    // The server closes the connection after its answer, so that finding the answer's end needs no parsing.
    head.push_str("connection: close\r\n\r\n");
    let target = *state.target.lock().expect("the mutex is not poisoned");
    let mut server = TcpStream::connect(target).await?;
    server.write_all(&[head.as_bytes(), &body].concat()).await?;
    let (mut from_client, mut to_client) = client.split();
    let relay = async {
        if fault.is_some() {
            return tokio::io::copy(&mut server, &mut tokio::io::sink()).await.map(drop);
        }
        tokio::io::copy(&mut server, &mut to_client).await.map(drop)
    };
    let mut rest = [0];
    tokio::select! {
        ended = relay => ended,
        gone = from_client.read(&mut rest) => gone.map(drop),
    }
}

/// Returns the request operation, as the stories name it.
fn request_kind(head: &str, [accept, prefer]: &[String; 2]) -> &'static str {
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let path = path.split('?').next().unwrap_or("");
    match (method, path.rsplit('/').next().unwrap_or("")) {
        _ if accept.contains("text/event-stream") => "stream",
        ("POST", "tool-calls") => "propose",
        ("POST", "claim") => "claim",
        ("POST", "renew") => "renew",
        ("POST", "result") => "finish",
        ("POST", "cancel") => "cancel",
        ("POST", _) if path.contains("/approvals/") => "decide",
        ("GET", _) if path.contains("/tool-calls/") && prefer.contains("wait=") => "wait",
        ("GET", _) if path.contains("/tool-calls/") => "read",
        _ => "other",
    }
}
