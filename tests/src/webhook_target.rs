//! A service that the server under test calls, such as a webhook's target: an HTTP server whose answers the test
//! chooses.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
    task::JoinHandle,
};

/// A target's answer to one request.
#[derive(Debug, Clone)]
pub enum TargetAnswer {
    /// An answer with this status.
    Status(u16),
    /// A redirect to another address of the target.
    Redirect,
    /// None: the connection stays open.
    Hang,
    /// This text as JSON.
    Json(String),
    /// This text as JSON, when the test releases it.
    JsonAfter(Arc<Semaphore>, String),
    /// The start of a body that never ends.
    Endless,
}

/// A message that a target received.
#[derive(Debug, Clone)]
pub struct ReceivedMessage {
    /// The request's method.
    pub method: String,
    /// The request's path.
    pub path: String,
    /// The headers, by their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
    /// The body's bytes.
    pub bytes: Vec<u8>,
}

impl ReceivedMessage {
    /// Returns the body as JSON.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("the body is JSON")
    }

    /// Returns the header with this name.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}: {:?}", self.headers))
    }

    /// Returns the message kind, and the call that it is about.
    #[must_use]
    pub fn subject(&self) -> String {
        let json = self.json();
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", text(&json["type"]), text(&json["data"]["call"]))
    }
}

/// A target of webhooks on a free port.
pub struct WebhookTarget {
    address: SocketAddr,
    messages: mpsc::UnboundedReceiver<ReceivedMessage>,
    serving: JoinHandle<()>,
}

impl Drop for WebhookTarget {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl WebhookTarget {
    /// Starts a target. `answer` gets the request number, from 0, and the message.
    pub async fn start(
        answer: impl Fn(usize, &ReceivedMessage) -> TargetAnswer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (sender, messages) = mpsc::unbounded_channel();
        let (answer, count) = (Arc::new(answer), Arc::new(AtomicUsize::new(0)));
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, count, sender) = (Arc::clone(&answer), Arc::clone(&count), sender.clone());
                tokio::spawn(async move {
                    let number = || count.fetch_add(1, Ordering::SeqCst);
                    serve(stream, sender, |message| answer(number(), message)).await;
                });
            }
        });
        Self { address, messages, serving }
    }

    /// Starts a target that accepts every message.
    pub async fn accepting() -> Self {
        Self::start(|_, _| TargetAnswer::Status(204)).await
    }

    /// Returns the target's URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/secret-path", self.address)
    }

    /// Waits for the next message.
    pub async fn receives(&mut self) -> ReceivedMessage {
        self.messages.recv().await.expect("the target runs")
    }

    /// Returns the messages that have arrived and were not waited for.
    pub fn received(&mut self) -> Vec<ReceivedMessage> {
        std::iter::from_fn(|| self.messages.try_recv().ok()).collect()
    }

    /// Waits for this number of messages, and returns their subjects.
    pub async fn receives_subjects(&mut self, count: usize) -> Vec<String> {
        let mut subjects = Vec::new();
        while subjects.len() < count {
            subjects.push(self.receives().await.subject());
        }
        subjects
    }
}

async fn serve(
    mut stream: TcpStream,
    sender: mpsc::UnboundedSender<ReceivedMessage>,
    answer: impl Fn(&ReceivedMessage) -> TargetAnswer,
) {
    while let Some(message) = read_request(&mut stream).await {
        let answered = answer(&message);
        let _ = sender.send(message);
        let (head, body) = match answered {
            TargetAnswer::Status(status) => (format!("HTTP/1.1 {status} Status\r\n"), String::new()),
            TargetAnswer::Redirect => {
                ("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n".to_owned(), String::new())
            }
            TargetAnswer::Json(body) => (json_head(), body),
            TargetAnswer::JsonAfter(released, body) => {
                released.acquire().await.expect("the test keeps it open").forget();
                (json_head(), body)
            }
            TargetAnswer::Endless => {
                let head = format!("{}Transfer-Encoding: chunked\r\n\r\n", json_head());
                let chunk = format!("1000\r\n{}\r\n", " ".repeat(0x1000));
                let mut sent = stream.write_all(head.as_bytes()).await;
                while sent.is_ok() {
                    sent = stream.write_all(chunk.as_bytes()).await;
                }
                return;
            }
            TargetAnswer::Hang => {
                let mut rest = Vec::new();
                let _ = stream.read_to_end(&mut rest).await;
                return;
            }
        };
        let answer = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn json_head() -> String {
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n".to_owned()
}

async fn read_request(stream: &mut TcpStream) -> Option<ReceivedMessage> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(position) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break position;
        }
        let mut chunk = [0; 4_096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
    };
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let mut lines = head.lines();
    let mut words = lines.next()?.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let headers: BTreeMap<_, _> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = bytes[head_end + 4..].to_vec();
    while body.len() < length {
        let mut chunk = [0; 4_096];
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        body.extend_from_slice(&chunk[..read]);
    }
    let text = String::from_utf8_lossy(&body).into_owned();
    Some(ReceivedMessage { method, path, headers, body: text, bytes: body })
}
