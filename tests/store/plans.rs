//! The named queries. Each query has a file, and each file is a query. Each query prepares against the migrated schema
//! of its databases, and no query reads the whole log on PostgreSQL. `sqlite/plans.rs` checks the plans of SQLite.

use countersign_store::{POSTGRES_SETTINGS, queries};
use countersign_tests::{Database, SqlConnection, World, in_world_on, on_each_database};
use futures_util::future::join_all;
use std::{collections::BTreeSet, fs, path::Path};

on_each_database! { every_query_prepares_against_the_migrated_schema }

/// Returns a file's statements, without its comments.
pub(crate) fn statements(sql: &str) -> Vec<String> {
    let code: Vec<_> = sql.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    code.join("\n").split(';').map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

/// Returns the statements of all queries of a database, each with the name of its file.
fn queries_of(database: Database) -> Vec<(&'static str, String)> {
    let queries = queries::ALL.iter().filter(|query| match database {
        Database::Sqlite => query.on_sqlite,
        Database::Postgres => query.on_postgres,
    });
    queries.flat_map(|query| statements(query.text).into_iter().map(|text| (query.file, text))).collect()
}

async fn every_query_prepares_against_the_migrated_schema(world: &mut World) {
    let mut connection = world.sql_connection().await;
    for (file, statement) in queries_of(world.database()) {
        let prepared = connection.prepare(&statement).await;
        assert!(prepared.is_ok(), "sql/{file}: {prepared:?}");
    }
    connection.close().await;
}

/// The queries about a database that is a file.
const FILE_ONLY: [&str; 1] = ["sqlite/lacks_events.sql"];

/// A file that no query embeds is dead. A query that is not in `ALL` would not be tested.
#[test]
fn queries_match_the_files_of_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql");
    let mut files = BTreeSet::new();
    for part in ["", "sqlite/", "postgres/"] {
        let entries = fs::read_dir(folder.join(part)).expect("the folder can be read");
        let entries = entries.map(|entry| entry.expect("reads")).filter(|entry| entry.path().is_file());
        files.extend(entries.map(|entry| format!("{part}{}", entry.file_name().display())));
    }
    let named: BTreeSet<_> = queries::ALL.iter().map(|query| query.file.to_owned()).collect();
    assert_eq!(named, files);
    for query in queries::ALL {
        let file = query.file;
        assert_eq!(fs::read_to_string(folder.join(file)).expect("reads"), query.text, "sql/{file}");
        assert!(query.text.starts_with("-- "), "sql/{file} begins with a comment");
        let twin = file.replace("sqlite/", "postgres/");
        assert!(
            named.contains(&twin) || FILE_ONLY.contains(&file),
            "sql/{file} has a file of the same name in sql/postgres"
        );
    }
}

/// Connects with the planner settings of the store, and with generic plans, which do not depend on the parameters.
pub(crate) async fn connected_as_the_store(world: &World) -> SqlConnection {
    let mut connection = world.sql_connection().await;
    for (name, value) in POSTGRES_SETTINGS.iter().chain([&("plan_cache_mode", "force_generic_plan")]) {
        connection.run(&format!("SET {name} = {value}")).await.expect("the setting is accepted");
    }
    connection
}

/// Returns the lines of PostgreSQL's generic plan for a statement.
pub(crate) async fn plan(connection: &mut SqlConnection, statement: &str) -> Vec<String> {
    connection.run(&format!("PREPARE asked AS {statement}")).await.expect("the statement prepares");
    let counted =
        "SELECT cardinality(parameter_types)::text FROM pg_prepared_statements WHERE name = 'asked'";
    let count = connection.query_texts(counted).await.expect("the query runs")[0].parse().expect("a number");
    let nulls = if count == 0 { String::new() } else { format!("({})", vec!["NULL"; count].join(", ")) };
    let steps = connection
        .query_texts(&format!("EXPLAIN (COSTS OFF) EXECUTE asked {nulls}"))
        .await
        .expect("the statement has a plan");
    connection.run("DEALLOCATE asked").await.expect("the statement is prepared");
    steps
}

/// Returns the plan steps that read a whole table: they filter by thread after reading an index that does not
/// start with the thread, or read `events` without an index condition. Reading only the newest row is allowed.
pub(crate) fn full_scans(steps: &[String]) -> Vec<&String> {
    let reads_all = |n: &usize| {
        let details: Vec<_> =
            steps[n + 1..].iter().take_while(|line| !line.trim_start().starts_with("->")).collect();
        let looks_up = details.iter().any(|line| line.contains("Index Cond"));
        let the_newest = *n > 0 && steps[n - 1].contains("Limit") && steps[*n].contains("Backward");
        let meets_threads =
            details.iter().any(|line| line.contains("Filter") && line.contains("thread_id = "));
        let of_the_log = steps[*n].contains(" on events");
        meets_threads || of_the_log && !(looks_up || the_newest)
    };
    let scans = (0..steps.len()).filter(|n| steps[*n].contains("Scan"));
    scans.filter(reads_all).map(|n| &steps[n]).collect()
}

/// The queries that read all calls or requests by design.
const THOROUGH: [&str; 4] =
    ["mismatch_count.sql", "open_requests_pure.sql", "rebuild_open_requests.sql", "repeated_calls.sql"];

/// Checks the plan of every query.
async fn assert_no_full_scans(world: &World, size: &str) {
    let mut connection = connected_as_the_store(world).await;
    for (file, statement) in queries_of(Database::Postgres) {
        if ["BEGIN", "SET"].iter().any(|command| statement.starts_with(command)) {
            continue;
        }
        let steps = plan(&mut connection, &statement).await;
        let mut whole = full_scans(&steps);
        if THOROUGH.contains(&file) {
            whole.retain(|step| step.contains("Seq Scan"));
        }
        assert!(whole.is_empty(), "sql/{file} reads the whole log ({size}): {whole:?} in {steps:#?}");
    }
    connection.close().await;
}

/// PostgreSQL plans by its statistics. They are missing while the log is new, and outdated when it has grown. A full
/// scan is most likely for a thread with nearly all rows.
#[test]
fn no_postgres_plan_reads_the_whole_log() {
    in_world_on(Database::Postgres, async |world| {
        assert_no_full_scans(world, "empty").await;
        let (bot, ada) = (world.agent("bot"), world.person("ada"));
        for n in 0..20 {
            bot.proposes(&format!("call_{n}")).await.expect("asked");
        }
        assert_no_full_scans(world, "small").await;
        world.run_sql("VACUUM ANALYZE").await.expect("the statistics are updated");
        assert_no_full_scans(world, "small, with statistics").await;
        let ids: Vec<_> = (20..2_000).map(|n| format!("call_{n}")).collect();
        join_all(ids.iter().map(|id| bot.proposes(id))).await;
        join_all(ids.iter().map(|id| ada.allows(id))).await;
        assert_no_full_scans(world, "larger, with outdated statistics").await;
        world.run_sql("VACUUM ANALYZE").await.expect("the statistics are updated");
        assert_no_full_scans(world, "larger, with statistics").await;
    });
}
