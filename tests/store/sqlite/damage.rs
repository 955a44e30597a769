//! Rows that the guards would refuse, caused by a bad disk or an operator who removed the guards. The store names them
//! and does not panic.

use countersign_events::DamagedEvent;
use countersign_store::{EventFilter, Store, StoreError, StoreOptions};
use countersign_tests::{Proposal, World, code, in_world, run_sql_on};
use std::{path::PathBuf, time::Duration};
use tempfile::{TempDir, tempdir};

/// Copies the world's log, so that a test can damage the copy.
async fn copy_of(world: &World) -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("copy.db");
    let copy = format!("VACUUM INTO '{}'", path.display());
    run_sql_on(&world.path(), &copy).await.expect("copies");
    (folder, path)
}

/// Removes the guards, so that any row can be written.
const UNGUARDED: &str = "PRAGMA ignore_check_constraints = TRUE;
    DROP TRIGGER rows_keep_the_structure; DROP TRIGGER rows_without_a_hash_keep_the_structure; DROP TRIGGER rows_without_a_hash_are_decisions;
    DROP TRIGGER rows_are_never_changed; DROP TRIGGER rows_are_never_deleted;";

#[test]
fn unreadable_row_is_named() {
    in_world(async |world| {
        world.agent("bot").proposes("call_1").await.expect("asked");
        for (what, change) in [
            ("a thread that is a line break", "thread_id = char(10)"),
            ("a type that is not a name", "type = 'tool wish'"),
            ("a month that there is not", "timestamp = '2026-19-39T29:59:69.000Z'"),
            ("an unknown kind of principal", "principal = 'root:eve'"),
            ("something after the data", "data = '{}' || char(0) || 'x'"),
            ("a hash that is none", "hash = printf('%064s', 'z')"),
        ] {
            let (_folder, path) = copy_of(world).await;
            let sql = format!("{UNGUARDED} UPDATE events SET {change} WHERE seq = 2");
            run_sql_on(&path, &sql).await.unwrap_or_else(|why| panic!("{what}: {why}"));
            let store = Store::open(&path, StoreOptions::default()).await.expect("opens");
            for found in [
                store.events(&EventFilter::default(), 0, 10).await.map(|_| ()),
                store.verify(|_| {}).await.map(|_| ()),
                store.follow(EventFilter::default(), 1).next().await.map(|_| ()),
            ] {
                assert!(
                    matches!(found, Err(StoreError::Damaged(DamagedEvent { seq: 2, .. }))),
                    "{what}: {found:?}"
                );
            }
            store.close().await;
        }
    });
}

/// One unreadable call must not hide the other pending calls from the approvers.
#[test]
fn damaged_call_hides_no_other_pending_call() {
    in_world(async |world| {
        for id in ["call_1", "call_2", "call_3"] {
            world.agent("bot").proposes(id).await.expect("asked");
        }
        let (_folder, path) = copy_of(world).await;
        let damage = "UPDATE events SET data = json_remove(data, '$.reason') WHERE seq = 4";
        run_sql_on(&path, &format!("{UNGUARDED} {damage}")).await.expect("unguarded");
        let store = Store::open(&path, StoreOptions::default()).await.expect("opens");
        let first = store.pending(&EventFilter::default(), 0, 2).await.expect("reads");
        let last = store
            .pending(&EventFilter::default(), first.next.expect("there is more"), 2)
            .await
            .expect("reads");
        let shown = first.items.iter().chain(&last.items).map(|call| call.id().as_str());
        assert_eq!(shown.collect::<Vec<_>>(), ["call_1", "call_3"]);
        store.close().await;
    });
}

#[test]
fn changed_row_breaks_the_chain_and_is_named() {
    in_world(async |world| {
        let bot = world.agent("bot");
        for id in ["call_1", "call_2"] {
            bot.proposes(id).await.expect("asked");
        }
        for (change, whole) in [
            ("UPDATE events SET data = replace(data, 'ls', 'rm') WHERE seq = 1", 0),
            ("UPDATE events SET principal = 'agent:eve' WHERE seq = 3", 2),
            ("UPDATE events SET timestamp = '2026-01-31T12:00:00.001Z' WHERE seq = 4", 3),
            ("DELETE FROM events WHERE seq = 2", 1),
        ] {
            let (_folder, path) = copy_of(world).await;
            run_sql_on(&path, &format!("{UNGUARDED} {change}")).await.expect("unguarded");
            let store = Store::open(&path, StoreOptions::default()).await.expect("opens");
            let report = store.verify(|_| {}).await.expect("reads");
            assert_eq!((report.events, report.holds()), (whole, false), "{change}");
            store.close().await;
        }
        let (_folder, path) = copy_of(world).await;
        let unsealed = format!("{UNGUARDED} UPDATE events SET data = replace(data, 'ls', 'rm'), hash = NULL");
        run_sql_on(&path, &unsealed).await.expect("unguarded");
        let store = Store::open(&path, StoreOptions::default()).await.expect("opens");
        let report = store.verify(|_| {}).await.expect("reads");
        let named: Vec<_> = report.inadmissible.iter().map(|row| row.seq).collect();
        assert_eq!((report.broken, named), (None, vec![1, 2, 3, 4]), "only a decision may have no hash");
        store.close().await;
    });
}

/// The due-task runner must continue if an open request has no call.
#[test]
fn index_entry_without_a_call_blocks_no_expiry() {
    in_world(async |world| {
        let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
        world.agent("bot").proposes_to("call_1", soon).await.expect("asked");
        let (_folder, path) = copy_of(world).await;
        let nameless =
            "INSERT INTO open_requests VALUES (99, 't', '', '2026-01-01T00:00:00.000Z', 'agent:bot')";
        run_sql_on(&path, nameless).await.expect("the table of open requests has no guards");
        let store = Store::open(&path, StoreOptions::default()).await.expect("opens");
        let end = world.now().after(Duration::from_mins(1));
        let lapsed = store.due(end, 10).await.expect("reads");
        assert_eq!(lapsed.iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["call_1"]);
        store.close().await;
    });
}

/// Damage in one thread does not affect commands in others, even in the same batch.
#[test]
fn damaged_call_blocks_no_other_decision() {
    in_world(async |world| {
        let bot = world.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        bot.in_thread("t2").proposes("call_1").await.expect("asked");
        let (_folder, path) = copy_of(world).await;
        let damage = "UPDATE events SET data = json_remove(data, '$.reason') WHERE seq = 2";
        run_sql_on(&path, &format!("{UNGUARDED} {damage}")).await.expect("unguarded");
        let store = Store::open(&path, world.options()).await.expect("opens");
        let ada = world.person("ada").at(&store);
        let elsewhere = ada.in_thread("t2");
        let (damaged, whole) = futures_util::join!(ada.allows("call_1"), elsewhere.allows("call_1"));
        assert_eq!((code(&damaged), code(&whole)), ("damaged", "done"));
        store.close().await;
    });
}
