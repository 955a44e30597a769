//! The table with the times at which proposers were last seen.

use countersign_events::{CallId, ThreadId, Timestamp};
use countersign_store::ProposerPresence;
use countersign_tests::{Proposal, World, on_each_database};
use std::time::Duration;

on_each_database! {
    later_presence_is_kept,
    decided_call_keeps_no_presence,
    log_is_unchanged_by_presence,
    only_calls_that_ask_for_it_have_absent_proposers,
}

fn presence(id: &str, seen_at: Timestamp) -> ProposerPresence {
    let thread_id = ThreadId::new("t").expect("valid");
    ProposerPresence { thread_id, call_id: CallId::new(id).expect("valid"), seen_at }
}

async fn record(world: &World, id: &str, seen_at: Timestamp, prune: bool) {
    world.store().record_presence(&[presence(id, seen_at)], prune).await.expect("recorded");
}

async fn last_seen(world: &World, id: &str) -> Option<Timestamp> {
    let one = presence(id, world.now());
    let found = world.store().presence(&[(&one.thread_id, &one.call_id)]).await.expect("reads");
    found.first().map(|found| found.seen_at)
}

async fn later_presence_is_kept(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let (now, later) = (world.now(), world.now().after(Duration::from_secs(20)));
    assert_eq!(last_seen(world, "call_1").await, None);
    record(world, "call_1", later, false).await;
    record(world, "call_1", now, false).await;
    assert_eq!(last_seen(world, "call_1").await, Some(later), "the clocks of processes differ");
}

async fn decided_call_keeps_no_presence(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["call_1", "call_2"] {
        bot.proposes_unlike_others(id).await.expect("asked");
        record(world, id, world.now(), false).await;
    }
    ada.allows("call_1").await.expect("allowed");
    record(world, "call_2", world.now(), true).await;
    assert_eq!(last_seen(world, "call_1").await, None, "it was decided");
    assert_eq!(last_seen(world, "call_2").await, Some(world.now()));
    record(world, "call_1", world.now(), false).await;
    assert_eq!(last_seen(world, "call_1").await, None, "a late process does not bring it back");
}

async fn log_is_unchanged_by_presence(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let before = world.log().await;
    record(world, "call_1", world.now(), true).await;
    world.run_sql("DELETE FROM proposer_presence").await.expect("its rows may be deleted");
    assert_eq!(world.log().await, before);
    assert_eq!(last_seen(world, "call_1").await, None);
}

async fn only_calls_that_ask_for_it_have_absent_proposers(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["asks", "decided", "silent"] {
        let arguments = format!(r#"{{"command":"make {id}"}}"#);
        let proposal = Proposal { arguments: &arguments, withdraw_when_gone: true, ..Proposal::default() };
        bot.proposes_to(id, proposal).await.expect("asked");
    }
    bot.proposes_unlike_others("durable").await.expect("asked");
    for id in ["asks", "decided", "durable"] {
        record(world, id, world.now(), false).await;
    }
    ada.allows("decided").await.expect("allowed");
    let absent = async |before: Timestamp| {
        let found = world.store().absent_proposers(before, 10).await.expect("reads");
        found.into_iter().map(|gone| gone.call_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(absent(world.now()).await, ["asks"]);
    assert_eq!(absent(world.now().before(Duration::from_secs(1))).await, [""; 0], "it was seen since");
}
