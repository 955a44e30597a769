//! PostgreSQL that stops, fails over, and is behind a network that stalls and cuts.

use crate::{PROGRAMS, play_scenario, traffic::FaultTraffic};
use countersign_tests::{ConnectionCut, Database, ProcessWorld, Proxy, Random, postgres::Cluster};
use futures_util::future::join;

const CUTS: [ConnectionCut; 3] =
    [ConnectionCut::BeforeCommit, ConnectionCut::DuringCommit, ConnectionCut::AfterCommit];

async fn play_network_faults(rounds: usize, mut random: Random) {
    let mut world = ProcessWorld::of_processes_on(PROGRAMS, Cluster::started().await);
    assert_eq!(world.runs(&["migrate"]).await.0, 0);
    let proxy = Proxy::before(&world.server().socket()).await;
    let behind = proxy.url_as("postgres", "postgres");
    let (cut_off, other) = (world.serves_over(&behind).await, world.serves().await);
    let (urls, traffic) = ([cut_off.url.as_str(), other.url.as_str()], FaultTraffic::default());
    for round in 0..rounds {
        let kind = random.below(3);
        eprintln!("round {round}: network fault {kind}");
        let at_both = traffic.play(&urls, round, 6);
        let meanwhile = traffic.play(&urls[1..], 1_000 + round, 3);
        match kind {
            0 => {
                join(at_both, proxy.cut_at_commit(*random.one_of(&CUTS))).await;
            }
            1 => {
                proxy.stall();
                join(at_both, heal_after(meanwhile, &proxy)).await;
            }
            _ => {
                proxy.refuse();
                proxy.cut();
                join(at_both, heal_after(meanwhile, &proxy)).await;
            }
        }
        traffic.finish(&other.url).await;
        traffic.assert_kept(&world).await;
    }
    assert_eq!(cut_off.terminated().await.code, 0);
    assert_eq!(other.terminated().await.code, 0);
}

async fn heal_after(traffic: impl Future<Output = ()>, proxy: &Proxy) {
    traffic.await;
    proxy.heal();
}

async fn play_outages(rounds: usize, mut random: Random) {
    let mut world = ProcessWorld::of_processes(PROGRAMS, Database::Postgres).await;
    assert_eq!(world.runs(&["migrate"]).await.0, 0);
    let servers = [world.serves().await, world.serves().await];
    let urls = servers.each_ref().map(|server| server.url.as_str());
    let traffic = FaultTraffic::default();
    for round in 0..rounds {
        let (is_crash, calls) = (random.below(2) == 0, random.below(3) + 1);
        eprintln!("round {round}: the database server ends, by a crash {is_crash}");
        let outage = async {
            traffic.play(&urls, 1_000 + round, calls).await;
            if is_crash {
                world.server().kill();
            } else {
                world.server().stop();
            }
            traffic.play(&urls, 2_000 + round, 1).await;
            world.server().start().await;
        };
        join(traffic.play(&urls, round, 6), outage).await;
        traffic.finish(urls[0]).await;
        traffic.assert_kept(&world).await;
    }
    for server in servers {
        assert_eq!(server.terminated().await.code, 0);
    }
}

async fn play_failover(rounds: usize, mut random: Random) {
    for round in 0..rounds.div_ceil(4) {
        let mut world = ProcessWorld::of_processes_on(PROGRAMS, Cluster::started().await);
        assert_eq!(world.runs(&["migrate"]).await.0, 0);
        let standby = world.server().standby().await;
        // A commit is acknowledged when the standby has it.
        world.server().set("synchronous_standby_names", "*").await;
        let proxy = Proxy::before(&world.server().socket()).await;
        let server = world.serves_over(&proxy.url_as("postgres", "postgres")).await;
        let (traffic, calls) = (FaultTraffic::default(), random.below(4) + 1);
        let failover = async {
            traffic.play(&[&server.url], 1_000 + round, calls).await;
            world.server().kill();
            standby.promote().await;
            proxy.redirect_to(&standby.socket());
            proxy.cut();
        };
        join(traffic.play(&[&server.url, &server.url], round, 6), failover).await;
        traffic.finish(&server.url).await;
        assert_eq!(server.terminated().await.code, 0);
        traffic.assert_kept(&ProcessWorld::of_processes_on(PROGRAMS, standby)).await;
    }
}

#[tokio::test]
async fn acknowledged_steps_survive_outages_of_the_database() {
    play_scenario(play_outages).await;
}

#[tokio::test]
async fn acknowledged_steps_survive_a_failover() {
    play_scenario(play_failover).await;
}

#[tokio::test]
async fn acknowledged_steps_survive_network_faults() {
    play_scenario(play_network_faults).await;
}
