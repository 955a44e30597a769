//! Copies of a whole log from one database into another, and interrupted copies.

use countersign_events::{Event, EventType, Json, Sha256, chain};
use countersign_store::{
    CopyStep, CopySummary, DatabaseUrl, EventFilter, Store, StoreError, StoreOptions, copy,
};
use countersign_tests::{
    Database, World, append_sealed, in_world_on, messages, postgres::Cluster, run_psql, run_sqlite3,
    statement, within_the_limit,
};
use std::path::PathBuf;
use tempfile::TempDir;

/// The targets of copies: a folder for files, and a server for databases.
struct CopyFolder {
    folder: TempDir,
    server: Cluster,
}

impl CopyFolder {
    async fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), server: Cluster::started().await }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns a new's address, empty log with this name.
    async fn create_target(&self, database: Database, name: &str) -> String {
        match database {
            Database::Sqlite => self.file(name).display().to_string(),
            Database::Postgres => self.server.database(name).await,
        }
    }
}

/// Runs statements in the database shell at `url`.
async fn run_shell(url: &str, sql: &str) -> Result<String, String> {
    if url.starts_with("postgres://") {
        run_psql(url, sql).await
    } else {
        run_sqlite3(url.as_ref(), sql).await
    }
}

fn address(url: &str) -> DatabaseUrl {
    DatabaseUrl::parse(url).expect("an address")
}

async fn open_existing(url: &str) -> Result<Store, StoreError> {
    Store::open(address(url), StoreOptions { create: false, ..StoreOptions::default() }).await
}

/// Writes a log with calls in several states, a decision by SQL without a hash, and a message whose text must stay
/// unchanged.
async fn write_varied_log(world: &mut World) -> String {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    for id in ["call_1", "call_2", "call_3"] {
        bot.proposes(id).await.expect("proposed");
    }
    ada.allows("call_1").await.expect("allowed");
    bot.claims("call_1").await.expect("claimed");
    bot.finishes("call_1").await.expect("finished");
    ada.denies("call_2").await.expect("denied");
    let url = address_of(world);
    let odd = r#"{ "text" :"a \u0000 b \\u0000 c", "n": 1.50, "n2":1e3}"#;
    let mut connection = world.sql_connection().await;
    append_sealed(world.store(), &mut connection, "t", (EventType::UserMessage, "user:ada", odd))
        .await
        .expect("the message is accepted");
    connection.close().await;
    run_shell(&url, "INSERT INTO decisions VALUES ('t', 'call_3', 'deny', 'user:ada', 'late');")
        .await
        .expect("a decision");
    url
}

/// Returns the world's log address, as a shell takes it.
fn address_of(world: &mut World) -> String {
    match world.database() {
        Database::Sqlite => world.path().display().to_string(),
        Database::Postgres => world.server().url(),
    }
}

/// Selects every column of every event.
const ALL: &str = "SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events ORDER BY seq;";

async fn assert_same_content(from: &str, to: &str) {
    assert_eq!(run_shell(from, ALL).await, run_shell(to, ALL).await, "every row is equal byte for byte");
}

fn assert_every_event_is_copied(from: Database, to: Database) {
    in_world_on(from, async |world| {
        let source = write_varied_log(world).await;
        let targets = CopyFolder::new().await;
        let target = targets.create_target(to, "target").await;
        let CopySummary { before, since, report, .. } =
            copy(address(&source), address(&target), false, |_| ()).await.expect("copied");
        assert_eq!((before, since), (0, 0));
        let source_report = world.verify().await;
        assert!(report.holds());
        assert_eq!((report.tip, report.unsealed), (source_report.tip, source_report.unsealed));
        assert_same_content(&source, &target).await;
        let changed = run_shell(&target, "UPDATE events SET principal = 'user:eve' WHERE seq = 1;").await;
        assert!(changed.is_err(), "the guards of the copy refuse a change");
        let direct_insert = "INSERT INTO events (thread_id, type, principal, data)
            VALUES ('t', 'TOOL_APPROVAL_RESPONSE', 'user:ada', '{\"toolCallId\":\"call_9\"}');";
        assert!(
            run_shell(&target, direct_insert).await.is_err(),
            "the guards of the copy refuse a direct insert"
        );
        let store = open_existing(&target).await.expect("the copy opens as an ordinary log");
        store.probe().await.expect("the copy accepts commands");
        store.close().await;
    });
}

#[test]
fn file_to_file_copy_contains_every_event() {
    assert_every_event_is_copied(Database::Sqlite, Database::Sqlite);
}

#[test]
fn file_to_server_copy_contains_every_event() {
    assert_every_event_is_copied(Database::Sqlite, Database::Postgres);
}

#[test]
fn server_to_file_copy_contains_every_event() {
    assert_every_event_is_copied(Database::Postgres, Database::Sqlite);
}

#[test]
fn server_to_server_copy_contains_every_event() {
    assert_every_event_is_copied(Database::Postgres, Database::Postgres);
}

/// Writes a log of `number` messages, so that it is copied in several batches.
async fn write_long_log(targets: &CopyFolder, number: i64) -> String {
    let url = targets.file("long.db").display().to_string();
    Store::open(address(&url), StoreOptions::default()).await.expect("made").close().await;
    run_shell(&url, &messages(0, &mut Sha256::ZERO.clone(), number)).await.expect("messages");
    url
}

fn assert_interrupted_copy_continues(to: Database) {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let source = write_long_log(&targets, 5_500).await;
        let target = targets.create_target(to, "target").await;
        let (started, first) = tokio::sync::oneshot::channel();
        let mut started = Some(started);
        let copying = copy(address(&source), address(&target), false, |step| {
            if matches!(step, CopyStep::Copied(2_000.., _)) {
                let _ = started.take().map(|started| started.send(()));
            }
        });
        tokio::select! {
            done = copying => panic!("the copy ended before it was interrupted: {done:?}"),
            _ = first => {}
        }
        let refused = open_existing(&target).await.err().expect("a partial copy cannot be opened");
        assert_eq!(refused.code(), "half_copied");
        assert!(refused.to_string().contains("long.db"), "the error names the source: {refused}");
        let copied = copy(address(&source), address(&target), false, |_| ()).await.expect("copied");
        assert!(copied.before >= 2_000, "the copy continued after event {}", copied.before);
        assert_eq!(copied.report.events, 5_500);
        assert_same_content(&source, &target).await;
        open_existing(&target).await.expect("the copy is complete").close().await;
    });
}

#[test]
fn interrupted_copy_to_a_file_continues() {
    assert_interrupted_copy_continues(Database::Sqlite);
}

#[test]
fn interrupted_copy_to_a_server_continues() {
    assert_interrupted_copy_continues(Database::Postgres);
}

fn assert_target_with_events_is_refused(database: Database) {
    in_world_on(database, async |world| {
        let source = write_varied_log(world).await;
        let targets = CopyFolder::new().await;
        let other = write_long_log(&targets, 3).await;
        let before = run_shell(&source, ALL).await;
        for go_on in [false, true] {
            let refused =
                copy(address(&other), address(&source), go_on, |_| ()).await.expect_err("the log has events");
            assert_eq!(refused.code(), if go_on { "not_a_copy" } else { "target_not_empty" });
        }
        for go_on in [false, true] {
            let refused =
                copy(address(&source), address(&source), go_on, |_| ()).await.expect_err("the same");
            assert_eq!(refused.code(), "same_log");
        }
        assert_eq!(run_shell(&source, ALL).await, before, "nothing was changed");
        open_existing(&source).await.expect("the target opens unchanged").close().await;
    });
}

#[test]
fn file_with_events_is_not_overwritten() {
    assert_target_with_events_is_refused(Database::Sqlite);
}

#[test]
fn server_with_events_is_not_overwritten() {
    assert_target_with_events_is_refused(Database::Postgres);
}

#[test]
fn log_is_not_copied_into_itself() {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let file = write_long_log(&targets, 3).await;
        let linked = targets.file("linked.db");
        std::fs::hard_link(&file, &linked).expect("a link");
        let refused = copy(address(&file), linked.as_path(), true, |_| ()).await.expect_err("the same");
        assert_eq!(refused.code(), "same_log");
        let server = targets.create_target(Database::Postgres, "target").await;
        copy(address(&file), address(&server), false, |_| ()).await.expect("copied");
        let again = format!("{server}?application_name=again&schema=public");
        let refused = copy(address(&server), address(&again), true, |_| ()).await.expect_err("the same");
        assert_eq!(refused.code(), "same_log");
        open_existing(&server).await.expect("the source opens").close().await;
    });
}

#[test]
fn continued_copy_includes_new_events_of_the_source() {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let source = write_long_log(&targets, 10).await;
        let target = targets.create_target(Database::Postgres, "target").await;
        let mut link = Sha256::ZERO;
        let _ = messages(0, &mut link, 10);
        let more = messages(10, &mut link, 1);
        let copied = copy(address(&source), address(&target), false, |step| {
            if matches!(step, CopyStep::Verified(..)) {
                let typed = std::process::Command::new("sqlite3").args([&source, &more]).status();
                assert!(typed.expect("sqlite3").success());
            }
        });
        assert_eq!(copied.await.expect("copied").since, 1);
        let refused = copy(address(&source), address(&target), false, |_| ()).await;
        assert_eq!(refused.expect_err("the copy is finished").code(), "target_not_empty");
        let copied = copy(address(&source), address(&target), true, |_| ()).await.expect("copied");
        assert_eq!((copied.before, copied.report.events, copied.since), (10, 11, 0));
        assert_same_content(&source, &target).await;
    });
}

#[test]
fn write_to_the_target_ends_the_copy() {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let source = write_long_log(&targets, 2_500).await;
        let target = targets.file("target.db").display().to_string();
        let mut times = 0;
        let copied = copy(address(&source), address(&target), false, |step| {
            times += 1;
            if times == 1 {
                assert!(matches!(step, CopyStep::Copied(1_000, 2_500)));
                let more = messages(1_000, &mut Sha256::ZERO.clone(), 1);
                let typed = std::process::Command::new("sqlite3").args([&target, &more]).status();
                assert!(typed.expect("sqlite3").success());
            }
        });
        assert_eq!(copied.await.expect_err("the target has its own events").code(), "not_a_copy");
        assert_eq!(open_existing(&target).await.err().map(|e| e.code()), Some("half_copied"));
    });
}

/// SQLite accepts half of a surrogate pair in JSON; PostgreSQL does not.
#[test]
fn event_the_target_cannot_hold_is_named() {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let source = write_long_log(&targets, 5).await;
        let half = messages(5, &mut Sha256::ZERO.clone(), 1).replace(r#""text":6"#, r#""text":"\ud83d""#);
        run_shell(&source, &half).await.expect("SQLite accepts the text");
        let target = targets.create_target(Database::Postgres, "target").await;
        let refused = copy(address(&source), address(&target), false, |_| ())
            .await
            .expect_err("PostgreSQL refuses the event");
        assert!(matches!(refused, StoreError::EventRefused { seq: 6, .. }), "{refused}");
        assert_eq!(
            run_shell(&target, "SELECT count(*) FROM events;").await.as_deref(),
            Ok("5"),
            "the events before it are copied"
        );
    });
}

/// Earlier versions accepted any number, and SQLite stores it.
#[test]
fn number_beyond_bound_is_named_by_copy() {
    within_the_limit(async {
        let targets = CopyFolder::new().await;
        let source = write_long_log(&targets, 5).await;
        let store = open_existing(&source).await.expect("the log opens");
        let last = store.events(&EventFilter::default(), 4, 1).await.expect("reads").items.remove(0);
        let link = last.hash.expect("a hash");
        let data = Json::stored(r#"{"n":1e999999999}"#.to_owned()).expect("JSON");
        let mut event = Event { seq: 6, data, hash: None, ..last };
        event.hash = Some(chain::link(link, &event));
        run_shell(&source, &format!("{};", statement(&event))).await.expect("SQLite accepts the number");
        let read = store.events(&EventFilter::default(), 5, 1).await.expect("the event is readable").items;
        assert_eq!(read, [event]);
        assert!(store.verify(|_| ()).await.expect("verifies").holds(), "the log is intact");
        store.close().await;
        let target = targets.create_target(Database::Postgres, "target").await;
        let refused = copy(address(&source), address(&target), false, |_| ())
            .await
            .expect_err("PostgreSQL cannot hold the number");
        assert_eq!(refused.code(), "event_refused");
        let why = "refuses event 6: the exponent of the number at byte 5 is out of range; the limits are -1000 and 1000";
        assert!(refused.to_string().contains(why), "{refused}");
        let file = targets.create_target(Database::Sqlite, "file").await;
        let copied = copy(address(&source), address(&file), false, |_| ()).await.expect("copied");
        assert!(copied.report.holds());
        assert_same_content(&source, &file).await;
    });
}
