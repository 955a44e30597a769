//! Schema and database integrity: guards that were removed and pages that were damaged are found, and
//! objects that people add are not.

use countersign_store::{DatabaseKind, POSTGRES_OBJECTS, Store, StoreOptions, queries};
use countersign_tests::{
    Database, SqlConnection, World, in_world, in_world_on, on_each_database, open_file, run_sql_on,
};
use std::{fs, path::Path};
use tempfile::tempdir;

on_each_database! {
    new_schema_is_the_expected_one,
    removed_trigger_is_reported,
    removed_unique_index_is_reported,
    changed_view_is_reported,
    added_trigger_is_reported,
    added_index_and_view_are_notes,
}

async fn problems(world: &World) -> Vec<String> {
    world.store().inspect_schema().await.expect("reads").problems
}

async fn new_schema_is_the_expected_one(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let report = world.store().inspect_schema().await.expect("reads");
    assert!(report.holds() && report.notes.is_empty(), "{report:#?}");
    assert!(world.store().inspect_integrity().await.expect("reads").holds());
}

async fn removed_trigger_is_reported(world: &mut World) {
    let on = if world.database() == Database::Postgres { " ON events" } else { "" };
    world.run_sql(&format!("DROP TRIGGER rows_are_never_changed{on}")).await.expect("dropped");
    assert_eq!(problems(world).await, ["the trigger rows_are_never_changed is missing"]);
}

async fn removed_unique_index_is_reported(world: &mut World) {
    world.run_sql("DROP INDEX events_by_call").await.expect("dropped");
    assert_eq!(problems(world).await, ["the index events_by_call is missing"]);
    let weaker = "CREATE INDEX events_by_call ON events (thread_id) WHERE type = 'TOOL_APPROVAL_RESPONSE'";
    world.run_sql(weaker).await.expect("created");
    assert_eq!(
        problems(world).await,
        ["the index events_by_call differs from the one that Countersign makes"]
    );
}

async fn changed_view_is_reported(world: &mut World) {
    let change = "DROP VIEW decisions; CREATE VIEW decisions AS
        SELECT thread_id, tool_call_id, decision, decided_by AS principal, comment FROM calls
        WHERE decided_by <> 'user:eve'";
    world.run_sql(change).await.expect("changed");
    let found = problems(world).await;
    assert!(
        found.contains(&"the view decisions differs from the one that Countersign makes".to_owned()),
        "{found:?}"
    );
}

async fn added_trigger_is_reported(world: &mut World) {
    let trigger = match world.database() {
        Database::Sqlite => {
            "CREATE TRIGGER forward AFTER INSERT ON open_requests BEGIN DELETE FROM probe; END"
        }
        Database::Postgres => {
            "CREATE TRIGGER forward AFTER TRUNCATE ON open_requests
            FOR EACH STATEMENT EXECUTE FUNCTION reject_change()"
        }
    };
    world.run_sql(trigger).await.expect("created");
    assert_eq!(problems(world).await, ["the trigger forward on open_requests was added by another program"]);
}

async fn added_index_and_view_are_notes(world: &mut World) {
    let own = "CREATE INDEX mine ON events (principal); CREATE VIEW rm AS SELECT * FROM calls";
    world.run_sql(own).await.expect("created");
    let report = world.store().inspect_schema().await.expect("reads");
    assert!(report.holds(), "{report:?}");
    assert!(report.notes[0].starts_with("the index mine was added"), "{report:?}");
}

/// A disabled trigger exists, and does nothing.
#[test]
fn disabled_postgres_trigger_is_reported() {
    in_world_on(Database::Postgres, async |world| {
        world.run_sql("ALTER TABLE events DISABLE TRIGGER rows_are_never_changed").await.expect("disabled");
        let expected = "the trigger rows_are_never_changed differs from the one that Countersign makes";
        assert_eq!(problems(world).await, [expected]);
    });
}

#[test]
fn integrity_check_without_amcheck_says_so() {
    in_world_on(Database::Postgres, async |world| {
        let report = world.store().inspect_integrity().await.expect("reads");
        assert!(report.skipped.is_some_and(|why| why.contains("CREATE EXTENSION amcheck")));
        world.run_sql("CREATE EXTENSION amcheck").await.expect("the extension is installed");
        world.agent("bot").proposes("call_1").await.expect("asked");
        let report = world.store().inspect_integrity().await.expect("reads");
        assert!(report.holds() && report.skipped.is_none(), "{report:?}");
    });
}

/// `COUNTERSIGN_ACCEPT=1` writes the list again.
#[test]
fn expected_postgres_objects_match_the_migrations() {
    in_world_on(Database::Postgres, async |world| {
        let text = queries::SCHEMA_OBJECTS.on(DatabaseKind::Postgres);
        let lines = format!(
            "SELECT concat_ws(E'\\t', kind, name, owner, definition) FROM ({text}) o (kind, name, owner, definition)
            ORDER BY kind COLLATE \"C\", name COLLATE \"C\", owner COLLATE \"C\""
        );
        let mut connection = world.sql_connection().await;
        let found = connection.query_texts(&lines).await.expect("the query runs").join("\n") + "\n";
        connection.close().await;
        if std::env::var_os("COUNTERSIGN_ACCEPT").is_some() {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../crates/store/src/inspect/postgres_objects.tsv");
            fs::write(path, &found).expect("the repository is writable");
        } else if found.contains(&version_line(POSTGRES_OBJECTS)) {
            assert_eq!(found, POSTGRES_OBJECTS, "run the test with COUNTERSIGN_ACCEPT=1");
        }
    });
}

fn version_line(objects: &str) -> String {
    objects.lines().find(|line| line.starts_with("version\t")).unwrap_or_default().to_owned()
}

/// Overwrites the middle of the page in which an index starts.
fn damage_page(path: &Path, page: usize, page_size: usize) {
    let mut bytes = fs::read(path).expect("reads");
    let middle = (page - 1) * page_size + page_size / 2;
    bytes[middle..middle + page_size / 2].fill(0xa5);
    fs::write(path, bytes).expect("writes");
}

#[test]
fn damaged_index_page_is_reported() {
    in_world(async |world| {
        let bot = world.agent("bot");
        for n in 0..60 {
            bot.proposes(&format!("call_{n}")).await.expect("asked");
        }
        let folder = tempdir().expect("a folder");
        let path = folder.path().join("copy.db");
        run_sql_on(&world.path(), &format!("VACUUM INTO '{}'", path.display())).await.expect("copies");
        let mut connection = SqlConnection::Sqlite(open_file(&path).await);
        let query = "SELECT CAST(rootpage AS text) FROM sqlite_schema WHERE name = 'requests_by_call'
            UNION ALL SELECT CAST(page_size AS text) FROM pragma_page_size";
        let numbers = connection.query_texts(query).await.expect("reads");
        connection.close().await;
        let number = |index: usize| numbers[index].parse().expect("a number");
        damage_page(&path, number(0), number(1));
        let store = Store::open(path.as_path(), StoreOptions::default()).await.expect("opens");
        let report = store.inspect_integrity().await.expect("reads");
        assert!(!report.holds(), "the damage is found");
        store.close().await;
    });
}
