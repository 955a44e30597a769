//! Tests of hostile services. Each is a socket that writes bytes.

use crate::{AdviceOutcome, AdvisorAccess, ask_advisor, question::tests::question};
use countersign_policy::Policy;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// Starts a service that writes `parts` in turn to each caller, the last one again and again.
async fn start_service(parts: Vec<Vec<u8>>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let serving = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            answer(stream, &parts).await;
        }
    });
    (url, serving)
}

async fn answer(mut stream: TcpStream, parts: &[Vec<u8>]) {
    let mut request = vec![0; 16 * 1024];
    if stream.read(&mut request).await.is_err() {
        return;
    }
    let Some((last, first)) = parts.split_last() else { return };
    for part in first {
        if stream.write_all(part).await.is_err() {
            return;
        }
    }
    // An empty part holds the connection open.
    while !last.is_empty() {
        if stream.write_all(last).await.is_err() {
            return;
        }
    }
    let _ = stream.read(&mut request).await;
}

async fn ask(parts: Vec<Vec<u8>>) -> AdviceOutcome {
    let (url, serving) = start_service(parts).await;
    let text = format!("[[advisor]]\nname = \"a\"\nurl = \"{url}\"\nallowPrivate = true\ntimeout = \"1s\"\n");
    let policy = Policy::read(&text).expect("a policy");
    let advisor = policy.advisor("a").expect("an advisor");
    let outcome = ask_advisor(&AdvisorAccess::default(), advisor, &question(&json!({"command": "ls"}))).await;
    serving.abort();
    outcome
}

fn head(more: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{more}\r\n").into_bytes()
}

#[tokio::test]
async fn answer_that_never_ends_times_out() {
    let begun = br#"{"advice":"allow""#.to_vec();
    let outcome = ask(vec![head("content-length: 60\r\n"), begun, Vec::new()]).await;
    assert_eq!(outcome.word(), "timeout");
}

#[tokio::test]
async fn endless_informational_answers_time_out() {
    let outcome = ask(vec![b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)]).await;
    assert!(["timeout", "unreachable"].contains(&outcome.word()), "{}", outcome.word());
}

#[tokio::test]
async fn endless_headers_are_refused() {
    let line = format!("x-padding: {}\r\n", "x".repeat(4_000)).into_bytes();
    let outcome = ask(vec![b"HTTP/1.1 200 OK\r\n".to_vec(), line]).await;
    assert_eq!(outcome.word(), "unreachable");
}

#[tokio::test]
async fn announced_large_answer_is_not_read() {
    let outcome = ask(vec![head("content-length: 99999999999\r\n"), Vec::new()]).await;
    assert_eq!(outcome.word(), "too_large", "it does not wait for the body");
}

#[tokio::test]
async fn endless_chunks_are_too_large() {
    let chunk = format!("1000\r\n{}\r\n", " ".repeat(4_096)).into_bytes();
    let outcome = ask(vec![head("transfer-encoding: chunked\r\n"), chunk]).await;
    assert_eq!(outcome.word(), "too_large");
}

#[tokio::test]
async fn compressed_answer_is_not_expanded() {
    let body = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3].to_vec();
    let length = body.len();
    let headers = head(&format!("content-encoding: gzip\r\ncontent-length: {length}\r\n"));
    assert_eq!(ask(vec![headers, body, Vec::new()]).await.word(), "malformed");
}

#[tokio::test]
async fn redirect_leads_to_no_other_service() {
    let target = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let place = target.local_addr().expect("an address");
    let redirect = format!("HTTP/1.1 307 Moved\r\nlocation: http://{place}/\r\ncontent-length: 0\r\n\r\n");
    let outcome = ask(vec![redirect.into_bytes(), Vec::new()]).await;
    assert_eq!(outcome.word(), "failed");
    let reached =
        std::future::poll_fn(|context| std::task::Poll::Ready(target.poll_accept(context).is_ready()));
    assert!(!reached.await, "the question went to another service");
}

#[tokio::test]
async fn name_of_this_machine_needs_allow_private() {
    let policy = "[[advisor]]\nname = \"a\"\nurl = \"https://localhost:1/\"\ntimeout = \"5s\"\n";
    let policy = Policy::read(policy).expect("a policy");
    let advisor = policy.advisor("a").expect("an advisor");
    let outcome = ask_advisor(&AdvisorAccess::default(), advisor, &question(&json!({}))).await;
    assert_eq!(outcome.word(), "not_permitted");
}
