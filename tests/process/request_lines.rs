//! Each accepted request has a line in the server's log: its events' lines, or one of its own.

use crate::new_world;
use countersign_tests::{Database, in_time};

#[tokio::test]
async fn request_that_writes_nothing_has_its_line() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves_with(&["--log", "info"]).await;
        let agent = server.agent("bot").in_thread("t");
        for _ in 0..2 {
            // The second one repeats the first.
            agent.proposes_unlike_others("call_1").await;
        }
        let ended = server.terminated().await;
        let count = |word: &str| {
            let route = |line: &&str| line.contains("POST") && line.contains("/tool-calls");
            ended.stderr.lines().filter(route).filter(|line| line.contains(word)).count()
        };
        assert_eq!((count("proposed"), count("answered")), (1, 1), "{}", ended.stderr);
    })
    .await;
}
