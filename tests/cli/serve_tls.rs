//! `countersign serve` with a certificate, and clients of it.

use crate::desk::{TerminalDesk, with_desk};
use countersign_tests::TestAuthority;
use insta::assert_snapshot;
use std::fs;

/// Creates an authority, and the certificate `server.pem` with `server.key`.
fn with_certificate(desk: &TerminalDesk) -> TestAuthority {
    let authority = TestAuthority::made_in(&desk.path(""));
    let _ = authority.sign_until("server", 2090);
    authority
}

const SERVE: &str = "serve --json --listen 127.0.0.1:0 --tls-certificate server.pem --tls-key server.key";

#[tokio::test]
async fn command_reaches_a_server_with_private_authority() {
    with_desk(async |desk| {
        with_certificate(desk);
        let mut server = desk.start(SERVE);
        let line: serde_json::Value =
            serde_json::from_str(&server.wait_for_stdout("listening").await).expect("JSON");
        let url = line["listening"].as_str().expect("an address").to_owned();
        assert!(url.starts_with("https://127.0.0.1:"), "{url}");
        let found = desk.types(&format!("pending --server {url} --tls-ca authority.pem")).await;
        assert!(found.to_string().ends_with("exit 0"), "{found}");
        let doctor = desk.types(&format!("doctor --server {url} --tls-ca authority.pem")).await.to_string();
        assert!(doctor.contains("certificate  that of the server, valid until [time]"), "{doctor}");
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
    })
    .await;
}

#[tokio::test]
async fn untrusted_certificate_has_a_remedy() {
    with_desk(async |desk| {
        let authority = with_certificate(desk);
        let found = async |options: &str| {
            let mut server = desk.start(SERVE);
            let line: serde_json::Value =
                serde_json::from_str(&server.wait_for_stdout("listening").await).expect("JSON");
            let url = line["listening"].as_str().expect("an address").to_owned();
            let found = desk.types(&format!("pending --server {url} {options}")).await;
            server.send_signal("TERM").await;
            server.wait_for_exit().await;
            found
        };
        assert_snapshot!(found("").await, @"
        ! countersign: no secure connection to https://[port]/: its certificate is signed by itself, or by an authority that this machine does not know; if that is intended, name the certificate of that authority, or its own, with --tls-ca FILE
        exit 5
        ");
        let _ = authority.sign_by_itself("server", false);
        assert_snapshot!(found("--tls-ca server.pem").await, @"
        ! countersign: no secure connection to https://[port]/: its certificate is that of an authority, which no server may use; make one with `openssl req -x509 … -addext basicConstraints=critical,CA:FALSE`, and name it with --tls-ca FILE
        exit 5
        ");
        let _ = authority.sign_by_itself("server", true);
        let found = found("--tls-ca server.pem").await.to_string();
        assert!(found.ends_with("exit 0"), "{found}");
    })
    .await;
}

#[tokio::test]
async fn changed_certificate_is_read_again() {
    with_desk(async |desk| {
        let authority = with_certificate(desk);
        desk.set_variable("COUNTERSIGN_LOG", "info");
        desk.set_variable("COUNTERSIGN_TLS_CERTIFICATE", "server.pem");
        desk.set_variable("COUNTERSIGN_TLS_KEY", "server.key");
        let mut server = desk.start("serve --json --listen 127.0.0.1:0");
        let line: serde_json::Value =
            serde_json::from_str(&server.wait_for_stdout("listening").await).expect("JSON");
        let url = line["listening"].as_str().expect("an address").to_owned();
        let _ = authority.sign_until("server", 2091);
        server.wait_for_stderr("a new certificate is in use").await;
        fs::write(desk.path("server.pem"), "nothing").expect("the folder is writable");
        server.wait_for_stderr("the certificate before stays in use").await;
        let doctor = desk.types(&format!("doctor --server {url} --tls-ca authority.pem")).await.to_string();
        assert!(doctor.contains("fail  certificate  server.pem contains no certificate"), "{doctor}");
        let _ = authority.sign_until("server", 2092);
        server.send_signal("HUP").await;
        server.wait_for_stderr("expires_at=2092-01-01T00:00:00.000Z").await;
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
    })
    .await;
}

#[tokio::test]
async fn expired_certificate_is_reported() {
    with_desk(async |desk| {
        let authority = with_certificate(desk);
        let _ = authority.sign_until("server", 2020);
        let mut server = desk.start(SERVE);
        server.wait_for_stderr("the certificate has expired, and clients refuse it").await;
        server.wait_for_stdout("listening").await;
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
        desk.write_file("settings.toml", "tls_certificate = \"server.pem\"\ntls_key = \"server.key\"");
        let doctor = desk.types("doctor --config settings.toml").await.to_string();
        assert!(doctor.contains("fail  certificate  server.pem, expired at 2020-01-01"), "{doctor}");
    })
    .await;
}

#[tokio::test]
async fn unusable_protection_is_refused_before_anything_starts() {
    with_desk(async |desk| {
        with_certificate(desk);
        assert_snapshot!(desk.types("serve --tls-certificate server.pem").await, @"
        ! error: the following required arguments were not provided:
        !   --tls-key <FILE>
        ! 
        ! Usage: countersign serve --tls-certificate <FILE> --tls-key <FILE>
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        desk.write_file("half.toml", "tls_certificate = \"server.pem\"");
        assert_snapshot!(desk.types("serve --config half.toml").await, @"
        ! countersign: tls_certificate and tls_key must be set together
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_snapshot!(desk.types("serve --behind-proxy proxy.example").await, @"
        ! error: invalid value 'proxy.example' for '--behind-proxy <PROXY>': a proxy is an IP address such as 127.0.0.1, a network such as 10.1.0.0/16, or unix
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("serve --public-url approvals.example").await, @"
        ! error: invalid value 'approvals.example' for '--public-url <URL>': an origin is http:// or https:// and a host in ASCII, with a port if it is not the default one, and has no path: https://approvals.example
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        desk.set_variable("COUNTERSIGN_CORS_ORIGINS", "*");
        assert_snapshot!(desk.types("serve").await, @r#"
        ! countersign: COUNTERSIGN_CORS_ORIGINS is "*": an origin is http:// or https:// and a host in ASCII, with a port if it is not the default one, and has no path: https://approvals.example
        exit 2
        "#);
    })
    .await;
}

/// The file may come with a cloned repository, and must not let a web page of its author decide.
#[tokio::test]
async fn local_file_cannot_open_the_server() {
    with_desk(async |desk| {
        let keys = "behind_proxy = \"10.0.0.0/8\"\ncors_origins = \"https://evil.example\"\n";
        desk.write_file("countersign.toml", keys);
        let tried = desk.types("serve --listen 0.0.0.0:0").await.to_string();
        assert!(tried.contains("is not a loopback address"), "{tried}");
        let shown = desk.types("config").await.to_string();
        assert!(!shown.contains("evil.example"), "{shown}");
    })
    .await;
}
