//! Today's program reads each golden log: `verify`, every operation that reads, every command that reads, and every view.

use crate::{
    golden_log::{ARCHIVE, CHECKPOINT, CHECKPOINT_KEY, GoldenExpectation, GoldenLog, open_log, read_rows},
    walk::{ReadWalk, read_commands, read_views},
};
use countersign_api::{CallId, Timestamp};
use countersign_events::{EventType, Sha256};
use countersign_store::EventFilter;
use countersign_tests::{Database, Process, ProcessWorld};
use serde::Deserialize;
use std::collections::BTreeMap;

on_each_database! {
    golden_log_verifies_with_the_same_counts,
    operations_and_commands_read_golden_log,
}

/// A moment after every lease and due time of a golden log.
const LATER_MILLIS: i64 = 9_000_000_000_000;

/// The member of a proposal that names its call.
#[derive(Deserialize)]
struct ProposedId {
    id: CallId,
}

/// Reads the types of the events and the states of the calls. The other parts of the expectation are empty.
pub(crate) async fn read_states(url: &str) -> GoldenExpectation {
    let store = open_log(url).await;
    let events = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
    let (mut types, mut calls) = (BTreeMap::new(), BTreeMap::new());
    for event in &events {
        *types.entry(event.kind.as_str().to_owned()).or_default() += 1;
        if event.kind == EventType::ToolCall {
            let ProposedId { id } = event.data.read().expect("a proposal");
            let call = store.call(&event.thread_id, &id).await.expect("reads").expect("the call exists");
            calls.insert(
                format!("{}/{id}", event.thread_id),
                call.state(Timestamp::from_millis(LATER_MILLIS)).as_str().to_owned(),
            );
        }
    }
    store.close().await;
    GoldenExpectation { types, calls, ..GoldenExpectation::default() }
}

async fn golden_log_verifies_with_the_same_counts(database: Database) {
    for log in GoldenLog::read_all() {
        let world = crate::new_world(database).await;
        log.restore(&world).await;
        let expected = log.expectation();
        let rows = read_rows(&world.url()).await;
        assert_eq!(Sha256::digest(rows.as_bytes()).to_string(), expected.rows, "{}: its dump", log.version);
        assert_eq!(measure(&world).await, expected, "{}", log.version);
        // To open the log may migrate it, and never changes a row.
        assert!(read_rows(&world.url()).await == rows, "{}: the rows have changed", log.version);
        verify_with_programs(&world, &log).await;
    }
}

/// Measures what later versions must find in the log.
pub(crate) async fn measure(world: &ProcessWorld) -> GoldenExpectation {
    let rows = read_rows(&world.url()).await;
    let mut found = read_states(&world.url()).await;
    found.rows = Sha256::digest(rows.as_bytes()).to_string();
    let store = open_log(&world.url()).await;
    let report = store.verify(|_| ()).await.expect("reads");
    store.close().await;
    assert!(report.holds(), "{report:?}");
    found.add_report(&report);
    found
}

/// Runs `verify` with all that the release has left, and the scripts that need no program.
async fn verify_with_programs(world: &ProcessWorld, log: &GoldenLog) {
    let path = |name: &str| log.path(name).display().to_string();
    let (archive, checkpoint, key) = (path(ARCHIVE), path(CHECKPOINT), path(CHECKPOINT_KEY));
    let signed = ["verify", "--checkpoint", &checkpoint, "--public-key", &key];
    for words in [&["verify", "--archive", &archive][..], &signed] {
        let ended = Process::start(&mut world.countersign_over_log(words)).ended().await;
        assert_eq!(ended.code, 0, "{}: {words:?}: {ended:?}", log.version);
    }
    let script = |name: &str| format!("{}/../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let mut scripts = vec![vec![script("verify_export.py"), archive]];
    if world.database() == Database::Sqlite {
        scripts.push(vec![script("verify_log.py"), world.url(), checkpoint]);
    }
    for words in scripts {
        let ended = Process::start(world.program("python3").args(&words)).ended().await;
        assert_eq!(ended.code, 0, "{}: {words:?}: {ended:?}", log.version);
    }
}

async fn operations_and_commands_read_golden_log(database: Database) {
    for log in GoldenLog::read_all() {
        let world = crate::new_world(database).await;
        log.restore(&world).await;
        let expected = log.expectation();
        let mut server = world.serves().await;
        let walk = ReadWalk::over(&server, expected.calls.keys()).await;
        walk.read_everything(&server).await;
        server.kill().await;
        for words in read_commands(expected.calls.keys()) {
            let words: Vec<_> = words.iter().map(String::as_str).collect();
            let ended = Process::start(&mut world.countersign_over_log(&words)).ended().await;
            assert_eq!(ended.code, 0, "{}: {words:?}: {ended:?}", log.version);
        }
        assert_eq!(read_views(&world).await, [""; 0], "{}: views without rows", log.version);
    }
}
