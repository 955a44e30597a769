//! Copying a whole log from one database into another, and being interrupted in it.

use countersign_approvals::{EventType, Sha256};
use countersign_store::{Address, Copied, Error, Options, Step, Store, copy};
use countersign_tests::{
    Database, Town, in_town_on, messages, postgres::Cluster, psql, seal, shell, within_the_limit,
};
use std::path::PathBuf;
use tempfile::TempDir;

/// Where copies are put: a folder for files, and a server for databases.
struct Attic {
    folder: TempDir,
    server: Cluster,
}

impl Attic {
    async fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), server: Cluster::started().await }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A place for a log of that name, with nothing there yet.
    async fn place(&self, database: Database, name: &str) -> String {
        match database {
            Database::Sqlite => self.file(name).display().to_string(),
            Database::Postgres => self.server.database(name).await,
        }
    }
}

/// Types statements into the shell of whichever it is.
async fn types(place: &str, sql: &str) -> Result<String, String> {
    if place.starts_with("postgres://") { psql(place, sql).await } else { shell(place.as_ref(), sql).await }
}

fn address(place: &str) -> Address {
    Address::parse(place).expect("an address")
}

async fn opened(place: &str) -> Result<Store, Error> {
    Store::open(address(place), Options { create: false, ..Options::default() }).await
}

/// A log with all that is hard to carry: several calls, a decision by hand after its time, rows by hand that
/// nothing seals yet, and text that has to stay as it is.
async fn lives(town: &mut Town) -> String {
    let (bot, ada) = (town.agent("bot"), town.person("ada"));
    for id in ["call_1", "call_2", "call_3"] {
        bot.proposes(id).await.expect("proposed");
    }
    ada.allows("call_1").await.expect("allowed");
    bot.claims("call_1").await.expect("claimed");
    bot.finishes("call_1").await.expect("finished");
    ada.denies("call_2").await.expect("denied");
    let place = place_of(town);
    let odd = r#"{ "text" :"a \u0000 b \\u0000 c", "n": 1.50, "n2":1e3}"#;
    let mut hand = town.hand().await;
    seal(town.store(), &mut hand, "t", (EventType::UserMessage, "user:ada", odd)).await.expect("it is a message");
    hand.lets_go().await;
    types(&place, "INSERT INTO decisions VALUES ('t', 'call_3', 'deny', 'user:ada', 'late');")
        .await
        .expect("a decision");
    place
}

/// The town's log, as a shell finds it.
fn place_of(town: &mut Town) -> String {
    match town.database() {
        Database::Sqlite => town.path().display().to_string(),
        Database::Postgres => town.server().url(),
    }
}

/// What shows in either shell.
const ALL: &str = "SELECT seq, thread_id, type, timestamp, principal, data, hash FROM events ORDER BY seq;";

async fn is_the_same(from: &str, to: &str) {
    assert_eq!(types(from, ALL).await, types(to, ALL).await, "every row, to the byte");
}

fn every_event_is_copied(from: Database, to: Database) {
    in_town_on(from, async |town| {
        let source = lives(town).await;
        let attic = Attic::new().await;
        let target = attic.place(to, "target").await;
        let Copied { before, since, report, .. } =
            copy(address(&source), address(&target), false, |_| ()).await.expect("copied");
        assert_eq!((before, since), (0, 0));
        let there = town.verifies().await;
        assert!(report.holds());
        assert_eq!((report.tip, report.unsealed), (there.tip, there.unsealed));
        is_the_same(&source, &target).await;
        let changed = types(&target, "UPDATE events SET principal = 'user:eve' WHERE seq = 1;").await;
        assert!(changed.is_err(), "the guards are in force");
        let by_hand = "INSERT INTO events (thread_id, type, principal, data)
            VALUES ('t', 'TOOL_APPROVAL_RESPONSE', 'user:ada', '{\"toolCallId\":\"call_9\"}');";
        assert!(types(&target, by_hand).await.is_err(), "also that of rows by hand");
        let store = opened(&target).await.expect("it is an ordinary log now");
        store.probe().await.expect("that can be written to");
        store.close().await;
    });
}

#[test]
fn every_event_is_copied_from_a_file_into_a_file() {
    every_event_is_copied(Database::Sqlite, Database::Sqlite);
}

#[test]
fn every_event_is_copied_from_a_file_to_a_server() {
    every_event_is_copied(Database::Sqlite, Database::Postgres);
}

#[test]
fn every_event_is_copied_from_a_server_into_a_file() {
    every_event_is_copied(Database::Postgres, Database::Sqlite);
}

#[test]
fn every_event_is_copied_from_a_server_to_a_server() {
    every_event_is_copied(Database::Postgres, Database::Postgres);
}

/// A log of `number` messages, so that it is copied in several batches.
async fn long_log(attic: &Attic, number: i64) -> String {
    let place = attic.file("long.db").display().to_string();
    Store::open(address(&place), Options::default()).await.expect("made").close().await;
    types(&place, &messages(0, &mut Sha256::ZERO.clone(), number)).await.expect("messages");
    place
}

fn a_copy_goes_on_where_it_stopped(to: Database) {
    within_the_limit(async {
        let attic = Attic::new().await;
        let source = long_log(&attic, 5_500).await;
        let target = attic.place(to, "target").await;
        let (begun, first) = tokio::sync::oneshot::channel();
        let mut begun = Some(begun);
        let copying = copy(address(&source), address(&target), false, |step| {
            if matches!(step, Step::Copied(2_000.., _)) {
                let _ = begun.take().map(|begun| begun.send(()));
            }
        });
        tokio::select! {
            done = copying => panic!("it was done before it was interrupted: {done:?}"),
            _ = first => {}
        }
        let refused = opened(&target).await.err().expect("nobody works on half a log");
        assert_eq!(refused.code(), "half_copied");
        assert!(refused.to_string().contains("long.db"), "it says of what: {refused}");
        let copied = copy(address(&source), address(&target), false, |_| ()).await.expect("copied");
        assert!(copied.before >= 2_000, "it went on after {}", copied.before);
        assert_eq!(copied.report.events, 5_500);
        is_the_same(&source, &target).await;
        opened(&target).await.expect("it is whole").close().await;
    });
}

#[test]
fn a_copy_that_was_interrupted_goes_on_in_a_file() {
    a_copy_goes_on_where_it_stopped(Database::Sqlite);
}

#[test]
fn a_copy_that_was_interrupted_goes_on_on_a_server() {
    a_copy_goes_on_where_it_stopped(Database::Postgres);
}

fn a_target_with_events_is_left_alone(database: Database) {
    in_town_on(database, async |town| {
        let source = lives(town).await;
        let attic = Attic::new().await;
        let other = long_log(&attic, 3).await;
        let before = types(&source, ALL).await;
        for go_on in [false, true] {
            let refused =
                copy(address(&other), address(&source), go_on, |_| ()).await.expect_err("it has events");
            assert_eq!(refused.code(), if go_on { "not_a_copy" } else { "target_not_empty" });
        }
        for go_on in [false, true] {
            let refused =
                copy(address(&source), address(&source), go_on, |_| ()).await.expect_err("the same");
            assert_eq!(refused.code(), "same_log");
        }
        assert_eq!(types(&source, ALL).await, before, "nothing was changed");
        opened(&source).await.expect("and it still opens").close().await;
    });
}

#[test]
fn a_file_with_events_is_left_alone() {
    a_target_with_events_is_left_alone(Database::Sqlite);
}

#[test]
fn a_server_with_events_is_left_alone() {
    a_target_with_events_is_left_alone(Database::Postgres);
}

#[test]
fn one_log_by_two_names_is_not_copied_into_itself() {
    within_the_limit(async {
        let attic = Attic::new().await;
        let file = long_log(&attic, 3).await;
        let linked = attic.file("linked.db");
        std::fs::hard_link(&file, &linked).expect("a link");
        let refused = copy(address(&file), linked.as_path(), true, |_| ()).await.expect_err("the same");
        assert_eq!(refused.code(), "same_log");
        let server = attic.place(Database::Postgres, "target").await;
        copy(address(&file), address(&server), false, |_| ()).await.expect("copied");
        let again = format!("{server}?application_name=again&schema=public");
        let refused = copy(address(&server), address(&again), true, |_| ()).await.expect_err("the same");
        assert_eq!(refused.code(), "same_log");
        opened(&server).await.expect("it still opens").close().await;
    });
}

#[test]
fn what_the_source_gains_meanwhile_is_taken_when_it_is_asked_for() {
    within_the_limit(async {
        let attic = Attic::new().await;
        let source = long_log(&attic, 10).await;
        let target = attic.place(Database::Postgres, "target").await;
        let mut link = Sha256::ZERO;
        let _ = messages(0, &mut link, 10);
        let more = messages(10, &mut link, 1);
        let copied = copy(address(&source), address(&target), false, |step| {
            if matches!(step, Step::Verified(..)) {
                let typed = std::process::Command::new("sqlite3").args([&source, &more]).status();
                assert!(typed.expect("sqlite3").success());
            }
        });
        assert_eq!(copied.await.expect("copied").since, 1);
        let refused = copy(address(&source), address(&target), false, |_| ()).await;
        assert_eq!(refused.expect_err("it is finished").code(), "target_not_empty");
        let copied = copy(address(&source), address(&target), true, |_| ()).await.expect("copied");
        assert_eq!((copied.before, copied.report.events, copied.since), (10, 11, 0));
        is_the_same(&source, &target).await;
    });
}

#[test]
fn whoever_writes_to_the_target_meanwhile_ends_the_copy() {
    within_the_limit(async {
        let attic = Attic::new().await;
        let source = long_log(&attic, 2_500).await;
        let target = attic.file("target.db").display().to_string();
        let mut times = 0;
        let copied = copy(address(&source), address(&target), false, |step| {
            times += 1;
            if times == 1 {
                assert!(matches!(step, Step::Copied(1_000, 2_500)));
                let more = messages(1_000, &mut Sha256::ZERO.clone(), 1);
                let typed = std::process::Command::new("sqlite3").args([&target, &more]).status();
                assert!(typed.expect("sqlite3").success());
            }
        });
        assert_eq!(copied.await.expect_err("it is no copy any more").code(), "not_a_copy");
        assert_eq!(opened(&target).await.err().map(|e| e.code()), Some("half_copied"));
    });
}

/// SQLite takes half of a pair that stands for one character; PostgreSQL does not.
#[test]
fn an_event_that_the_target_cannot_hold_is_named() {
    within_the_limit(async {
        let attic = Attic::new().await;
        let source = long_log(&attic, 5).await;
        let half = messages(5, &mut Sha256::ZERO.clone(), 1).replace(r#""text":6"#, r#""text":"\ud83d""#);
        types(&source, &half).await.expect("SQLite takes it");
        let target = attic.place(Database::Postgres, "target").await;
        let refused = copy(address(&source), address(&target), false, |_| ()).await.expect_err("not taken");
        assert!(matches!(refused, Error::Unfit { seq: 6, .. }), "{refused}");
        assert_eq!(
            types(&target, "SELECT count(*) FROM events;").await.as_deref(),
            Ok("5"),
            "those before are"
        );
    });
}
