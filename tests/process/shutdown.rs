//! A server that receives SIGTERM ends by itself, in spite of streams, waiting requests and slow clients.

use crate::new_world;
use countersign_tests::{Database, in_time};
use futures_util::StreamExt;
use reqwest::Method;
use rustix::process::Signal;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn sigterm_ends_streams_and_waits_and_exits_0() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        server.agent("bot").proposes_unlike_others("call").await;
        let stream = server.request(Method::GET, "/v1/events").header("accept", "text/event-stream");
        let mut stream = stream.send().await.expect("a stream").bytes_stream();
        let mut text = String::new();
        // A message may arrive in several parts.
        while !(text.contains("TOOL_APPROVAL_REQUEST") && text.ends_with("\n\n")) {
            let part = stream.next().await.expect("the stream continues").expect("whole");
            text.push_str(&String::from_utf8_lossy(&part));
        }
        let request = "GET /v1/threads/t/tool-calls/call HTTP/1.1\r\nPrefer: wait=300";
        let mut waiting_request = server.leave_waiting(request, "").await;
        server.signal(Signal::TERM);
        let last =
            stream.next().await.map(|part| part.map(|part| String::from_utf8_lossy(&part).into_owned()));
        assert!(last.is_none(), "the stream ends after a complete message: {last:?}");
        let mut answer = String::new();
        waiting_request.read_to_string(&mut answer).await.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""state":"pending""#), "{answer}");
        let ended = server.ended().await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(world.verified_log().await.len(), 2);
    })
    .await;
}

#[tokio::test]
async fn half_sent_requests_do_not_delay_the_shutdown() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves_with(&["--max-body", "4456448"]).await;
        let mut open = Vec::new();
        let host = server.address();
        for text in [
            String::new(),
            "GET /v1/ev".to_owned(),
            format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\nGET /he"),
            format!("GET /v1/events HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n\r\n"),
        ] {
            let mut stream = TcpStream::connect(host).await.expect("the connection is accepted");
            stream.write_all(text.as_bytes()).await.expect("the write succeeds");
            open.push(stream);
        }
        // This is more than the buffers hold between the server and a client that does not read.
        for number in 0..8 {
            let text = "x".repeat(1024 * 1024);
            let call = format!(r#"{{"id":"call_{number}","name":"tool","arguments":"{text}"}}"#);
            assert_eq!(server.post("/v1/threads/t/tool-calls", call).await.status, 201);
        }
        let ended = server.terminated().await;
        assert_eq!(ended.code, 0, "{}", ended.stderr);
        assert_eq!(world.verified_log().await.len(), 16);
        drop(open);
    })
    .await;
}

#[tokio::test]
async fn acknowledged_calls_survive_a_server_stop() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        for number in 0..20 {
            server.agent("bot").proposes_unlike_others(&format!("call_{number}")).await;
        }
        assert_eq!(server.terminated().await.code, 0);
        let server = world.serves().await;
        let (_, pending) = server.get("/v1/approvals/pending?limit=1000").await.into_parts();
        assert_eq!(pending.matches(r#""state":"pending""#).count(), 20);
    })
    .await;
}
