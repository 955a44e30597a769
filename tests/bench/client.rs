//! An ordinary HTTP client: hyper, with one persistent connection.

use crate::lab::LabOutcome;
use hyper::{
    Method, Request, StatusCode,
    body::{Body, Incoming},
    client::conn::http1::{self, SendRequest},
    header,
};
use hyper_util::rt::TokioIo;
use std::{future::poll_fn, net::SocketAddr, pin::Pin, sync::Arc, time::Instant};
use tokio::{net::TcpStream, sync::mpsc::UnboundedSender};

/// A server, and the tokens that it accepts.
#[derive(Clone)]
pub(crate) struct BenchTarget {
    pub(crate) address: SocketAddr,
    pub(crate) agent: Arc<str>,
    pub(crate) approver: Arc<str>,
}

impl BenchTarget {
    /// The value of `Authorization` for a request: decisions are those of the approver, all else is the agent's.
    fn authorization(&self, method: &Method, path: &str) -> String {
        let decides = method == Method::POST && path.contains("/approvals/");
        format!("Bearer {}", if decides { &self.approver } else { &self.agent })
    }
}

/// One persistent connection.
pub(crate) struct BenchClient {
    sender: SendRequest<String>,
    target: BenchTarget,
}

/// A complete response.
pub(crate) struct BenchAnswer {
    pub(crate) tag: Option<String>,
    body: Vec<u8>,
}

impl BenchAnswer {
    pub(crate) fn text(self) -> LabOutcome<String> {
        Ok(String::from_utf8(self.body)?)
    }
}

impl BenchClient {
    pub(crate) async fn connect(target: &BenchTarget) -> LabOutcome<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the client. A failure also fails the request in progress.
        tokio::spawn(connection);
        Ok(Self { sender, target: target.clone() })
    }

    pub(crate) async fn get(&mut self, path: &str) -> LabOutcome<BenchAnswer> {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&mut self, path: &str, headers: &[(&str, &str)]) -> LabOutcome<BenchAnswer> {
        self.send(Method::GET, path, headers, String::new()).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: String) -> LabOutcome<BenchAnswer> {
        self.send(Method::POST, path, &[(header::CONTENT_TYPE.as_str(), "application/json")], body).await
    }

    async fn send(
        &mut self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: String,
    ) -> LabOutcome<BenchAnswer> {
        let authorization = self.target.authorization(&method, path);
        let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
        request = request.header(header::AUTHORIZATION, authorization);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.sender.ready().await?;
        let response = self.sender.send_request(request.body(body)?).await?;
        let (head, mut body) = response.into_parts();
        let mut bytes = Vec::new();
        while let Some(chunk) = next_chunk(&mut body).await? {
            bytes.extend_from_slice(&chunk);
        }
        if !head.status.is_success() && head.status != StatusCode::NOT_MODIFIED {
            let text = String::from_utf8_lossy(&bytes);
            return Err(format!("{path} was answered with {}: {text}", head.status).into());
        }
        let tag = head.headers.get(header::ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        Ok(BenchAnswer { tag, body: bytes })
    }

    /// Requests the stream at `path`. Returns its reader when the first message has arrived.
    pub(crate) async fn read_stream(mut self, path: &str) -> LabOutcome<BenchReader> {
        let request = Request::get(path)
            .header(header::HOST, "localhost")
            .header(header::AUTHORIZATION, self.target.authorization(&Method::GET, path))
            .header(header::ACCEPT, "text/event-stream")
            .body(String::new())?;
        let body = self.sender.send_request(request).await?.into_body();
        let mut reader = BenchReader { body, _client: self, unread: Vec::new() };
        reader.next().await?;
        Ok(reader)
    }
}

async fn next_chunk(body: &mut Incoming) -> LabOutcome<Option<Vec<u8>>> {
    loop {
        let Some(frame) = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await else {
            return Ok(None);
        };
        if let Ok(data) = frame?.into_data() {
            return Ok(Some(data.to_vec()));
        }
    }
}

/// Reads an event stream.
pub(crate) struct BenchReader {
    body: Incoming,
    /// The connection ends with its client.
    _client: BenchClient,
    unread: Vec<u8>,
}

impl BenchReader {
    /// Returns the next message and the time of its arrival.
    async fn next(&mut self) -> LabOutcome<(Vec<u8>, Instant)> {
        loop {
            if let Some(end) = find(&self.unread, b"\n\n") {
                return Ok((self.unread.drain(..end + 2).collect(), Instant::now()));
            }
            self.unread.extend(next_chunk(&mut self.body).await?.ok_or("the stream ended")?);
        }
    }

    /// Reads the stream. For each event, sends the number of this reader and the time of arrival.
    pub(crate) async fn read(
        mut self,
        who: usize,
        came: UnboundedSender<(usize, Instant)>,
    ) -> LabOutcome<()> {
        loop {
            let (message, at) = self.next().await?;
            if find(&message, b"id: ").is_some() {
                came.send((who, at))?;
            }
        }
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
