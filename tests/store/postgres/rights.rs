//! A role that was granted a right on the log keeps it after a migration.

use countersign_store::{Kind, migrations};
use countersign_tests::{Database, SqlConnection, in_world_on};

#[test]
fn role_granted_the_views_keeps_them() {
    in_world_on(Database::Postgres, async |world| {
        let room = world.server().database("older").await;
        let mut connection = SqlConnection::open(&room).await;
        connection.migrate(&migrations(Kind::Postgres)[..6]).await;
        let granted =
            "CREATE ROLE reader; GRANT SELECT ON calls TO reader; GRANT INSERT ON decisions TO reader";
        connection.run(granted).await.expect("an owner may");
        connection.migrate(migrations(Kind::Postgres)).await;
        for (right, view) in [("SELECT", "calls"), ("INSERT", "decisions")] {
            let asked = format!("SELECT has_table_privilege('reader', '{view}', '{right}')::text");
            assert_eq!(connection.query_texts(&asked).await.expect("reads"), ["true"], "{right} on {view}");
        }
        connection.close().await;
    });
}
