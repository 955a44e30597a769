//! Trouble from servers, networks and operators to a log on PostgreSQL, and the guarantees that the store keeps.

mod creation;
mod network_cuts;
mod order;
mod pooler;
mod restarts;
mod standby;
mod tls;
mod trouble;

use countersign_events::{Event, Principal};
use countersign_store::{DatabaseUrl, EventFilter, EventFollower, Store, StoreError, StoreOptions};
use countersign_tests::{Persona, postgres::Cluster, within_the_limit};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Row, error::DatabaseError};
use std::time::Duration;

/// Runs a story with its own server.
fn on_a_server(story: impl AsyncFnOnce(&mut Cluster)) {
    within_the_limit(async { story(&mut Cluster::started().await).await });
}

/// As in production, but with a short poll that soon sees rows inserted by SQL.
fn options() -> StoreOptions {
    StoreOptions { poll: Duration::from_millis(50), ..StoreOptions::default() }
}

/// Polls so rarely that every event must come by a notification.
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

/// The code of the error on opening, after checking that its text contains no secret.
async fn refused(url: &str, secret: &str) -> &'static str {
    let Err(error) = tries(url).await else { panic!("the log opens") };
    let said = format!("{error} {error:?} {error:#?}");
    assert!(!said.contains(secret), "{said}");
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
    // The rules never write a message without a hash.
    assert!(report.broken.is_none() && report.index_holds, "{report:?}");
    report.events
}

fn follows(store: &Store) -> EventFollower {
    store.follow(EventFilter::default(), 0)
}

/// The follower must see the events `first` to `last` once and in order.
async fn assert_receives(follower: &mut EventFollower, first: i64, last: i64) {
    for seq in first..=last {
        assert_eq!(follower.next().await.expect("the log reads").seq, seq);
    }
}

/// Inserts a message without a hash, which only a trigger may do: that of the view `decisions`, and this one.
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
        let mut conn = PgConnection::connect(url).await.expect("the database lets us in");
        // A standby and a role without rights cannot create it, and their tests insert no messages.
        let _ = sqlx::raw_sql(MESSAGES).execute(&mut conn).await;
        Self(conn)
    }

    /// Runs statements. Returns the first column of the last row as text, or the error's SQLSTATE.
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

    /// Repeats the query until it is true.
    async fn waits_until(&mut self, condition: &str) {
        while self.run(&format!("SELECT {condition}")).await != "t" {}
    }

    /// Waits until a writer waits for the lock.
    async fn waits_for_a_writer(&mut self) {
        self.waits_until(
            "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = x'4353474e'::int::oid \
             AND NOT granted)",
        )
        .await;
    }
}
