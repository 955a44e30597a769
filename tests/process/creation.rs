//! A file's creation: several processes create it at once, and its creator is killed.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, Process, ProcessWorld, Random, in_time};
use futures_util::future::join_all;
use serde_json::Value;
use std::{collections::BTreeSet, fs};

on_each_database!(servers_that_start_at_once_share_the_first_tokens);

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

/// The files that creating a log creates, in this order.
const CREATED_FILES: [&str; 5] = ["log.db", "log.db-lock", "log.db-wal", "log.db-shm", "log.db-bell"];

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

async fn servers_that_start_at_once_share_the_first_tokens(world: ProcessWorld) {
    const SERVERS: usize = 5;
    let listen = ["--json", "serve", "--listen", "127.0.0.1:0"];
    let mut servers: Vec<_> =
        (0..SERVERS).map(|_| Process::start(&mut world.countersign_over_log(&listen))).collect();
    let mut urls = BTreeSet::new();
    for server in &mut servers {
        let Some(line) = server.line().await else { panic!("a server does not listen") };
        let greeting: Value = serde_json::from_str(&line).expect("a line of JSON");
        urls.insert(greeting["listening"].as_str().expect("an address").to_owned());
    }
    let created =
        world.whole_log().await.iter().filter(|event| event.kind == EventType::TokenCreated).count();
    assert_eq!(created, 2, "one server has created the tokens of an agent and a person");
    let folder = world.file(".local/share/countersign");
    let names: Vec<_> =
        fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(names, ["credentials.toml"], "nothing else has secrets");
    for url in &urls {
        let pending = ["--server", url, "--json", "pending"];
        let pending = Process::start(&mut world.countersign(&pending)).ended().await;
        assert_eq!(pending.code, 0, "each server has its tokens in the file: {}", pending.stderr);
    }
    for mut server in servers {
        server.kill().await;
    }
    assert_eq!(urls.len(), SERVERS);
}
