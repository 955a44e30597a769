//! Migrations: the first store that opens a log runs them, also on a log with data. A log that a later version has
//! migrated further remains usable if that version declares it compatible.
//!
//! The test inserts plausible rows after each migration, so that the next one runs on data. It fails if a migration has
//! no file of rows.

use countersign_events::{CallId, CallState, Mode, ThreadId};
use countersign_store::{
    DatabaseKind, DatabaseUrl, EventFilter, LogMigration, Store, StoreAccess, StoreError, StoreOptions,
    migrations,
};
use countersign_tests::{Database, SqlConnection, World, code, on_each_database, open_file};
use futures_util::future::join_all;
use std::{fs, path::Path};

on_each_database! {
    each_migration_runs_on_rows_of_earlier_ones,
    ten_stores_open_a_new_log_at_once,
    log_of_a_compatible_later_version_is_used,
    log_of_an_incompatible_version_is_refused,
    excluded_program_continues_to_read,
    log_of_a_development_version_is_called_that,
    log_in_use_is_migrated_on_request,
    ten_stores_migrate_a_log_at_once,
}

/// Returns a new's address, empty log beside the world's own, as the command line takes it.
async fn new_log_url(world: &mut World, name: &str) -> String {
    match world.database() {
        Database::Sqlite => world.folder().join(name).display().to_string(),
        Database::Postgres => world.server().database(name).await,
    }
}

fn address(url: &str) -> DatabaseUrl {
    DatabaseUrl::parse(url).expect("the address is valid")
}

fn steps(world: &World) -> &'static [(i64, &'static str, &'static str)] {
    migrations(match world.database() {
        Database::Sqlite => DatabaseKind::Sqlite,
        Database::Postgres => DatabaseKind::Postgres,
    })
}

async fn each_migration_runs_on_rows_of_earlier_ones(world: &mut World) {
    let new_log_url = new_log_url(world, "lived_in").await;
    let mut connection = match world.database() {
        Database::Sqlite => {
            fs::write(&new_log_url, []).expect("writes");
            SqlConnection::Sqlite(open_file(Path::new(&new_log_url)).await)
        }
        Database::Postgres => SqlConnection::open(&new_log_url).await,
    };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/migrations");
    let steps = steps(world);
    for (done, (number, name, _)) in steps.iter().enumerate() {
        connection.migrate(&steps[..=done]).await;
        let companion = format!("{number:04}_{name}.sql");
        let rows = fs::read_to_string(fixtures.join(&companion));
        let rows = rows.unwrap_or_else(|_| panic!("add tests/fixtures/migrations/{companion}"));
        connection.run(&rows).await.unwrap_or_else(|why| panic!("{companion}: {why}"));
    }
    connection.close().await;
    let companions = fs::read_dir(&fixtures).expect("reads").count();
    assert_eq!(companions, steps.len(), "a file of rows has no migration");
    let store =
        Store::open(address(&new_log_url), StoreOptions { create: false, ..StoreOptions::default() }).await;
    let store = store.expect("opens");
    assert_log_is_usable(&store).await;
    store.close().await;
}

async fn assert_log_is_usable(store: &Store) {
    let report = store.verify(|_| {}).await.expect("reads");
    assert!(report.broken.is_none() && report.index_holds, "{report:?}");
    let now = store.clock().now();
    for (thread, id, state) in [
        ("early", "call_1", CallState::Finished),
        ("asking", "call_1", CallState::Pending),
        ("asking", "call_2", CallState::Allowed),
        ("by hand", "call_1", CallState::Denied),
    ] {
        let thread_id = ThreadId::new(thread).expect("valid");
        let call = store.call(&thread_id, &CallId::new(id).expect("valid")).await.expect("reads");
        assert_eq!(call.map(|call| call.state(now)), Some(state), "{thread} {id}");
    }
    let set = store.thread(&ThreadId::new("set").expect("valid")).await.expect("reads");
    assert_eq!((set.mode(), set.policies.len()), (Mode::AutoDeny, 1));
    let pending = store.pending(&EventFilter::default(), 0, 10).await.expect("reads").items;
    assert_eq!(pending.iter().map(|call| call.thread_id.as_str()).collect::<Vec<_>>(), ["asking"]);
}

async fn ten_stores_open_a_new_log_at_once(world: &mut World) {
    for round in 0..3 {
        let database_url = address(&new_log_url(world, &format!("room_{round}")).await);
        let opening =
            (0..10).map(|_| tokio::spawn(Store::open(database_url.clone(), StoreOptions::default())));
        let stores = join_all(opening).await;
        for store in stores {
            store.expect("no panic").expect("the log opens").close().await;
        }
    }
}

/// Changes the log like a later version's migration, which allows versions since `oldest` to use the log.
async fn apply_later_migration(world: &World, oldest: i64) {
    let step = format!(
        "CREATE TABLE of_the_future (id integer PRIMARY KEY);
        INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
            SELECT version + 1, 'the future', TRUE, checksum, 1 FROM _sqlx_migrations
            ORDER BY version DESC LIMIT 1;
        UPDATE layout SET oldest = {oldest}"
    );
    world.run_sql(&step).await.expect("the later migration succeeds");
}

/// Returns the last migration number that this version knows.
fn known(world: &World) -> i64 {
    steps(world).last().expect("there is a migration").0
}

async fn log_of_a_compatible_later_version_is_used(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    bot.proposes("call_1").await.expect("asked");
    apply_later_migration(world, known(world)).await;
    assert_eq!(code(&ada.allows("call_1").await), "done", "a store that was open continues to work");
    let newcomer = world.another_store().await;
    let bot = bot.at(&newcomer);
    assert_eq!(code(&bot.claims("call_1").await), "done", "a new store works too");
    assert_eq!(code(&bot.finishes("call_1").await), "done");
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Finished);
}

async fn log_of_an_incompatible_version_is_refused(world: &mut World) {
    let (bot, known) = (world.agent("bot"), known(world));
    bot.proposes("call_1").await.expect("asked");
    apply_later_migration(world, known + 1).await;
    let before = world.log().await;
    let refused =
        Store::open(world.address(), world.options()).await.err().expect("the layout is incompatible");
    assert_eq!(refused.code(), "newer_database");
    assert!(
        matches!(refused, StoreError::NewerDatabase { found, known: k, .. } if (found, k) == (known + 1, known))
    );
    assert_eq!(world.log().await, before);
}

/// The layout may exclude a program at any time: it notices with its next batch.
async fn excluded_program_continues_to_read(world: &mut World) {
    let (bot, known) = (world.agent("bot"), known(world));
    bot.proposes("call_1").await.expect("asked");
    apply_later_migration(world, known + 1).await;
    for id in ["call_2", "call_3"] {
        let refused = bot.proposes_unlike_others(id).await.expect_err("the layout excludes this version");
        assert!(
            matches!(refused, StoreError::NewerDatabase { found, .. } if found == known + 1),
            "{refused}"
        );
    }
    assert_eq!(world.store().probe().await.expect_err("not ready").code(), "newer_database");
    assert_eq!(world.log().await.len(), 2);
    assert_eq!(world.call("t", "call_1").await.state(world.now()), CallState::Pending);
    world
        .run_sql(&format!("UPDATE layout SET oldest = {known}"))
        .await
        .expect("the newer version permits it");
    assert_eq!(code(&bot.proposes_unlike_others("call_2").await), "done");
}

async fn log_of_a_development_version_is_called_that(world: &mut World) {
    let change = match world.database() {
        Database::Sqlite => "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1",
        Database::Postgres => "UPDATE _sqlx_migrations SET checksum = '\\x00' WHERE version = 1",
    };
    world.run_sql(change).await.expect("changed");
    for options in [world.options(), StoreOptions { access: StoreAccess::Read, ..world.options() }] {
        let refused = Store::open(world.address(), options).await.err().expect("another layout");
        assert_eq!(refused.code(), "unreleased_database", "{refused}");
    }
}

/// Makes a log with the layout before the last one, and returns its address.
async fn make_older_log(world: &mut World, name: &str) -> String {
    let url = new_log_url(world, name).await;
    let mut connection = match world.database() {
        Database::Sqlite => {
            fs::write(&url, []).expect("writes");
            SqlConnection::Sqlite(open_file(Path::new(&url)).await)
        }
        Database::Postgres => SqlConnection::open(&url).await,
    };
    let steps = steps(world);
    connection.migrate(&steps[..steps.len() - 1]).await;
    connection.close().await;
    url
}

/// A migration may exclude the programs that use the log.
async fn log_in_use_is_migrated_on_request(world: &mut World) {
    let url = make_older_log(world, "older").await;
    // The marks that a program leaves when it uses the log.
    let bell = (world.database() == Database::Sqlite).then(|| {
        let bell = fs::File::create(format!("{url}-bell")).expect("created");
        bell.lock_shared().expect("locked");
        bell
    });
    let mut user = match world.database() {
        Database::Sqlite => None,
        Database::Postgres => Some(SqlConnection::open(&url).await),
    };
    if let Some(user) = &mut user {
        let mark = "SELECT pg_advisory_lock_shared(x'43534755'::int, 'events'::regclass::oid::int)";
        user.run(mark).await.expect("marked");
    }
    let refused = Store::open(address(&url), StoreOptions::default()).await.err().expect("it is in use");
    assert_eq!(refused.code(), "in_use", "{refused}");
    assert!(refused.to_string().contains("countersign migrate"), "{refused}");
    let never = StoreOptions { migration: LogMigration::Never, ..StoreOptions::default() };
    let refused = Store::open(address(&url), never.clone()).await.err().expect("it is not migrated");
    assert_eq!(refused.code(), "older_database", "{refused}");
    let always = StoreOptions { migration: LogMigration::Always, ..StoreOptions::default() };
    let store = Store::open(address(&url), always).await.expect("migrates");
    let record = store.migration().expect("it has migrated").clone();
    store.close().await;
    if let Some(user) = user {
        assert_eq!(record.users.len(), 1, "{record:?}");
        user.close().await;
    }
    drop(bell);
    if let Some(copy) = record.copy {
        let layout = steps(world).len() - 1;
        assert_eq!(copy.display().to_string(), format!("{url}.layout-{layout}"));
        let refused = Store::open(DatabaseUrl::File(copy), never).await.err().expect("the copy is as it was");
        assert_eq!(refused.code(), "older_database", "{refused}");
    }
    Store::open(address(&url), StoreOptions::default()).await.expect("it is migrated").close().await;
}

/// Programs that start together do not take each other for users of the older log.
async fn ten_stores_migrate_a_log_at_once(world: &mut World) {
    let url = make_older_log(world, "started").await;
    let opening = (0..10).map(|_| tokio::spawn(Store::open(address(&url), StoreOptions::default())));
    let stores: Vec<_> =
        join_all(opening).await.into_iter().map(|store| store.expect("no panic").expect("opens")).collect();
    assert_eq!(stores.iter().filter(|store| store.migration().is_some()).count(), 1, "one has migrated it");
    for store in stores {
        store.close().await;
    }
}
