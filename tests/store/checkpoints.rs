//! Verification from a checkpoint on: a noted tip proves that a log still contains the events before it.

use countersign_events::{Sha256, chain::Checkpoint};
use countersign_store::CheckpointMismatch;
use countersign_tests::{Database, World, on_each_database};

on_each_database! {
    noted_tip_is_found_later,
    noted_tip_of_unsealed_row_is_found_later,
    other_hash_at_checkpoint_is_reported,
    log_before_its_checkpoint_is_reported,
    change_after_checkpoint_breaks_the_chain,
}

/// Removes the guard against changes, which only the database owner can do.
async fn change(world: &World, update: &str) {
    let drop = match world.database() {
        Database::Sqlite => "DROP TRIGGER rows_are_never_changed",
        Database::Postgres => {
            "DROP TRIGGER rows_are_never_changed ON events; DROP TRIGGER no_row_is_ever_changed ON events"
        }
    };
    world.run_sql(&format!("{drop}; {update}")).await.expect("changed");
}

async fn note_tip(world: &World) -> Checkpoint {
    let report = world.verify().await;
    Checkpoint { seq: report.events, hash: report.tip }
}

async fn noted_tip_is_found_later(world: &mut World) {
    let start = world.store().verify_from(note_tip(world).await, |_| {}).await.expect("reads");
    assert!(start.holds() && start.tip.seq == 0, "an empty log has a tip too: {start:?}");
    world.agent("bot").proposes("call_1").await.expect("asked");
    let noted = note_tip(world).await;
    world.person("ada").allows("call_1").await.expect("allowed");
    let report = world.store().verify_from(noted, |_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    assert_eq!((noted.seq, report.tip), (2, note_tip(world).await));
}

async fn noted_tip_of_unsealed_row_is_found_later(world: &mut World) {
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    let by_hand = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL)";
    world.run_shell(by_hand).await.expect("decided");
    let noted = note_tip(world).await;
    bot.claims("call_1").await.expect("claimed");
    let report = world.store().verify_from(noted, |_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    assert_eq!((noted.seq, report.tip.seq), (3, 4));
}

async fn other_hash_at_checkpoint_is_reported(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let noted = Checkpoint { hash: Sha256::digest(b"another log"), ..note_tip(world).await };
    let report = world.store().verify_from(noted, |_| {}).await.expect("reads");
    let found = note_tip(world).await.hash;
    assert_eq!(report.mismatch, Some(CheckpointMismatch::OtherHash { seq: 2, found }));
}

async fn log_before_its_checkpoint_is_reported(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let noted = Checkpoint { seq: 9, ..note_tip(world).await };
    let report = world.store().verify_from(noted, |_| {}).await.expect("reads");
    assert_eq!(report.mismatch, Some(CheckpointMismatch::LogTooShort { tip: 2 }));
}

async fn change_after_checkpoint_breaks_the_chain(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let noted = note_tip(world).await;
    world.person("ada").allows("call_1").await.expect("allowed");
    change(world, "UPDATE events SET principal = 'user:eve' WHERE seq = 3").await;
    let report = world.store().verify_from(noted, |_| {}).await.expect("reads");
    assert!(report.broken.is_some() && report.mismatch.is_none(), "{report:?}");
    world.run_sql("UPDATE events SET principal = 'user:ada' WHERE seq = 3").await.expect("restored");
}
