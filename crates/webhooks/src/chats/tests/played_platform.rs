//! A chat platform on loopback, whose answers the test chooses.

use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request that the platform got.
#[derive(Debug, Clone)]
pub(super) struct PlayedRequest {
    /// The method and the path with its query.
    pub(super) line: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Value,
}

/// The status, a header or none, and the body.
pub(super) struct PlayedAnswer {
    pub(super) status: u16,
    pub(super) header: String,
    pub(super) body: String,
}

impl PlayedAnswer {
    pub(super) fn json(body: &Value) -> Self {
        Self { status: 200, header: String::new(), body: body.to_string() }
    }
}

pub(super) struct PlayedPlatform {
    pub(super) origin: String,
    requests: Arc<Mutex<Vec<PlayedRequest>>>,
    serving: JoinHandle<()>,
}

impl Drop for PlayedPlatform {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl PlayedPlatform {
    pub(super) async fn start(
        answer: impl Fn(&PlayedRequest) -> PlayedAnswer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let known = Arc::clone(&requests);
        let serving = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let Some(request) = read_request(&mut stream).await else { continue };
                let given = answer(&request);
                known.lock().expect("no panic").push(request);
                let (status, header, body) = (given.status, given.header, given.body);
                let length = body.len();
                let text = format!(
                    "HTTP/1.1 {status} Played\r\n{header}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
                );
                let _ = stream.write_all(text.as_bytes()).await;
            }
        });
        Self { origin, requests, serving }
    }

    /// The requests since the last call.
    pub(super) fn take(&self) -> Vec<PlayedRequest> {
        std::mem::take(&mut *self.requests.lock().expect("no panic"))
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<PlayedRequest> {
    let mut bytes = Vec::new();
    let end = loop {
        let mut part = [0; 4_096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&part[..count]);
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
    let mut lines = head.lines();
    let line = lines.next()?.trim_end_matches(" HTTP/1.1").to_owned();
    let headers: BTreeMap<_, _> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = bytes[end + 4..].to_vec();
    while body.len() < length {
        let mut part = [0; 4_096];
        let count = stream.read(&mut part).await.ok().filter(|count| *count > 0)?;
        body.extend_from_slice(&part[..count]);
    }
    Some(PlayedRequest { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}
