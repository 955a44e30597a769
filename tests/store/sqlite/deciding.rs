//! The schema text of an existing table changes in place, for which SQLite has no statement: the file must stay
//! sound, and open connections must see the new text.

use countersign_store::{Kind, Options, Store, migrations};
use countersign_tests::{SqlConnection, in_world, open_file};
use std::fs;

const REMINDER: &str = "INSERT INTO events (hash, thread_id, type, principal, data) VALUES (
    '4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db', 'rolling', 'TOOL_APPROVAL_REMINDER',
    'system:expiry', '{\"toolCallId\":\"call_1\"}')";

#[test]
fn open_connection_learns_new_schema_words() {
    in_world(async |world| {
        let path = world.folder().join("older.db");
        fs::write(&path, []).expect("writes");
        let mut connection = SqlConnection::Sqlite(open_file(&path).await);
        connection.migrate(&migrations(Kind::Sqlite)[..6]).await;
        connection.run(include_str!("../../fixtures/migrations/0006_neighbours.sql")).await.expect("rows");
        let complaint = connection.run(REMINDER).await.expect_err("there are no reminders yet");
        assert!(complaint.contains("CHECK constraint failed"), "{complaint}");

        Store::open(&path, Options::default()).await.expect("it is brought up to date").close().await;
        connection.run(REMINDER).await.expect("now there are");
        let reminded = "SELECT tool_call_id FROM events WHERE type = 'TOOL_APPROVAL_REMINDER'";
        assert_eq!(connection.query_texts(reminded).await.expect("reads"), ["call_1"]);
        let unknown = connection.run(&REMINDER.replace("REMINDER", "WISH")).await.expect_err("no such type");
        assert!(unknown.contains("CHECK constraint failed"), "{unknown}");
        for mut connection in [connection, SqlConnection::Sqlite(open_file(&path).await)] {
            assert_eq!(connection.query_texts("PRAGMA integrity_check").await.expect("reads"), ["ok"]);
            let writable =
                connection.run("DELETE FROM sqlite_schema").await.expect_err("nobody writes there");
            assert!(writable.contains("may not be modified"), "{writable}");
            connection.close().await;
        }
    });
}

/// A migration that fails half-way leaves the file as it was, including this text.
#[test]
fn revoked_schema_words_are_unknown() {
    in_world(async |world| {
        let path = world.folder().join("older.db");
        fs::write(&path, []).expect("writes");
        let mut connection = SqlConnection::Sqlite(open_file(&path).await);
        connection.migrate(&migrations(Kind::Sqlite)[..6]).await;
        connection.run(include_str!("../../fixtures/migrations/0006_neighbours.sql")).await.expect("rows");
        let step = migrations(Kind::Sqlite)[6].2;
        connection.run(&format!("BEGIN; {step}; ROLLBACK")).await.expect("it is taken back");
        let complaint = connection.run(REMINDER).await.expect_err("there are no reminders");
        assert!(complaint.contains("CHECK constraint failed"), "{complaint}");
        assert_eq!(connection.query_texts("PRAGMA integrity_check").await.expect("reads"), ["ok"]);
        connection.close().await;
        Store::open(&path, Options::default()).await.expect("and it is done anew").close().await;
    });
}
