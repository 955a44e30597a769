//! Rows that nobody could have written through the guards: a disk that rots, or an operator who takes
//! the guards away. They are found and named, never passed over, and nothing panics over them.

use countersign_approvals::Damaged;
use countersign_store::{Error, Filter, Options, Store};
use countersign_tests::{Proposal, Town, by_hand, code, in_town};
use std::{path::PathBuf, time::Duration};
use tempfile::{TempDir, tempdir};

/// A copy of the town's log, to be damaged where the town does not look.
async fn copy_of(town: &Town) -> (TempDir, PathBuf) {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("copy.db");
    let copy = format!("VACUUM INTO '{}'", path.display());
    by_hand(&town.path(), &copy).await.expect("copies");
    (folder, path)
}

/// Without the guards, anything goes in.
const UNGUARDED: &str = "PRAGMA ignore_check_constraints = TRUE;
    DROP TRIGGER rows_keep_the_structure; DROP TRIGGER rows_without_a_hash_are_decisions;
    DROP TRIGGER rows_are_never_changed; DROP TRIGGER rows_are_never_deleted;";

#[test]
fn a_row_that_cannot_be_read_is_named() {
    in_town(async |town| {
        town.agent("bot").proposes("call_1").await.expect("asked");
        for (what, change) in [
            ("a thread that is a line break", "thread_id = char(10)"),
            ("an unknown type", "type = 'TOOL_WISH'"),
            ("a month that there is not", "timestamp = '2026-19-39T29:59:69.000Z'"),
            ("an unknown kind of principal", "principal = 'root:eve'"),
            ("something after the data", "data = '{}' || char(0) || 'x'"),
            ("a hash that is none", "hash = printf('%064s', 'z')"),
        ] {
            let (_folder, path) = copy_of(town).await;
            let sql = format!("{UNGUARDED} UPDATE events SET {change} WHERE seq = 2");
            by_hand(&path, &sql).await.unwrap_or_else(|why| panic!("{what}: {why}"));
            let store = Store::open(&path, Options::default()).await.expect("opens");
            for found in [
                store.events(&Filter::default(), 0, 10).await.map(|_| ()),
                store.verify(|_| {}).await.map(|_| ()),
                store.follow(Filter::default(), 1).next().await.map(|_| ()),
            ] {
                assert!(matches!(found, Err(Error::Damaged(Damaged { seq: 2, .. }))), "{what}: {found:?}");
            }
            store.close().await;
        }
    });
}

/// One call that cannot be shown hides no other from those who decide.
#[test]
fn a_damaged_call_hides_no_other_that_waits() {
    in_town(async |town| {
        for id in ["call_1", "call_2", "call_3"] {
            town.agent("bot").proposes(id).await.expect("asked");
        }
        let (_folder, path) = copy_of(town).await;
        let spoiled = "UPDATE events SET data = json_remove(data, '$.reason') WHERE seq = 4";
        by_hand(&path, &format!("{UNGUARDED} {spoiled}")).await.expect("unguarded");
        let store = Store::open(&path, Options::default()).await.expect("opens");
        let first = store.pending(&Filter::default(), 0, 2).await.expect("reads");
        let last =
            store.pending(&Filter::default(), first.next.expect("there is more"), 2).await.expect("reads");
        let shown = first.items.iter().chain(&last.items).map(|call| call.id().as_str());
        assert_eq!(shown.collect::<Vec<_>>(), ["call_1", "call_3"]);
        store.close().await;
    });
}

#[test]
fn a_changed_row_breaks_the_chain_and_a_changed_argument_is_found() {
    in_town(async |town| {
        let bot = town.agent("bot");
        for id in ["call_1", "call_2"] {
            bot.proposes(id).await.expect("asked");
        }
        for (change, whole) in [
            ("UPDATE events SET data = replace(data, 'ls', 'rm') WHERE seq = 1", 0),
            ("UPDATE events SET principal = 'agent:eve' WHERE seq = 3", 2),
            ("UPDATE events SET timestamp = '2026-01-31T09:00:00.001Z' WHERE seq = 4", 3),
            ("DELETE FROM events WHERE seq = 2", 1),
        ] {
            let (_folder, path) = copy_of(town).await;
            by_hand(&path, &format!("{UNGUARDED} {change}")).await.expect("unguarded");
            let store = Store::open(&path, Options::default()).await.expect("opens");
            let report = store.verify(|_| {}).await.expect("reads");
            assert_eq!((report.events, report.holds()), (whole, false), "{change}");
            store.close().await;
        }
        let (_folder, path) = copy_of(town).await;
        let unsealed = format!("{UNGUARDED} UPDATE events SET data = replace(data, 'ls', 'rm'), hash = NULL");
        by_hand(&path, &unsealed).await.expect("unguarded");
        let store = Store::open(&path, Options::default()).await.expect("opens");
        let report = store.verify(|_| {}).await.expect("reads");
        let named: Vec<_> = report.inadmissible.iter().map(|row| row.seq).collect();
        assert_eq!((report.broken, named), (None, vec![1, 2, 3, 4]), "rows without a hash are decisions");
        store.close().await;
    });
}

/// The duty of expiry runs alone and for ever: an entry of the index that names no call must not end it.
#[test]
fn an_entry_without_a_call_keeps_no_other_from_lapsing() {
    in_town(async |town| {
        let soon = Proposal { expires_in: Some(Duration::from_mins(1)), ..Proposal::default() };
        town.agent("bot").proposes_to("call_1", soon).await.expect("asked");
        let (_folder, path) = copy_of(town).await;
        let nameless = "INSERT INTO open_requests VALUES (99, 't', '', '2026-01-01T00:00:00.000Z')";
        by_hand(&path, nameless).await.expect("an index has no guards");
        let store = Store::open(&path, Options::default()).await.expect("opens");
        let end = town.store().clock().now().after(Duration::from_mins(1));
        let lapsed = store.due(end, 10).await.expect("reads");
        assert_eq!(lapsed.iter().map(|(_, id)| id.as_str()).collect::<Vec<_>>(), ["call_1"]);
        store.close().await;
    });
}

/// One thread's damage is that thread's: orders elsewhere are carried out, in the same batch too.
#[test]
fn a_damaged_call_keeps_nobody_elses_from_being_decided() {
    in_town(async |town| {
        let bot = town.agent("bot");
        bot.proposes("call_1").await.expect("asked");
        bot.in_thread("t2").proposes("call_1").await.expect("asked");
        let (_folder, path) = copy_of(town).await;
        let spoiled = "UPDATE events SET data = json_remove(data, '$.reason') WHERE seq = 2";
        by_hand(&path, &format!("{UNGUARDED} {spoiled}")).await.expect("unguarded");
        let store = Store::open(&path, town.options()).await.expect("opens");
        let ada = town.person("ada").at(&store);
        let elsewhere = ada.in_thread("t2");
        let (spoiled, whole) = futures_util::join!(ada.allows("call_1"), elsewhere.allows("call_1"));
        assert_eq!((code(&spoiled), code(&whole)), ("damaged", "done"));
        store.close().await;
    });
}
