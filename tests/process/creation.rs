//! The creation of a file: several processes create it at once, and its creator is killed.

use crate::new_world;
use countersign_tests::{Database, Process, Random, in_time};
use futures_util::future::join_all;
use std::fs;

#[tokio::test]
async fn eight_processes_create_the_same_file_at_once() {
    in_time(async {
        for _ in 0..5 {
            let world = new_world(Database::Sqlite).await;
            let runs = join_all((0..8).map(async |number| {
                let id = format!("call_{number}");
                world.starts_run(&["--id", &id, "--", "bash", "-c", "echo ran >> ran"]).await
            }));
            let runs = runs.await;
            for number in 0..8 {
                assert_eq!(
                    world.person("ada").in_thread("terminal").allows(&format!("call_{number}")).await.code,
                    0
                );
            }
            for ended in join_all(runs.into_iter().map(Process::ended)).await {
                assert_eq!(ended.code, 0, "{}", ended.stderr);
            }
            assert_eq!(world.line_count("ran"), 8);
            assert_eq!(world.verified_log().await.len(), 8 * 5);
        }
    })
    .await;
}

/// The files that the creation of a log creates, in this order.
const CREATED_FILES: [&str; 4] = ["log.db", "log.db-wal", "log.db-shm", "log.db-bell"];

#[tokio::test]
async fn file_of_a_killed_creator_opens() {
    in_time(async {
        let mut random = Random::seeded_from_environment(1_963);
        for round in 0..24 {
            let world = new_world(Database::Sqlite).await;
            let words = ["run", "--id", "build", "--", "bash", "-c", "echo ran >> ran"];
            let mut creator = Process::start(&mut world.countersign_over_log(&words));
            let created_file = world.file(CREATED_FILES[round % CREATED_FILES.len()]);
            // The test polls for the file, because no event announces it, and then waits for a random time.
            while fs::metadata(&created_file).is_err() {
                tokio::task::yield_now().await;
            }
            for _ in 0..random.below(20_000) {
                tokio::task::yield_now().await;
            }
            creator.kill().await;
            let run = world.starts_run(&words[1..]).await;
            assert_eq!(world.person("ada").in_thread("terminal").allows("build").await.code, 0);
            let ended = run.ended().await;
            assert_eq!((ended.code, world.line_count("ran")), (0, 1), "round {round}: {}", ended.stderr);
            assert_eq!(world.verified_log().await.len(), 5, "round {round}");
        }
    })
    .await;
}
