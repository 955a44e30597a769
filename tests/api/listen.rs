//! The sockets that a server listens on: their creation, sharing and removal.

use countersign_gate::EmbeddedGate;
use countersign_server::{BoundListener, ListenAddress, ListenOptions, ServerCertificate, ServerError};
use countersign_store::Clock;
use countersign_tests::{TestAuthority, trusting_options};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpStream, UnixStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

fn socket(folder: &TempDir) -> (PathBuf, ListenAddress) {
    let path = folder.path().join("here.sock");
    (path.clone(), ListenAddress::Unix(path))
}

/// Starts a server on these listeners. It runs until the returned token is cancelled.
async fn serve(
    folder: &Path,
    listeners: Vec<BoundListener>,
) -> (CancellationToken, JoinHandle<Result<(), ServerError>>) {
    let gate = EmbeddedGate::open(folder.join("log.db")).await.expect("a fresh file");
    let stop = CancellationToken::new();
    let served = countersign_server::serve(listeners, gate, trusting_options(Clock::System), stop.clone());
    (stop, tokio::spawn(served))
}

/// Requests `/healthz`, and returns the status line.
async fn asks(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin) -> String {
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the server answers");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn socket_in_use_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let first = BoundListener::bind(&address, false).expect("the address is free");
    let second = BoundListener::bind(&address, false).expect_err("the address is in use");
    assert_eq!(
        second.to_string(),
        format!("cannot listen on unix:{}: another process answers there", path.display())
    );
    drop(first);
    assert!(!path.exists(), "the server that created the socket removes it");
}

#[tokio::test]
async fn file_that_is_not_a_socket_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    fs::write(&path, "mine").expect("a file");
    assert!(BoundListener::bind(&address, false).is_err());
    assert_eq!(fs::read_to_string(&path).expect("the file exists"), "mine");
}

#[tokio::test]
async fn abandoned_socket_is_replaced_with_owner_only_access() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    drop(std::os::unix::net::UnixListener::bind(&path).expect("an abandoned socket"));
    let listener = BoundListener::bind(&address, false).expect("the abandoned socket is replaced");
    let mode = fs::metadata(&path).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(listener);
}

#[tokio::test]
async fn public_address_needs_tls_or_a_proxy() {
    let public = "0.0.0.0:0".parse().expect("an address");
    let error = BoundListener::bind(&public, false).expect_err("nothing protects the traffic");
    assert!(matches!(error, ServerError::Unprotected(_)), "{error}");
    let inherited = || std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
    let error = BoundListener::inherited_tcp(inherited(), &ListenOptions::default());
    assert!(matches!(error, Err(ServerError::Unprotected(_))), "{error:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let pair = TestAuthority::made_in(folder.path()).sign("server");
    let certificate = ServerCertificate::read(&pair.certificate, &pair.key).expect("a certificate");
    let with_tls = ListenOptions { certificate: Some(certificate), ..ListenOptions::default() };
    let with_proxy = ListenOptions { behind_proxy: true, ..ListenOptions::default() };
    for (options, scheme) in [(with_tls, "https://0.0.0.0:"), (with_proxy, "http://0.0.0.0:")] {
        let listener = BoundListener::bind_with(&public, &options).expect("a port");
        assert!(listener.url().starts_with(scheme), "{}", listener.url());
        BoundListener::inherited_tcp(inherited(), &options).expect("a port");
    }
}

#[tokio::test]
async fn server_answers_on_all_sockets_and_removes_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let inherited = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = inherited.local_addr().expect("an address");
    let kept = folder.path().join("kept.sock");
    let inherited_socket = std::os::unix::net::UnixListener::bind(&kept).expect("a socket");
    let listeners = vec![
        BoundListener::bind(&address, false).expect("a socket"),
        BoundListener::inherited_tcp(inherited, &ListenOptions::default()).expect("a port"),
        BoundListener::inherited_unix(inherited_socket).expect("a socket"),
    ];
    let (stop, served) = serve(folder.path(), listeners).await;
    assert_eq!(asks(UnixStream::connect(&path).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    assert_eq!(asks(UnixStream::connect(&kept).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    assert_eq!(asks(TcpStream::connect(port).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    stop.cancel();
    served.await.expect("no panic").expect("no error");
    assert!(!path.exists(), "the server removes its socket");
    assert!(kept.exists(), "the server keeps an inherited socket");
}

/// Sends a request head and reads `100 Continue`. The server then waits for the body.
async fn begin_request(path: &Path) -> UnixStream {
    let mut stream = UnixStream::connect(path).await.expect("it listens");
    let head = b"POST /v1/threads/t/close HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
        Content-Length: 2\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head).await.expect("the server reads");
    let mut status_line = [0; 25];
    stream.read_exact(&mut status_line).await.expect("the server waits");
    assert_eq!(&status_line, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[tokio::test]
async fn stopping_server_keeps_the_socket_of_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let first = vec![BoundListener::bind(&address, false).expect("the address is free")];
    let (stop, served) = serve(folder.path(), first).await;
    let mut slow = begin_request(&path).await;
    stop.cancel();
    let next = loop {
        match BoundListener::bind(&address, false) {
            Ok(listener) => break listener,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    slow.write_all(b"{}").await.expect("the server reads");
    let mut answer = String::new();
    slow.read_to_string(&mut answer).await.expect("the server answers");
    assert!(
        answer.starts_with("HTTP/1.1 404 Not Found"),
        "the thread does not exist, so the answer is an error: {answer}"
    );
    served.await.expect("no panic").expect("no error");
    let (stop, served) = serve(folder.path(), vec![next]).await;
    assert_eq!(asks(UnixStream::connect(&path).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    stop.cancel();
    served.await.expect("no panic").expect("no error");
    assert!(!path.exists(), "the server removes its socket");
}

#[test]
fn racing_servers_leave_one_reachable_socket() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for _ in 0..50 {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, address) = socket(&folder);
        drop(std::os::unix::net::UnixListener::bind(&path).expect("an abandoned socket"));
        let starts = |_| {
            let _guard = runtime.enter();
            BoundListener::bind(&address, false)
        };
        let all: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|number| scope.spawn(move || starts(number))).collect();
            all.into_iter().map(|one| one.join().expect("no panic")).collect()
        });
        assert_eq!(all.iter().filter(|one| one.is_ok()).count(), 1, "{all:?}");
        std::os::unix::net::UnixStream::connect(&path).expect("one server listens");
        drop(all);
        let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[tokio::test]
async fn socket_replaced_by_another_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let first = BoundListener::bind(&address, false).expect("the address is free");
    fs::remove_file(&path).expect("the socket is removed");
    let second = BoundListener::bind(&address, false).expect("the address is free");
    drop(first);
    assert!(UnixStream::connect(&path).await.is_ok(), "the second socket is reachable");
    drop(second);
}

#[tokio::test]
async fn port_is_shared_only_on_request() {
    let first = BoundListener::bind(&"127.0.0.1:0".parse().expect("an address"), true).expect("a port");
    let second = BoundListener::bind(first.address(), true).expect("the same port");
    assert_eq!(first.address(), second.address());
    assert!(BoundListener::bind(first.address(), false).is_err(), "a listener without sharing is refused");
}
