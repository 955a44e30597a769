//! A log that nobody reads: a pipe holds only so much, and approvals do not wait for it.

use crate::harness::{Place, Server, in_time};

#[tokio::test]
async fn a_server_goes_on_when_nobody_reads_its_log() {
    in_time(async {
        let place = Place::new();
        let server = Server::start_with(&place, "127.0.0.1:0", &["--log", "info"]).await;
        // Several times what a pipe holds, at two lines and more a call.
        for n in 0..1_500 {
            server.propose("t", &format!("call_{n}")).await;
        }
        server.allow("t", "call_7").await;
        let ended = server.terminated().await;
        assert_eq!(ended.code, 0);
        assert!(ended.stderr.lines().next().is_some_and(|line| line.contains("proposed")), "it did tell");
    })
    .await;
}
