//! A process log that no process reads: its pipe fills, and approvals must not wait for it.

use crate::new_world;
use countersign_tests::{Database, in_time};

#[tokio::test]
async fn server_continues_while_its_log_is_unread() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves_with(&["--log", "info"]).await;
        // The log has two or more lines per call, which is several times a pipe's capacity.
        for n in 0..1_500 {
            // A thread may have 100 pending calls, and an agent 1,000.
            let agent = server.agent(&format!("bot-{}", n / 500)).in_thread(&format!("t{}", n / 50));
            agent.proposes_unlike_others(&format!("call_{n}")).await;
        }
        server.person("ada").in_thread("t0").allows("call_7").await;
        let ended = server.terminated().await;
        assert_eq!(ended.code, 0);
        assert!(
            ended.stderr.lines().take(3).any(|line| line.contains("proposed")),
            "the server logged the calls"
        );
    })
    .await;
}
