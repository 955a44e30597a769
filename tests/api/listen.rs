//! The sockets that a server listens on.

use countersign_gate::Gate;
use countersign_server::{Address, Error, Listener, Options};
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

fn socket(folder: &TempDir) -> (PathBuf, Address) {
    let path = folder.path().join("here.sock");
    (path.clone(), Address::Unix(path))
}

/// Serves on those, until told to stop.
async fn serve(
    folder: &Path,
    listeners: Vec<Listener>,
) -> (CancellationToken, JoinHandle<Result<(), Error>>) {
    let gate = Gate::open(folder.join("log.db")).await.expect("a fresh file");
    let stop = CancellationToken::new();
    let served = countersign_server::serve(listeners, gate, Options::default(), stop.clone());
    (stop, tokio::spawn(served))
}

/// Asks whether the server lives.
async fn asks(mut stream: impl AsyncReadExt + AsyncWriteExt + Unpin) -> String {
    let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the server answers");
    answer.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn a_socket_that_somebody_answers_on_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let first = Listener::bind(&address, false).expect("nobody is there");
    let second = Listener::bind(&address, false).expect_err("somebody is");
    assert_eq!(
        second.to_string(),
        format!("cannot listen on unix:{}: another process answers there", path.display())
    );
    drop(first);
    assert!(!path.exists(), "who made the socket removes it");
}

#[tokio::test]
async fn a_file_that_is_no_socket_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    fs::write(&path, "mine").expect("a file");
    assert!(Listener::bind(&address, false).is_err());
    assert_eq!(fs::read_to_string(&path).expect("still there"), "mine");
}

#[tokio::test]
async fn a_socket_that_was_left_behind_is_replaced_and_is_its_users_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    drop(std::os::unix::net::UnixListener::bind(&path).expect("a socket that nobody removes"));
    let listener = Listener::bind(&address, false).expect("nobody answers on it");
    let mode = fs::metadata(&path).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(listener);
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused() {
    let error = Listener::bind(&"0.0.0.0:0".parse().expect("an address"), false).expect_err("not ours alone");
    assert!(matches!(error, Error::NotLoopback(_)));
    let inherited = std::net::TcpListener::bind("0.0.0.0:0").expect("a port");
    assert!(matches!(Listener::inherited_tcp(inherited), Err(Error::NotLoopback(_))));
}

#[tokio::test]
async fn a_server_answers_on_all_its_sockets_and_leaves_none_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, address) = socket(&folder);
    let inherited = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = inherited.local_addr().expect("an address");
    let kept = folder.path().join("kept.sock");
    let handed = std::os::unix::net::UnixListener::bind(&kept).expect("a socket");
    let listeners = vec![
        Listener::bind(&address, false).expect("a socket"),
        Listener::inherited_tcp(inherited).expect("a port"),
        Listener::inherited_unix(handed).expect("a socket"),
    ];
    let (stop, served) = serve(folder.path(), listeners).await;
    assert_eq!(asks(UnixStream::connect(&path).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    assert_eq!(asks(UnixStream::connect(&kept).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    assert_eq!(asks(TcpStream::connect(port).await.expect("it listens")).await, "HTTP/1.1 200 OK");
    stop.cancel();
    served.await.expect("no panic").expect("no error");
    assert!(!path.exists(), "its own socket goes");
    assert!(kept.exists(), "one that was handed to it is not its own");
}

#[tokio::test]
async fn a_port_is_shared_by_those_who_say_so() {
    let first = Listener::bind(&"127.0.0.1:0".parse().expect("an address"), true).expect("a port");
    let second = Listener::bind(first.address(), true).expect("the same port");
    assert_eq!(first.address(), second.address());
    assert!(Listener::bind(first.address(), false).is_err(), "this one does not share");
}
