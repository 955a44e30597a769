//! Stores that take turns on one log. A store that keeps its state while others write must decide as one that reads
//! everything again.

use countersign_events::{Decision, Event, Mode, ToolPolicy};
use countersign_tests::{Database, Outcome, Proposal, Random, World, code, in_world_on};
use std::time::Duration;

const STEPS: usize = 300;
const TOOLS: [&str; 2] = ["bash", "write"];

mod stores_by_turns_write_the_log_of_one {
    use super::*;

    #[test]
    fn sqlite() {
        assert_stores_write_the_log_of_one(Database::Sqlite);
    }

    #[test]
    fn postgres() {
        assert_stores_write_the_log_of_one(Database::Postgres);
    }
}

/// Executes the same random commands once with one store and once with three, which take turns at random.
fn assert_stores_write_the_log_of_one(database: Database) {
    let seed = Random::seeded_from_environment(46);
    let [alone, together] = [1, 3].map(|count| {
        let mut played = None;
        in_world_on(database, async |world| played = Some(play(world, count, seed.clone()).await));
        played.expect("the story was played")
    });
    for (step, (alone, together)) in alone.codes.iter().zip(&together.codes).enumerate() {
        assert_eq!(alone, together, "step {step}");
    }
    assert_eq!(alone.log, together.log);
}

struct PlayedSteps {
    codes: Vec<&'static str>,
    log: Vec<Event>,
}

async fn play(world: &World, count: usize, mut random: Random) -> PlayedSteps {
    let mut stores = vec![world.store().clone()];
    while stores.len() < count {
        stores.push(world.another_store().await);
    }
    let (mut codes, mut grants) = (Vec::new(), vec![1]);
    for _ in 0..STEPS {
        // Drawn for one store, too, so that the steps are the same.
        let turn = random.below(6) % count;
        let thread = random.word(&["t1", "t2"]);
        let id = format!("call_{}", random.below(20));
        let bot = world.agent("bot").at(&stores[turn]).in_thread(thread);
        let ada = world.person("ada").at(&stores[turn]).in_thread(thread);
        let outcome: Outcome = match random.below(40) {
            0..12 => {
                let expires_in = (random.below(4) == 0).then_some(Duration::from_secs(5));
                let tool = random.word(&TOOLS);
                bot.proposes_to(&id, Proposal { tool, expires_in, ..Proposal::default() }).await
            }
            12..16 => ada.allows(&id).await,
            16..18 => ada.allows_for_the_session(&id).await,
            18..20 => ada.decides(&id, Decision::Deny).await,
            20..26 => bot.claims(&id).await,
            26..30 => bot.finishes(&id).await,
            30..32 => bot.cancels(&id).await,
            32..34 => bot.expires(&id).await,
            34..36 => ada.revokes(*random.one_of(&grants)).await,
            36 => ada.sets_mode(*random.one_of(&[Mode::Interactive, Mode::AutoDeny])).await,
            37 => ada.sets_policy(random.word(&TOOLS), *random.one_of(ToolPolicy::ALL)).await,
            38 if random.below(4) == 0 => ada.closes().await,
            _ => {
                world.clock().advance(Duration::from_secs(2));
                continue;
            }
        };
        codes.push(code(&outcome));
        grants.extend(outcome.iter().flat_map(|done| &done.events).map(|event| event.seq));
    }
    PlayedSteps { codes, log: world.log().await }
}
