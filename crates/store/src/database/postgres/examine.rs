//! Examines a server: the settings and rights that a durable log depends on.

use super::{
    change_listener::NotificationBell,
    error,
    lock_holder::find_lock_holder,
    schema,
    session::{ANSWER, SessionFactory, check_server, execute_text},
};
use crate::{Clock, LockHolder, PostgresAddress, StoreError, SyncMode, clock::with_timeout, queries};
use countersign_events::Timestamp;
use futures_util::future::BoxFuture;
use sqlx::{PgConnection, Row, postgres::PgRow};
use std::time::{Duration, Instant};

/// The findings about a server.
#[derive(Debug, Clone)]
pub struct ServerExamination {
    /// The server's version.
    pub version: String,
    /// The median time of a round trip.
    pub round_trip: Duration,
    /// Whether the connection is encrypted.
    pub encrypted: bool,
    /// Whether the server is on this machine.
    pub is_local: bool,
    /// The server's clock, and the milliseconds that it is ahead of the local one.
    pub clock: (Timestamp, i64),
    /// Whether the connection is older than this examination although the address names no pooler: a pooler must have
    /// kept it open.
    pub unnamed_pooler: bool,
    /// The maximum number of connections, and the number in use.
    pub connections: (i64, i64),
    /// The names of disabled settings without which a machine crash damages the database.
    pub unsafe_settings: Option<String>,
    /// The setting `synchronous_commit`.
    pub synchronous_commit: String,
    /// The setting `synchronous_standby_names`.
    pub synchronous_standbys: String,
    /// The number of connected standbys.
    pub standbys: i64,
    /// The default isolation level.
    pub isolation: String,
    /// The default of `standard_conforming_strings`.
    pub conforming_strings: String,
    /// The encoding of text.
    pub encoding: String,
    /// The rights of this user, if there is a log.
    pub rights: Option<RoleRights>,
    /// The guards that are disabled or missing.
    pub missing_guards: Option<String>,
    /// The test notification's result, if there is a log.
    pub notification: Option<Result<(), String>>,
    /// The process that holds the write lock now, if there is a log.
    pub lock_holder: Option<LockHolder>,
}

/// A user's rights on a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleRights {
    /// The user can only read events.
    Read,
    /// The user can add events, but not change or delete them.
    Add,
    /// The user has the rights to change and delete events. Only the guards prevent it.
    Change,
    /// The user owns the table and can remove the guards.
    Own,
}

/// The number of round trips to measure.
const ROUND_TRIPS: usize = 5;

/// A connection older than this many seconds existed before the examination.
const NEW_CONNECTION_SECONDS: i64 = 2;

/// Connects and examines the server. It does not read a log's events.
#[must_use]
#[inline(never)]
pub fn examine(address: &PostgresAddress) -> BoxFuture<'_, Result<ServerExamination, StoreError>> {
    Box::pin(examine_server(address))
}

async fn examine_server(address: &PostgresAddress) -> Result<ServerExamination, StoreError> {
    let sessions = SessionFactory::new(address, SyncMode::Full);
    let failed = |e| error(address.database_name(), &e);
    let mut conn = sessions.open().await.map_err(failed)?;
    check_server(&mut conn, address).await?;
    let round_trip = measure_round_trip(&mut conn).await.map_err(failed)?;
    let clock = read_server_clock(&mut conn).await.map_err(failed)?;
    execute_text(&mut conn, sessions.begin("")).await.map_err(failed)?;
    let query = sqlx::query(queries::postgres::EXAMINE).persistent(false).fetch_one(&mut conn);
    let row = with_timeout(ANSWER, query).await.map_err(failed)?;
    execute_text(&mut conn, "COMMIT".to_owned()).await.map_err(failed)?;
    let notification = match schema::channel(&mut conn, &sessions).await {
        Ok(channel) => {
            let notification = NotificationBell::new(address, &sessions, channel).test_delivery().await;
            Some(notification.map_err(|e| e.to_string()))
        }
        // Without a log there is no channel to test.
        Err(_) => None,
    };
    let lock_holder = if notification.is_some() { find_lock_holder(&mut conn).await } else { None };
    let measured = MeasuredServer { round_trip, clock, notification, lock_holder };
    read_examination(&row, address.pooled, measured).map_err(failed)
}

/// The server's clock, and its lead over the local clock halfway through the round trip.
async fn read_server_clock(conn: &mut PgConnection) -> Result<(Timestamp, i64), sqlx::Error> {
    let before = Clock::System.now().as_millis();
    let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let server_time: i64 =
        with_timeout(ANSWER, sqlx::query_scalar(text).persistent(false).fetch_one(conn)).await?;
    let local_time = before.midpoint(Clock::System.now().as_millis());
    Ok((Timestamp::from_millis(server_time), server_time - local_time))
}

/// The median duration of several round trips.
async fn measure_round_trip(conn: &mut PgConnection) -> Result<Duration, sqlx::Error> {
    let mut trips = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        execute_text(conn, "SELECT 1".to_owned()).await?;
        trips.push(began.elapsed());
    }
    trips.sort();
    Ok(trips[ROUND_TRIPS / 2])
}

/// The part of an examination that no row tells.
struct MeasuredServer {
    round_trip: Duration,
    clock: (Timestamp, i64),
    notification: Option<Result<(), String>>,
    lock_holder: Option<LockHolder>,
}

fn read_examination(
    row: &PgRow,
    is_pooler_named: bool,
    measured: MeasuredServer,
) -> Result<ServerExamination, sqlx::Error> {
    let MeasuredServer { round_trip, clock, notification, lock_holder } = measured;
    Ok(ServerExamination {
        version: row.try_get("version")?,
        round_trip,
        encrypted: row.try_get("encrypted")?,
        is_local: row.try_get("is_local")?,
        clock,
        unnamed_pooler: !is_pooler_named
            && row.try_get::<Option<i64>, _>("age")?.is_some_and(|age| age > NEW_CONNECTION_SECONDS),
        connections: (row.try_get("most")?, row.try_get("used")?),
        unsafe_settings: row.try_get("unsafe")?,
        synchronous_commit: row.try_get("waits")?,
        synchronous_standbys: row.try_get("standbys")?,
        standbys: row.try_get("copies")?,
        isolation: row.try_get("isolation")?,
        conforming_strings: row.try_get("conforming")?,
        encoding: row.try_get("encoding")?,
        rights: read_rights(row)?,
        missing_guards: row.try_get("missing")?,
        notification,
        lock_holder,
    })
}

fn read_rights(row: &PgRow) -> Result<Option<RoleRights>, sqlx::Error> {
    let [insert, change, own] =
        ["may_insert", "may_change", "owns"].map(|right| row.try_get::<Option<bool>, _>(right));
    Ok(match (insert?, change?, own?) {
        (None, ..) => None,
        (_, _, Some(true)) => Some(RoleRights::Own),
        (_, Some(true), _) => Some(RoleRights::Change),
        (Some(true), ..) => Some(RoleRights::Add),
        (Some(false), ..) => Some(RoleRights::Read),
    })
}
