//! A disk that fails, fills and is slow, and a clock that is set.

use crate::{
    PROGRAMS,
    injected::{FaultInjector, InjectedFault},
    play_scenario,
    traffic::FaultTraffic,
};
use countersign_tests::{Database, ProcessWorld, Random, Server};

async fn serve(world: &ProcessWorld, injector: &FaultInjector) -> Server {
    let environment = injector.environment();
    let environment: Vec<_> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
    world.serves_with_variables(&environment, &[]).await
}

async fn play_disk_faults(rounds: usize, mut random: Random) {
    let world = ProcessWorld::of_processes(PROGRAMS, Database::Sqlite).await;
    let (injector, traffic) = (FaultInjector::compile(&world), FaultTraffic::default());
    let mut faulty = serve(&world, &injector).await;
    let other = world.serves().await;
    for round in 0..rounds {
        let fault = InjectedFault::pick(&mut random);
        eprintln!("round {round}: {fault:?}");
        injector.inject(fault);
        traffic.play(&[&faulty.url, &faulty.url, &other.url], round, 6).await;
        // The power fails while the fault lasts, or the fault ends.
        let is_killed = random.below(2) == 0;
        if is_killed {
            faulty.kill().await;
        }
        injector.inject(InjectedFault::default());
        if is_killed {
            faulty = serve(&world, &injector).await;
        }
        traffic.finish(&faulty.url).await;
        traffic.assert_kept(&world).await;
    }
    assert_eq!(faulty.terminated().await.code, 0);
    assert_eq!(other.terminated().await.code, 0);
    traffic.assert_kept(&world).await;
}

#[tokio::test]
async fn acknowledged_steps_survive_a_failing_disk() {
    play_scenario(play_disk_faults).await;
}
