//! Migrations run over a lived-in database: after each of them come rows as people would have had them
//! by then, so that the next one meets data. A migration without such rows fails here.

use countersign_approvals::{CallId, State, ThreadId, event::Mode};
use countersign_store::{Filter, Kind, Options, Store, migrations};
use countersign_tests::{plainly, within_the_limit};
use sqlx::{
    AssertSqlSafe, Connection, SqlSafeStr, SqliteConnection,
    migrate::{Migration, MigrationType, Migrator},
};
use std::{fs, path::Path};

/// Brings the layout to the step with that number, as the store itself does it.
async fn migrate_to(conn: &mut SqliteConnection, number: i64) {
    let steps = migrations(Kind::Sqlite).iter().filter(|(version, ..)| *version <= number).map(
        |(version, name, sql)| {
            Migration::new(*version, (*name).into(), MigrationType::Simple, (*sql).into_sql_str(), false)
        },
    );
    let migrator = Migrator::with_migrations(steps.collect());
    migrator.run_direct(None, conn, false).await.unwrap_or_else(|why| panic!("migration {number}: {why}"));
}

#[test]
fn each_migration_meets_the_rows_of_those_before_it() {
    within_the_limit(async {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db");
        fs::write(&path, []).expect("writes");
        let mut conn = plainly(&path).await;
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/migrations");
        for (number, name, _) in migrations(Kind::Sqlite) {
            migrate_to(&mut conn, *number).await;
            let companion = format!("{number:04}_{name}.sql");
            let rows = fs::read_to_string(fixtures.join(&companion));
            let rows = rows.unwrap_or_else(|_| panic!("add tests/fixtures/migrations/{companion}"));
            let inserted = sqlx::raw_sql(AssertSqlSafe(rows)).execute(&mut conn).await;
            inserted.unwrap_or_else(|why| panic!("{companion}: {why}"));
        }
        conn.close().await.expect("closes");
        let companions = fs::read_dir(&fixtures).expect("reads").count();
        assert_eq!(companions, migrations(Kind::Sqlite).len(), "a companion without its migration");
        the_log_can_be_used(&path).await;
    });
}

async fn the_log_can_be_used(path: &Path) {
    let store = Store::open(path, Options { create: false, ..Options::default() }).await.expect("opens");
    let report = store.verify(|_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    let now = store.clock().now();
    for (thread, id, state) in [
        ("early", "call_1", State::Finished),
        ("guarded", "call_1", State::Denied),
        ("asking", "call_1", State::Pending),
        ("asking", "call_2", State::Allowed),
        ("by hand", "call_1", State::Denied),
        ("rolling", "call_1", State::Pending),
    ] {
        let thread_id = ThreadId::new(thread).expect("valid");
        let call = store.call(&thread_id, &CallId::new(id).expect("valid")).await.expect("reads");
        assert_eq!(call.map(|call| call.state(now)), Some(state), "{thread} {id}");
    }
    let set = store.thread(&ThreadId::new("set").expect("valid")).await.expect("reads");
    assert_eq!((set.mode(), set.policies.len()), (Mode::AutoDeny, 1));
    let pending = store.pending(&Filter::default(), 0, 10).await.expect("reads").items;
    assert_eq!(pending.iter().map(|call| call.thread_id.as_str()).collect::<Vec<_>>(), ["asking", "rolling"]);
    store.close().await;
}
