//! Faults under traffic: what a server acknowledged is in the log once, the log stays intact, and every call can be ended
//! when the fault is over. Each scenario is random, from a seed that it prints. `tests/faults/run` plays more rounds than
//! the tests do by default.

#![expect(clippy::print_stderr, reason = "a failure must name its faults")]

mod database_server;
mod disk;
mod files;
mod injected;
mod processes;
mod traffic;

use countersign_tests::{Programs, Random};
use std::time::Duration;

const PROGRAMS: Programs = countersign_tests::programs!();

/// The default number of rounds in a scenario.
const ROUNDS: usize = 3;

/// The seed by default.
const SEED: u64 = 34;

/// A round takes less than this, however slow the machine is. It only ends a scenario that hangs.
const LONGEST_ROUND: Duration = Duration::from_mins(2);

/// Plays a scenario for `COUNTERSIGN_FAULT_ROUNDS` rounds.
async fn play_scenario<S: Future<Output = ()>>(scenario: impl FnOnce(usize, Random) -> S) {
    let rounds =
        std::env::var("COUNTERSIGN_FAULT_ROUNDS").map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    let limit = LONGEST_ROUND * u32::try_from(rounds + 1).expect("a small number");
    let played = scenario(rounds, Random::seeded_from_environment(SEED));
    tokio::time::timeout(limit, played).await.expect("no round hangs");
}
