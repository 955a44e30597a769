//! The server with a certificate: clients, handshakes that fail or take too long, and a certificate that is replaced.

use crate::own_server::OwnServer;
use countersign_api::{self as api, ApprovalGate, CallGate, ErrorCode, parse_thread_id};
use countersign_client::HttpGate;
use countersign_server::{ConnectionTimeouts, ServerCertificate, ServerOptions};
use countersign_store::Clock;
use countersign_tests::{CertificatePair, TestAuthority, in_time, trusting_options};
use futures_util::StreamExt;
use insta::assert_snapshot;
use std::{fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Returns the readiness report that a client gets which trusts `authority`.
async fn ready(server: &OwnServer, authority: &Path) -> Result<api::ReadinessReport, api::GateError> {
    HttpGate::connect_trusting(&server.url, Some(authority)).expect("an address").ready().await
}

#[tokio::test]
async fn client_proposes_and_streams_over_tls() {
    in_time(async {
        let folder = tempfile::tempdir().expect("a folder");
        let authority = TestAuthority::made_in(folder.path());
        let (server, _) = OwnServer::with_certificate(&authority.sign("server")).await;
        assert!(server.url.starts_with("https://127.0.0.1:"), "{}", server.url);
        let trusted = authority.certificate();
        let gate = HttpGate::connect_trusting(&server.url, Some(&trusted)).expect("an address");
        let mut events = gate.follow(api::LogFilter::default(), 0);
        let thread = parse_thread_id("t").expect("an id");
        let request = api::ProposeRequest::new("call_1", "bash", "{}").expect("a proposal");
        let call = gate.propose(&thread, &request).await.expect("the server answers");
        assert!(call.is_pending());
        let first = events.next().await.expect("an event").expect("the stream works");
        assert_eq!(first.seq, 1);
        drop(events);
        let report = gate.ready().await.expect("the server is ready");
        assert_eq!(report.certificate_trouble, None);
        assert!(report.certificate_expires_at.expect("a time").to_string().starts_with("4096-01-01T"));
        server.end().await;
    })
    .await;
}

#[tokio::test]
async fn client_refuses_an_unknown_authority() {
    let [folder, strangers] = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let (server, _) =
        OwnServer::with_certificate(&TestAuthority::made_in(folder.path()).sign("server")).await;
    let stranger = TestAuthority::made_in(strangers.path());
    let error = ready(&server, &stranger.certificate()).await.expect_err("another authority");
    assert_eq!(error.code, ErrorCode::Unreachable);
    let text = error.to_string().replace(&server.url, "[url]");
    assert_snapshot!(text, @"no secure connection to [url]/: its certificate is signed by itself, or by an authority that this machine does not know; if that is intended, name the certificate of that authority, or its own, with --tls-ca FILE");
    assert!(HttpGate::connect_trusting(&server.url, Some(Path::new("/nowhere"))).is_err());
    server.end().await;
}

#[tokio::test]
async fn expired_certificate_is_refused_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = TestAuthority::made_in(folder.path());
    let (server, certificate) = OwnServer::with_certificate(&authority.sign_until("server", 2026)).await;
    let error = ready(&server, &authority.certificate()).await.expect_err("the certificate has expired");
    let text = error.to_string();
    assert!(text.contains("certificate expired"), "{text}");
    let now = "2026-06-01T00:00:00.000Z".parse().expect("a time");
    assert_snapshot!(certificate.report().trouble(now).unwrap_or_default(), @"the certificate expired at 2026-01-01T00:00:00.000Z; clients refuse it");
    server.end().await;
}

#[tokio::test]
async fn replaced_certificate_is_used_unless_broken() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = TestAuthority::made_in(folder.path());
    let pair = authority.sign_until("server", 2090);
    let (server, certificate) = OwnServer::with_certificate(&pair).await;
    let expiry = async || {
        let report = ready(&server, &authority.certificate()).await.expect("the client trusts it");
        (report.certificate_expires_at.expect("a time").to_string(), report.certificate_trouble)
    };
    assert_eq!(expiry().await, ("2090-01-01T00:00:00.000Z".to_owned(), None));
    let _ = authority.sign_until("server", 2091);
    assert!(certificate.reload().expect("a good pair"));
    assert_eq!(expiry().await, ("2091-01-01T00:00:00.000Z".to_owned(), None));
    assert!(!certificate.reload().expect("a good pair"), "it is in use");
    let other = authority.sign_until("other", 2092);
    fs::copy(&other.key, &pair.key).expect("the folder is writable");
    certificate.reload().expect_err("the key is that of another certificate");
    let (end, trouble) = expiry().await;
    assert_eq!(end, "2091-01-01T00:00:00.000Z");
    let trouble = trouble.expect("a reason").replace(&folder.path().display().to_string(), "[here]");
    assert_snapshot!(trouble, @"[here]/server.key is not the key of the certificate in [here]/server.pem");
    fs::copy(&other.certificate, &pair.certificate).expect("the folder is writable");
    assert!(certificate.reload().expect("the pair is complete"));
    assert_eq!(expiry().await, ("2092-01-01T00:00:00.000Z".to_owned(), None));
    server.end().await;
}

#[test]
fn unusable_certificate_files_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = TestAuthority::made_in(folder.path());
    let CertificatePair { certificate, key } = authority.sign("server");
    let (empty, none) = (folder.path().join("empty"), folder.path().join("none"));
    fs::write(&empty, "").expect("a file");
    fs::set_permissions(&empty, fs::Permissions::from_mode(0o600)).expect("a file");
    let reason = |certificate: &Path, key: &Path| {
        let error = ServerCertificate::read(certificate, key).expect_err("unusable").to_string();
        error.replace(&folder.path().display().to_string(), "[here]")
    };
    assert_snapshot!(reason(&none, &key), @"[here]/none cannot be read: No such file or directory (os error 2)");
    assert_snapshot!(reason(&empty, &key), @"[here]/empty contains no certificate; it must have the form of PEM, the certificate of the server first");
    assert_snapshot!(reason(&key, &key), @"[here]/server.key contains no certificate; it must have the form of PEM, the certificate of the server first");
    assert_snapshot!(reason(&certificate, &certificate), @"[here]/server.pem contains no private key; it must have the form of PEM, without a passphrase");
    assert_snapshot!(reason(&certificate, &authority.sign("other").key), @"[here]/other.key is not the key of the certificate in [here]/server.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).expect("a file");
    assert_snapshot!(reason(&certificate, &key), @"[here]/server.key is not used, because every user of this machine can access it; run chmod 600 (or 640 if another user owns it)");
}

/// Sends bytes to a server with TLS, and waits until it closes the connection. Returns its metrics afterwards.
async fn metrics_after(sent: &[u8], timeouts: ConnectionTimeouts) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let authority = TestAuthority::made_in(folder.path());
    let pair = authority.sign("server");
    let certificate = ServerCertificate::read(&pair.certificate, &pair.key).ok();
    let server =
        OwnServer::start(ServerOptions { certificate, timeouts, ..trusting_options(Clock::System) }).await;
    let mut socket = server.connect().await;
    socket.write_all(sent).await.expect("the server reads");
    let mut answer = Vec::new();
    // A connection that is closed with unread bytes may be reset.
    let _ = socket.read_to_end(&mut answer).await;
    let text = String::from_utf8_lossy(&answer).into_owned();
    assert!(!text.contains("HTTP"), "the server answers without TLS: {text}");
    let client = HttpGate::connect_trusting(&server.url, Some(&authority.certificate()));
    client.expect("an address").ready().await.expect("the server still serves others");
    let metrics = server.metrics().await;
    server.end().await;
    metrics
}

/// A time limit that a test waits for.
const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn failed_handshake_is_counted() {
    let metrics =
        metrics_after(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", ConnectionTimeouts::default()).await;
    assert!(metrics.contains("countersign_http_handshake_errors_total 1\n"), "{metrics}");
}

#[tokio::test]
async fn slow_handshake_is_disconnected() {
    let defaults = ConnectionTimeouts::default();
    let silent = metrics_after(b"", ConnectionTimeouts { connect: SHORT, ..defaults }).await;
    assert!(silent.contains("http_connection_timeouts_total{step=\"connect\"} 1\n"), "{silent}");
    // The first bytes of a handshake, whose length field promises more.
    let half = metrics_after(b"\x16\x03\x01\x02\x00", ConnectionTimeouts { head: SHORT, ..defaults }).await;
    assert!(half.contains("http_connection_timeouts_total{step=\"head\"} 1\n"), "{half}");
}
