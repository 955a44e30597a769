//! The limit of open files: a server raises its own limit, and a thousand idle connections do not stop it.

use crate::new_world;
use countersign_server::DescriptorLimit;
use countersign_tests::{Database, Server, in_time};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Sets the limits of this process, which the processes that it starts inherit.
fn set_limit(current: u64, maximum: u64) {
    let limit = Rlimit { current: Some(current), maximum: Some(maximum) };
    setrlimit(Resource::Nofile, limit).expect("a lower limit is allowed");
}

/// Sends a request over a new connection, and returns the answer; empty if the server closes the connection.
async fn answer(server: &Server, path: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).await.expect("it listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = String::new();
    if stream.write_all(request.as_bytes()).await.is_ok() {
        // A refused connection may be reset.
        let _ = stream.read_to_string(&mut answer).await;
    }
    answer
}

async fn connect(server: &Server, count: usize) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(TcpStream::connect(server.address()).await.expect("it listens"));
    }
    streams
}

#[tokio::test]
async fn low_soft_limit_is_raised() {
    in_time(async {
        let before = getrlimit(Resource::Nofile);
        let maximum = before.maximum.unwrap_or(1 << 20).min(1 << 20);
        assert!(maximum >= 1_024, "this machine allows too few open files for this test: {maximum}");
        let world = new_world(Database::Sqlite).await;
        set_limit(128, maximum);
        let server = world.serves().await;
        assert_eq!(DescriptorLimit::raise().max_connections(), usize::try_from(maximum).expect("fits") - 128);
        let idle = connect(&server, 300).await;
        assert!(
            answer(&server, "/readyz").await.starts_with("HTTP/1.1 200 "),
            "300 of 128 connections are open"
        );
        drop(idle);
    })
    .await;
}

#[tokio::test]
async fn thousand_idle_connections_do_not_stop_the_server() {
    in_time(async {
        let maximum = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
        let world = new_world(Database::Sqlite).await;
        let low = ["--max-connections", "64", "--timeout", "connect=86400"];
        let server = world.serves_with_open_files(256, &low).await;
        set_limit(maximum.min(4_096), maximum);
        let idle = connect(&server, 1_000).await;
        // The places beyond the maximum free themselves after two seconds at most.
        loop {
            let alive = answer(&server, "/healthz").await;
            if alive.starts_with("HTTP/1.1 200 ") {
                break;
            }
        }
        loop {
            let refused = answer(&server, "/readyz").await;
            if refused.starts_with("HTTP/1.1 503 ") {
                assert!(refused.contains("too_many_connections"), "{refused}");
                break;
            }
        }
        drop(idle);
        while !answer(&server, "/readyz").await.starts_with("HTTP/1.1 200 ") {}
    })
    .await;
}

/// The maximum of connections is above the limit of open files, so the system refuses to accept more.
#[tokio::test]
async fn server_without_free_descriptors_recovers() {
    in_time(async {
        let maximum = getrlimit(Resource::Nofile).maximum.unwrap_or(1 << 20);
        let world = new_world(Database::Sqlite).await;
        let mut server = world.serves().await;
        server.limit_open_files(64);
        set_limit(maximum.min(4_096), maximum);
        let idle = connect(&server, 200).await;
        server.complains("cannot accept connections").await;
        drop(idle);
        while !answer(&server, "/readyz").await.starts_with("HTTP/1.1 200 ") {}
    })
    .await;
}
