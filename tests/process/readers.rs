//! A stream reader that reads few bytes at a time, disconnects hundreds of times at random positions, and resumes
//! at another server.

use countersign_tests::{ProcessWorld, Random, Server};
use serde_json::Value;
use std::{net::SocketAddr, sync::Arc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};
use tokio_util::sync::CancellationToken;

on_each_database!(reconnecting_reader_sees_every_event_once);

const TIMES: usize = 300;

async fn reconnecting_reader_sees_every_event_once(world: ProcessWorld) {
    let servers = [Arc::new(world.serves().await), Arc::new(world.serves().await)];
    let mut random = Random::seeded_from_environment(7_878);
    let stop = CancellationToken::new();
    let writers: Vec<_> = (0..4).map(|n| tokio::spawn(write(n, servers.clone(), stop.clone()))).collect();
    let mut read = |path| StreamReader::new(path, &servers, random.fork()).read();
    let everything = tokio::spawn(read("/v1/events"));
    let of_one_thread = tokio::spawn(read("/v1/threads/thread-1/events"));
    let (everything, of_one_thread) =
        (everything.await.expect("the read succeeds"), of_one_thread.await.expect("the read succeeds"));
    stop.cancel();
    for writer in writers {
        writer.await.expect("the write succeeds");
    }
    let log: Vec<_> = world.whole_log().await.iter().map(|event| sent(event)).collect();
    let is_of_thread = |event: &&Value| event["threadId"] == "thread-1";
    assert_same(&everything, log.iter());
    assert_same(&of_one_thread, log.iter().filter(is_of_thread));
}

fn sent(event: &countersign_events::Event) -> Value {
    serde_json::to_value(event).expect("JSON")
}

/// Asserts that the log starts with the received events.
fn assert_same<'a>(seen: &[Value], log: impl Iterator<Item = &'a Value>) {
    assert!(seen.len() > 100, "the reader received more than 100 events");
    for (index, (seen, logged)) in seen.iter().zip(log).enumerate() {
        assert_eq!(seen, logged, "at index {index}");
    }
}

/// Proposes calls over both servers, in two threads, until `stop` is cancelled.
async fn write(writer: usize, servers: [Arc<Server>; 2], stop: CancellationToken) {
    let mut turn = 0;
    while !stop.is_cancelled() {
        let (server, thread) = (&servers[turn % 2], format!("thread-{}", turn / 2 % 2));
        let id = format!("call_{writer}_{turn}");
        server.agent("bot").in_thread(&thread).proposes_unlike_others(&id).await;
        servers[(turn + 1) % 2].person("ada").in_thread(&thread).allows(&id).await;
        turn += 1;
    }
}

/// Returns the `id` of an event's message: its `seq` and a prefix of its hash.
fn cursor_of(event: &Value) -> String {
    format!("{}-{}", event["seq"], &event["hash"].as_str().expect("a hash")[..16])
}

struct StreamReader {
    path: &'static str,
    servers: [SocketAddr; 2],
    random: Random,
    seen: Vec<Value>,
}

impl StreamReader {
    fn new(path: &'static str, servers: &[Arc<Server>; 2], random: Random) -> Self {
        let servers = [servers[0].address(), servers[1].address()];
        Self { path, servers, random, seen: Vec::new() }
    }

    async fn read(mut self) -> Vec<Value> {
        for time in 0..TIMES {
            let mut stream = self.connect(self.servers[time % 2]).await;
            // The largest event, with the built-in policy, takes several thousand bytes.
            let mut bytes = 200 + self.random.below(12_000);
            let mut text = Vec::new();
            while bytes > 0 {
                let mut buffer = [0; 48];
                let limit = bytes.min(1 + self.random.below(buffer.len()));
                let read = stream.read(&mut buffer[..limit]).await.expect("the read succeeds");
                assert_ne!(read, 0, "the stream ended: {}", String::from_utf8_lossy(&text));
                text.extend_from_slice(&buffer[..read]);
                bytes -= read;
            }
            self.read_messages(&text);
        }
        self.seen
    }

    /// Requests the stream over HTTP/1.0, where the body is not chunked and ends with the connection.
    async fn connect(&self, server: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(1_024).expect("a small buffer");
        let mut stream = socket.connect(server).await.expect("the server listens");
        let last = self.seen.last().map_or_else(|| "0".to_owned(), cursor_of);
        let request = format!(
            "GET {} HTTP/1.0\r\nHost: {server}\r\nAccept: text/event-stream\r\nLast-Event-ID: {last}\r\n\r\n",
            self.path
        );
        stream.write_all(request.as_bytes()).await.expect("the write succeeds");
        stream
    }

    /// Reads the complete messages of a response. A truncated message is ignored.
    fn read_messages(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { return };
        assert!(head.contains(" 200 OK"), "{head}");
        let mut messages: Vec<_> = body.split("\n\n").collect();
        messages.pop();
        for message in messages {
            let field = |name| message.lines().find_map(|line| line.strip_prefix(name));
            let Some(data) = field("data: ") else { continue };
            let event: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(field("id: ").map(str::to_owned), Some(cursor_of(&event)));
            assert_eq!(field("event: "), event["type"].as_str());
            self.seen.push(event);
        }
    }
}
