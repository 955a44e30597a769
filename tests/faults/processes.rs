//! Servers that are stopped and killed while others write to the same log.

use crate::{PROGRAMS, play_scenario, traffic::FaultTraffic};
use countersign_tests::{Database, ProcessWorld, Random, Server};
use futures_util::future::{join, join_all};
use rustix::process::Signal;

/// The servers of one log.
const SERVERS: usize = 3;

async fn play_process_faults(database: Database, rounds: usize, mut random: Random) {
    let world = ProcessWorld::of_processes(PROGRAMS, database).await;
    if database == Database::Postgres {
        assert_eq!(world.runs(&["migrate"]).await.0, 0);
    }
    // They start at the same moment, on a log without an event.
    let mut servers: Vec<Server> = join_all((0..SERVERS).map(|_| world.serves())).await;
    let traffic = FaultTraffic::default();
    for round in 0..rounds {
        let victim = random.below(SERVERS);
        let (is_stopped, is_killed) = *random.one_of(&[(true, false), (false, true), (true, true)]);
        eprintln!("round {round}: server {victim}, stopped {is_stopped}, killed {is_killed}");
        let urls: Vec<String> = servers.iter().map(|server| server.url.clone()).collect();
        let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
        let at_victim = traffic.play(&urls[victim..=victim], 1_000 + round, 6);
        let others: Vec<&str> = (0..SERVERS).filter(|number| *number != victim).map(|at| urls[at]).collect();
        let calls = random.below(4) + 1;
        let trouble = async {
            traffic.play(&others, round, calls).await;
            let server = &mut servers[victim];
            if is_stopped {
                server.signal(Signal::STOP);
            }
            traffic.play(&others, 2_000 + round, 3).await;
            if is_killed {
                server.kill().await;
            } else if is_stopped {
                server.signal(Signal::CONT);
            }
        };
        join(at_victim, trouble).await;
        if is_killed {
            servers[victim] = world.serves().await;
        }
        traffic.finish(&servers[random.below(SERVERS)].url).await;
        traffic.assert_kept(&world).await;
    }
    for server in servers {
        assert_eq!(server.terminated().await.code, 0);
    }
    traffic.assert_kept(&world).await;
}

#[tokio::test]
async fn acknowledged_steps_survive_stopped_and_killed_servers() {
    play_scenario(async |rounds, random| play_process_faults(Database::Sqlite, rounds, random).await).await;
}

#[tokio::test]
async fn acknowledged_steps_survive_stopped_and_killed_instances() {
    play_scenario(async |rounds, random| play_process_faults(Database::Postgres, rounds, random).await).await;
}
