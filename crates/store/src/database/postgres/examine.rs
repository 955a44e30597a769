//! Looking at a server from outside: what has to be right for it to keep its promise.

use super::{
    change_listener::NotificationBell,
    error, schema,
    session::{ANSWER, SessionFactory, check_server, execute_text},
};
use crate::{Clock, PostgresAddress, StoreError, SyncMode, clock::with_timeout, queries};
use countersign_events::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};
use std::time::{Duration, Instant};

/// What was found.
#[derive(Debug, Clone)]
pub struct ServerExamination {
    /// The server's version.
    pub version: String,
    /// How long a question and its answer take.
    pub round_trip: Duration,
    /// Whether what goes over the wire is encrypted.
    pub encrypted: bool,
    /// Whether the server is on this machine.
    pub near: bool,
    /// The server's clock, and by how many milliseconds it is ahead of ours.
    pub clock: (Timestamp, i64),
    /// Whether the connection was there before we asked for one, so that somebody in between keeps it, and the
    /// address does not say so.
    pub pooled_unsaid: bool,
    /// How many connections there may be, and how many there are.
    pub connections: (i64, i64),
    /// Settings that are off, without which a crash of its machine damages the database.
    pub unsafe_settings: Option<String>,
    /// For what a commit waits.
    pub synchronous_commit: String,
    /// The standbys that a commit waits for, as they are set.
    pub synchronous_standbys: String,
    /// How many standbys are connected.
    pub standbys: i64,
    /// How transactions of others are kept apart if they do not say.
    pub isolation: String,
    /// How text is kept.
    pub encoding: String,
    /// What this user may do with a log that is there.
    pub rights: Option<RoleRights>,
    /// The guards that are not in force.
    pub missing_guards: Option<String>,
    /// Whether notifications of a log that is there arrive, or why they do not.
    pub heard: Option<Result<(), String>>,
}

/// What a user may do with a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleRights {
    /// Not even add events.
    Look,
    /// Add events, and change and delete none.
    Add,
    /// Change and delete events, if no guard were in the way.
    Change,
    /// Take the guards away.
    Own,
}

/// How often the way there and back is measured.
const ROUND_TRIPS: usize = 5;

/// A connection that is older than that, in seconds, was there before us.
const NEW_CONNECTION_SECONDS: i64 = 2;

/// Connects, and looks. Whether there is a log, and what it holds, is not looked at.
pub async fn examine(address: &PostgresAddress) -> Result<ServerExamination, StoreError> {
    let sessions = SessionFactory::new(address, SyncMode::Full);
    let failed = |e| error(address.place(), &e);
    let mut conn = sessions.open().await.map_err(failed)?;
    check_server(&mut conn, address).await?;
    let round_trip = measure_round_trip(&mut conn).await.map_err(failed)?;
    let clock = read_server_clock(&mut conn).await.map_err(failed)?;
    execute_text(&mut conn, sessions.begin("")).await.map_err(failed)?;
    let question = sqlx::query(queries::postgres::EXAMINE).persistent(false).fetch_one(&mut conn);
    let row = with_timeout(ANSWER, question).await.map_err(failed)?;
    execute_text(&mut conn, "COMMIT".to_owned()).await.map_err(failed)?;
    let heard = match schema::channel(&mut conn, &sessions).await {
        Ok(channel) => {
            let heard = NotificationBell::new(address, &sessions, channel).test_delivery().await;
            Some(heard.map_err(|e| e.to_string()))
        }
        // Where there is no log, nobody rings.
        Err(_) => None,
    };
    read_examination(&row, (round_trip, clock), address.pooled, heard).map_err(failed)
}

/// The server's clock, and by how much it is ahead of what ours was when the question had come there.
async fn read_server_clock(conn: &mut PgConnection) -> Result<(Timestamp, i64), sqlx::Error> {
    let before = Clock::System.now().as_millis();
    let text = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
    let theirs: i64 = with_timeout(ANSWER, sqlx::query_scalar(text).persistent(false).fetch_one(conn)).await?;
    let ours = before.midpoint(Clock::System.now().as_millis());
    Ok((Timestamp::from_millis(theirs), theirs - ours))
}

/// The median of a few.
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

fn read_examination(
    row: &PgRow,
    (round_trip, clock): (Duration, (Timestamp, i64)),
    pooler_said: bool,
    heard: Option<Result<(), String>>,
) -> Result<ServerExamination, sqlx::Error> {
    Ok(ServerExamination {
        version: row.try_get("version")?,
        round_trip,
        encrypted: row.try_get("encrypted")?,
        near: row.try_get("near")?,
        clock,
        pooled_unsaid: !pooler_said && row.try_get::<Option<i64>, _>("age")?.is_some_and(|age| age > NEW_CONNECTION_SECONDS),
        connections: (row.try_get("most")?, row.try_get("used")?),
        unsafe_settings: row.try_get("unsafe")?,
        synchronous_commit: row.try_get("waits")?,
        synchronous_standbys: row.try_get("standbys")?,
        standbys: row.try_get("copies")?,
        isolation: row.try_get("isolation")?,
        encoding: row.try_get("encoding")?,
        rights: read_rights(row)?,
        missing_guards: row.try_get("missing")?,
        heard,
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
        (Some(false), ..) => Some(RoleRights::Look),
    })
}
