//! Log files that are removed and moved while servers write.

use crate::{PROGRAMS, play_scenario, traffic::FaultTraffic};
use countersign_tests::{Database, ProcessWorld, Random, Server};
use futures_util::future::join;
use std::fs;

/// The file name suffix, and true to remove the file instead of moving it away and back.
const FAULTS: [(&str, bool); 4] = [("-wal", true), ("-shm", true), ("-wal", false), ("", false)];

async fn play_file_faults(rounds: usize, mut random: Random) {
    let world = ProcessWorld::of_processes(PROGRAMS, Database::Sqlite).await;
    let traffic = FaultTraffic::default();
    for round in 0..rounds {
        let servers = [world.serves().await, world.serves().await];
        let urls = servers.each_ref().map(|server| server.url.as_str());
        let (end, is_removed) = *random.one_of(&FAULTS);
        eprintln!("round {round}: log.db{end}, removed {is_removed}");
        traffic.play(&urls, round, 2).await;
        let calls = random.below(3) + 1;
        let trouble = async {
            traffic.play(&urls, 1_000 + round, calls).await;
            let (file, aside) = (world.file(&format!("log.db{end}")), world.file("aside"));
            if is_removed {
                fs::remove_file(file).expect("the file exists");
            } else {
                // A person moves the file away, sees that it was wrong, and moves it back.
                fs::rename(&file, &aside).expect("the file exists");
                traffic.play(&urls, 2_000 + round, 2).await;
                fs::rename(&aside, &file).expect("it was moved away");
            }
        };
        join(traffic.play(&urls, 3_000 + round, 6), trouble).await;
        for server in servers {
            Server::terminated(server).await;
        }
        let server = world.serves().await;
        traffic.finish(&server.url).await;
        assert_eq!(server.terminated().await.code, 0);
        traffic.assert_kept(&world).await;
    }
}

#[tokio::test]
async fn acknowledged_steps_survive_removed_files() {
    play_scenario(play_file_faults).await;
}
