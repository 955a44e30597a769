//! A server in its own process, and a minimal client. The client shares the processors with the server, so it uses one
//! connection and writes its requests without an HTTP library.

use crate::lab::{self, LabOutcome};
use countersign_api::ApprovalGate;
use countersign_gate::{DatabaseUrl as GateAddress, EmbeddedGate, Policy, StoreOptions, SyncMode};
use countersign_server::{BoundListener, ListenAddress, ServerOptions};
use std::{
    net::{Ipv4Addr, SocketAddr},
    time::Instant,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, copy, sink, stdin},
    net::TcpStream,
    process::Child,
    sync::mpsc::UnboundedSender,
};
use tokio_util::sync::CancellationToken;

/// A server process. It ends when its standard input is closed.
pub(crate) struct BenchServer {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl BenchServer {
    pub(crate) async fn start(address: &str, synchronous: &str) -> LabOutcome<Self> {
        let arguments = [address.to_owned(), synchronous.to_owned()];
        let mut child = lab::child("server", &arguments)?.spawn()?;
        let stdout = child.stdout.take().ok_or("the child has no stdout")?;
        let line =
            BufReader::new(stdout).lines().next_line().await?.ok_or("the server printed no address")?;
        Ok(Self { child, address: line.parse()? })
    }

    /// Returns the resident memory of the process in bytes.
    pub(crate) fn memory(&self) -> LabOutcome<usize> {
        let id = self.child.id().ok_or("the server has ended")?;
        lab::resident(&id.to_string())
    }

    pub(crate) async fn stop(mut self) -> LabOutcome<()> {
        drop(self.child.stdin.take());
        self.child.wait().await?;
        Ok(())
    }
}

/// Runs in the child process: serves the log, prints the address, and ends when the standard input is closed.
pub(crate) async fn serve(address: &str, synchronous: &str) -> LabOutcome<()> {
    let synchronous = if synchronous == "full" { SyncMode::Full } else { SyncMode::Normal };
    let options = StoreOptions { synchronous, ..StoreOptions::default() };
    let gate = EmbeddedGate::open_with(GateAddress::parse(address)?, options, Policy::ask_always()).await?;
    let listener = BoundListener::bind(&ListenAddress::Tcp((Ipv4Addr::LOCALHOST, 0).into()), false)?;
    println!("{}", listener.address());
    let stop = CancellationToken::new();
    let stop_on_eof = stop.clone();
    tokio::spawn(async move {
        let _ = copy(&mut stdin(), &mut sink()).await;
        stop_on_eof.cancel();
    });
    countersign_server::serve(vec![listener], gate.clone(), ServerOptions::default(), stop).await?;
    gate.shut_down().await;
    Ok(())
}

/// One persistent connection.
pub(crate) struct BenchClient {
    stream: TcpStream,
    answer: Vec<u8>,
}

impl BenchClient {
    pub(crate) async fn connect(address: SocketAddr) -> LabOutcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, answer: Vec::with_capacity(4_096) })
    }

    pub(crate) async fn get(&mut self, path: &str) -> LabOutcome<()> {
        self.send_request(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &str) -> LabOutcome<()> {
        let length = body.len();
        self.send_request(&format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
        .await
    }

    async fn send_request(&mut self, request: &str) -> LabOutcome<()> {
        self.stream.write_all(request.as_bytes()).await?;
        self.answer.clear();
        loop {
            if self.stream.read_buf(&mut self.answer).await? == 0 {
                return Err("the server closed the connection".into());
            }
            if is_complete(&self.answer)? {
                break;
            }
        }
        if self.answer.starts_with(b"HTTP/1.1 2") {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&self.answer).into_owned().into())
    }

    /// Requests the stream at `path`. Returns its reader when the server has sent the head of the response.
    pub(crate) async fn read_stream(mut self, path: &str) -> LabOutcome<BenchReader> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n");
        self.stream.write_all(request.as_bytes()).await?;
        let mut reader = BenchReader { stream: self.stream, unread: Vec::new() };
        reader.next().await?;
        Ok(reader)
    }
}

/// Returns true if a response is complete: its body has the length of its `content-length`.
fn is_complete(answer: &[u8]) -> LabOutcome<bool> {
    let Some(end) = find(answer, b"\r\n\r\n") else { return Ok(false) };
    let head = answer.get(..end).ok_or("the answer has no head")?;
    let name = b"content-length: ";
    let start = find(head, name).ok_or("the answer has no content-length")? + name.len();
    let digits = head.iter().skip(start).take_while(|byte| byte.is_ascii_digit());
    let length = digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0'));
    Ok(answer.len() >= end + 4 + length)
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

/// A reader of a stream of events.
pub(crate) struct BenchReader {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl BenchReader {
    /// Returns the next message and the time of its arrival.
    async fn next(&mut self) -> LabOutcome<(Vec<u8>, Instant)> {
        loop {
            if let Some(end) = find(&self.unread, b"\n\n") {
                return Ok((self.unread.drain(..end + 2).collect(), Instant::now()));
            }
            if self.stream.read_buf(&mut self.unread).await? == 0 {
                return Err("the stream ended".into());
            }
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
