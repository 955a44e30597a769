//! TLS to the database: the store uses only a server with a valid certificate for its name.

use super::{bot, holds, opens, refused};
use countersign_tests::{
    postgres::{Cluster, ClusterSetup},
    within_the_limit,
};
use std::path::Path;

const PASSWORD: &str = "open-sesame";

fn on_a_server_with_tls(story: impl AsyncFnOnce(&Cluster)) {
    within_the_limit(async {
        let server = Cluster::with(ClusterSetup { tcp: true, tls: true, ..ClusterSetup::default() }).await;
        story(&server).await;
    });
}

/// Returns the server's URL with this host name, which verifies the certificate against this authority.
fn verified(server: &Cluster, host: &str, authority: &Path) -> String {
    format!("{}?sslmode=verify-full&sslrootcert={}", server.tcp_url(host), authority.display())
}

#[test]
fn server_with_a_valid_certificate_is_used() {
    on_a_server_with_tls(async |server| {
        let store = opens(&verified(server, "localhost", &server.certificates().authority())).await;
        bot(&store).proposes("call_1").await.expect("asked");
        assert_eq!(holds(&store).await, 2);
        let plain = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
            WHERE application_name = 'countersign' AND NOT ssl";
        assert_eq!(server.psql(plain).await.as_deref(), Ok("0"), "every connection uses TLS");
    });
}

#[test]
fn certificate_of_another_authority_is_refused() {
    on_a_server_with_tls(async |server| {
        let url = verified(server, "localhost", &server.certificates().stranger());
        assert_eq!(refused(&url, PASSWORD).await, "unreachable");
    });
}

#[test]
fn certificate_for_another_name_is_refused() {
    on_a_server_with_tls(async |server| {
        let authority = server.certificates().authority();
        assert_eq!(refused(&verified(server, "127.0.0.1", &authority), PASSWORD).await, "unreachable");
        let less = verified(server, "127.0.0.1", &authority).replace("verify-full", "verify-ca");
        bot(&opens(&less).await).proposes("call_1").await.expect("verify-ca does not check the name");
    });
}

#[test]
fn tls_only_server_refuses_plain_connections() {
    on_a_server_with_tls(async |server| {
        let plain = server.tcp_url("localhost") + "?sslmode=disable";
        assert_eq!(refused(&plain, PASSWORD).await, "login");
    });
}

#[test]
fn required_tls_never_falls_back_to_plain() {
    within_the_limit(async {
        let server = Cluster::with(ClusterSetup { tcp: true, ..ClusterSetup::default() }).await;
        let secure = server.tcp_url("localhost") + "?sslmode=require";
        assert_eq!(refused(&secure, PASSWORD).await, "unreachable");
    });
}
