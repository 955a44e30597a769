//! A server's memory after a burst of large calls. All caches are bounded in bytes, and freed memory goes back to the
//! system.

use crate::new_world;
use countersign_tests::{Database, Server, in_time};
use futures_util::future::join_all;
use serde_json::json;

/// Far above the caches that docs/operations.md lists, and far below the 240 MiB of arguments that the server receives
/// twice and writes once.
const MAX_KIB: u64 = 320 * 1024;

const CALLS: usize = 60;

async fn propose_large(server: &Server, n: usize) {
    let arguments = json!({"content": "x".repeat(4 * 1024 * 1024 - 100)});
    let call = json!({"id": format!("call_{n}"), "name": "write", "arguments": arguments}).to_string();
    let answer = server.post("/v1/threads/t/tool-calls", call).await;
    assert_eq!(answer.status, 201, "call {n}");
}

/// A body's size, for calls with large arguments.
const LARGE_BODIES: [&str; 2] = ["--max-body", "4456448"];

#[tokio::test]
async fn memory_returns_after_large_calls() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves_with(&LARGE_BODIES).await;
        for first in (0..CALLS).step_by(4) {
            join_all((first..first + 4).map(|n| propose_large(&server, n))).await;
        }
        let pages = (0..8).map(|n| format!("/v1/events?limit=1000&after={}", n * 10));
        for answer in join_all(pages.map(async |path| server.get(&path).await)).await {
            assert_eq!(answer.status, 200);
        }
        let mut resident = vec![server.resident_kib()];
        // The allocator returns memory a moment after it was freed, while the process does other work.
        while resident.last().is_some_and(|kib| *kib > MAX_KIB) {
            assert_eq!(server.get("/readyz").await.status, 200, "resident KiB: {resident:?}");
            resident.push(server.resident_kib());
        }
    })
    .await;
}
