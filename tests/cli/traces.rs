//! The process log in JSON, and the traces that a collector receives. Neither contains arguments.

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// Accepts one request and answers with success. Returns the request head and body.
async fn collect(listener: TcpListener) -> Vec<u8> {
    let (mut stream, _) = listener.accept().await.expect("the command connects");
    let mut request = Vec::new();
    loop {
        let mut chunk = [0; 4096];
        let length = stream.read(&mut chunk).await.expect("the read succeeds");
        request.extend_from_slice(&chunk[..length]);
        if length == 0 || is_complete(&request) {
            break;
        }
    }
    stream
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .await
        .expect("the connection is accepted");
    request
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let length =
        text.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok());
    let head = request.windows(4).position(|end| end == b"\r\n\r\n");
    head.zip(length).is_some_and(|(head, length)| request.len() >= head + 4 + length)
}

#[tokio::test]
async fn traces_without_arguments_reach_the_collector() {
    with_desk(async |desk| {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let collected = tokio::spawn(collect(listener));
        desk.write_file("policy.toml", "default = \"allow\"");
        let ran = desk.types(&format!("run --otlp {url} --policy policy.toml -- echo s3cret")).await;
        assert_snapshot!(ran, @"
        ! countersign: --policy names policy.toml, but the log has another active policy: system:countersign applied it at [time] (from shipped). Leave the setting out, or apply the file with: countersign policy apply policy.toml
        exit 2
        ");
        let request = collected.await.expect("the collector finishes");
        let text = String::from_utf8_lossy(&request);
        assert!(text.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{text}");
        assert!(text.contains("countersign") && text.contains("command") && text.contains("run"), "{text}");
        assert!(!text.contains("s3cret") && !text.contains("echo"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn missing_collector_does_not_block_commands() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        let output = desk.types("pending --otlp http://127.0.0.1:1").await;
        assert_eq!(
            (output.stdout.as_str(), output.code),
            ("No call is pending in [here]/countersign.db.\n", 0)
        );
    })
    .await;
}

#[tokio::test]
async fn program_log_is_json_on_request() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        desk.run_program("chmod", &["644", "countersign.db"]).await;
        let output = desk.types("pending --log warn --log-format json").await;
        let line: serde_json::Value = serde_json::from_str(output.stderr.trim()).expect("one object");
        assert_eq!(
            (&line["level"], &line["target"]),
            (&"WARN".into(), &"countersign_store::database::sqlite::open_file".into())
        );
        assert_eq!((&line["timestamp"], &line["fields"]["mode"]), (&"[time]".into(), &"644".into()));
        assert_eq!(desk.types("pending").await.stderr, "", "warnings are printed only on request");
    })
    .await;
}
