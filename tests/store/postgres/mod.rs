//! Behaviour of PostgreSQL alone: concurrent writers, failures of servers and networks, poolers, standbys, rights and
//! TLS.

mod creation;
mod network_cuts;
mod order;
mod pooler;
mod restarts;
mod standby;
mod tls;
mod trips;
mod trouble;

use countersign_events::{Event, Principal};
use countersign_store::{DatabaseUrl, EventFilter, EventFollower, Store, StoreError, StoreOptions};
use countersign_tests::{Persona, postgres::Cluster, within_the_limit};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, error::DatabaseError};
use std::time::Duration;

/// Runs a story with its own PostgreSQL server.
fn on_a_server(story: impl AsyncFnOnce(&mut Cluster)) {
    within_the_limit(async { story(&mut Cluster::started().await).await });
}

/// Returns the options of production, except for a short poll interval with which a store soon sees rows inserted by
/// SQL.
fn options() -> StoreOptions {
    StoreOptions { poll: Duration::from_millis(50), ..StoreOptions::default() }
}

/// Returns options with a poll interval of an hour, so that every event must arrive by a notification.
fn options_without_polling() -> StoreOptions {
    StoreOptions { poll: Duration::from_hours(1), ..StoreOptions::default() }
}

async fn tries(url: &str) -> Result<Store, StoreError> {
    try_open_with(url, options()).await
}

async fn try_open_with(url: &str, options: StoreOptions) -> Result<Store, StoreError> {
    Store::open(DatabaseUrl::parse(url).expect("an address"), options).await
}

async fn opens(url: &str) -> Store {
    tries(url).await.expect("the log opens")
}

/// Returns the error code from opening the log. The error message must not contain `secret`.
async fn refused(url: &str, secret: &str) -> &'static str {
    let Err(error) = tries(url).await else { panic!("the log opens") };
    let text = format!("{error} {error:?} {error:#?}");
    assert!(!text.contains(secret), "{text}");
    error.reason().unwrap_or(error.code())
}

fn bot(store: &Store) -> Persona {
    Persona::over(store, Principal::agent("bot"))
}

fn ada(store: &Store) -> Persona {
    Persona::over(store, Principal::user("ada"))
}

async fn log(store: &Store) -> Vec<Event> {
    store.events(&EventFilter::default(), 0, usize::MAX).await.expect("the log reads").items
}

/// Verifies the log, and returns its number of events.
async fn holds(store: &Store) -> i64 {
    let report = store.verify(|_| {}).await.expect("the log reads");
    // The tests insert messages that the rules would not write, so inadmissible rows are accepted here.
    assert!(report.broken.is_none() && report.index_holds, "{report:?}");
    report.events
}

fn follows(store: &Store) -> EventFollower {
    store.follow(EventFilter::default(), 0)
}

/// Asserts that the follower receives the events `first` to `last` once and in order.
async fn assert_receives(follower: &mut EventFollower, first: i64, last: i64) {
    for seq in first..=last {
        assert_eq!(follower.next().await.expect("the log reads").seq, seq);
    }
}

/// Inserts a message without a hash. The database accepts a row without a hash only from a trigger, such as that of the
/// view `decisions` or the one in [`MESSAGES`].
const MESSAGE: &str = "INSERT INTO message DEFAULT VALUES";

/// The trigger that turns [`MESSAGE`] into an event.
const MESSAGES: &str = "CREATE TEMPORARY TABLE message (id integer);
    CREATE FUNCTION pg_temp.insert_message() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO events (thread_id, type, principal, data)
        VALUES ('by_hand', 'USER_MESSAGE', 'user:ada', '{\"text\":\"hello\"}');
        RETURN NULL;
    END $$;
    CREATE TRIGGER insert_message AFTER INSERT ON message
        FOR EACH ROW EXECUTE FUNCTION pg_temp.insert_message()";

/// A plain connection that returns values.
struct PostgresShell(PgConnection);

impl PostgresShell {
    async fn at(url: &str) -> Self {
        let mut conn = PgConnection::connect(url).await.expect("the database accepts the connection");
        // A standby, or a role without rights, cannot create the trigger. The tests of these insert no messages.
        let _ = sqlx::raw_sql(MESSAGES).execute(&mut conn).await;
        Self(conn)
    }

    /// Runs statements. Returns the last row's first column as text, or the error's SQLSTATE.
    async fn tries(&mut self, sql: &str) -> Result<String, String> {
        let asked = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).fetch_all(&mut self.0).await;
        let rows = asked.map_err(|e| match e.as_database_error().and_then(DatabaseError::code) {
            Some(state) => state.into_owned(),
            None => e.to_string(),
        })?;
        let text = |row: &sqlx::postgres::PgRow| row.try_get_unchecked::<Option<String>, _>(0).ok().flatten();
        Ok(rows.last().and_then(text).unwrap_or_default())
    }

    /// Runs statements that must succeed. Returns the first column of the last row.
    async fn run(&mut self, sql: &str) -> String {
        self.tries(sql).await.unwrap_or_else(|why| panic!("{sql}: {why}"))
    }

    /// Repeats a query until its condition is true.
    async fn waits_until(&mut self, condition: &str) {
        while self.run(&format!("SELECT {condition}")).await != "t" {}
    }

    /// Waits until a writer is waiting for the advisory lock.
    async fn waits_for_a_writer(&mut self) {
        self.waits_until(
            "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = x'4353474e'::int::oid \
             AND NOT granted)",
        )
        .await;
    }
}
