//! Makes the golden log of a release from the recipe: `just golden VERSION`.

use crate::{
    dump::{dump_postgres, dump_sqlite},
    golden_log::{
        ARCHIVE, CHECKPOINT, CHECKPOINT_KEY, EXPECTED, GoldenLog, POSTGRES_DUMP, SQLITE_DUMP, golden_folder,
        open_log,
    },
    new_world,
    reading::measure,
    recipe::{GoldenStage, play_story},
    released_migrations::pin_migrations,
};
use countersign_events::EventType;
use countersign_store::{DatabaseUrl, EventFilter, copy};
use countersign_tests::{Cluster, Database, Process, ProcessWorld, within_the_limit};
use std::{env, fs, path::PathBuf};

/// Names the version whose golden log is written. Without it, nothing is.
const VERSION: &str = "COUNTERSIGN_GOLDEN";

/// The recipe works at any time, so that a release finds it in order.
#[test]
fn recipe_makes_log_of_each_event_type() {
    within_the_limit(async {
        let stage = play_story().await;
        let file = stage.file("log.db").display().to_string();
        let store = open_log(&file).await;
        let report = store.verify(|_| ()).await.expect("reads");
        assert!(report.holds() && report.unsealed > 0 && report.unjudged.concerned > 0, "{report:?}");
        let events = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
        store.close().await;
        let missing: Vec<_> =
            EventType::ALL.iter().filter(|kind| events.iter().all(|event| event.kind != **kind)).collect();
        assert!(missing.is_empty(), "let the recipe write {missing:?}");
        if let Ok(version) = env::var(VERSION) {
            press(&stage, &version).await;
        }
    });
}

/// Writes the folder of a version, which must not exist.
async fn press(stage: &GoldenStage, version: &str) {
    let folder = golden_folder().join(version);
    fs::create_dir_all(golden_folder()).expect("the folder is writable");
    fs::create_dir(&folder).expect("a released golden log is never written again");
    let file = stage.file("log.db");
    let server = Cluster::started().await;
    let address = DatabaseUrl::parse(&server.url()).expect("an address");
    copy(file.as_path(), address, false, |_| ()).await.expect("copied");
    fs::write(folder.join(SQLITE_DUMP), dump_sqlite(&file).await).expect("writes");
    fs::write(folder.join(POSTGRES_DUMP), dump_postgres(&server.url()).await).expect("writes");
    fs::copy(stage.file(ARCHIVE), folder.join(ARCHIVE)).expect("copies");
    let log = GoldenLog::at(folder);
    let world = new_world(Database::Sqlite).await;
    log.restore(&world).await;
    sign_checkpoint(&world, &log).await;
    let expected = measure(&world).await;
    pin_migrations(version);
    let text = serde_json::to_string_pretty(&expected).expect("JSON");
    fs::write(log.path(EXPECTED), text + "\n").expect("writes");
}

async fn sign_checkpoint(world: &ProcessWorld, log: &GoldenLog) {
    let runs = async |words: &[&str], target: PathBuf| {
        let ended = Process::start(&mut world.countersign_over_log(words)).ended().await;
        assert_eq!(ended.code, 0, "{ended:?}");
        fs::write(target, ended.stdout).expect("writes");
    };
    runs(&["checkpoint", "key", "key"], log.path(CHECKPOINT_KEY)).await;
    runs(&["checkpoint", "sign", "--key", "key"], log.path(CHECKPOINT)).await;
}
