//! One batch, one transaction.

use super::Done;
use crate::{
    Error,
    bell::Bell,
    error::{self, BUSY, CONSTRAINT},
    feed::Feed,
    file::OpenFile,
    meters::Meters,
    queries,
};
use countersign_approvals::{
    Call, CallId, Damaged, Event, EventType, Json, Ledger, Order, Principal, Refused, Sha256, ThreadId,
    Timestamp, Wish, chain,
};
use serde::Serialize;
use sqlx::{Connection, SqliteConnection};
use std::{path::Path, sync::Arc, time::Instant};

/// How often a batch is tried again when another program holds the write lock; each try waits for the
/// busy timeout.
const PATIENCE: u32 = 6;

/// How many bytes of events the ledger takes in before all of it is let go, and begun anew.
const MOST_KEPT: usize = 128 * 1024 * 1024;

/// The writing connection, with all it needs to announce what it wrote.
pub(crate) struct Writer {
    conn: SqliteConnection,
    /// What was touched of late; empty after anything went wrong.
    ledger: Option<Ledger>,
    file: OpenFile,
    bell: Arc<Bell>,
    feed: Arc<Feed>,
    meters: Meters,
}

/// Why a batch was not written.
enum Failed {
    /// As it says; the same for every order of the batch.
    Whole(Error),
    /// Some order of it is at fault, and the others shall not suffer.
    Some(Error),
}

impl Writer {
    pub(crate) fn new(
        conn: SqliteConnection,
        file: OpenFile,
        bell: Arc<Bell>,
        feed: Arc<Feed>,
        meters: Meters,
    ) -> Self {
        Self { conn, ledger: None, file, bell, feed, meters }
    }

    /// Carries out the orders and answers each, in their order.
    pub(super) async fn carry_out(&mut self, orders: &[Order]) -> Vec<Result<Done, Error>> {
        match self.together(orders).await {
            Ok(outcomes) => outcomes,
            Err(Failed::Whole(error)) => orders.iter().map(|_| Err(error.clone())).collect(),
            Err(Failed::Some(error)) if orders.len() == 1 => vec![Err(error)],
            Err(Failed::Some(_)) => self.one_by_one(orders).await,
        }
    }

    async fn one_by_one(&mut self, orders: &[Order]) -> Vec<Result<Done, Error>> {
        let mut outcomes = Vec::with_capacity(orders.len());
        for order in orders {
            outcomes.push(match self.together(std::slice::from_ref(order)).await {
                Ok(mut outcome) => outcome.pop().unwrap_or(Err(Error::Closed)),
                Err(Failed::Whole(error) | Failed::Some(error)) => Err(error),
            });
        }
        outcomes
    }

    async fn together(&mut self, orders: &[Order]) -> Result<Vec<Result<Done, Error>>, Failed> {
        let turn = self.bell.turn().await;
        let began = Instant::now();
        self.file.check().map_err(Failed::Whole)?;
        let path = self.file.path();
        let tip = begin(&mut self.conn).await.map_err(|e| Failed::Whole(error::of_sqlite(path, &e)))?;
        let kept = self.ledger.take().filter(|ledger| ledger.tip() == tip && ledger.taken_in() < MOST_KEPT);
        let (ledger, outcomes, events) = match write(&mut self.conn, kept, orders).await {
            Ok(written) => written,
            Err(error) => {
                // Where SQLite has rolled back by itself there is nothing left to end, and it says so.
                let _ = run(&mut self.conn, "ROLLBACK").await;
                return Err(error.of(path));
            }
        };
        self.ledger = Some(ledger);
        if !events.is_empty() {
            // Rung before the next writer's turn, so that the bell always names the end of the log.
            self.bell.ring(events.last().map_or(tip, |event| event.seq));
            drop(turn);
            self.meters.committed(orders.len(), began.elapsed());
            self.feed.offer(&events);
        }
        Ok(outcomes)
    }

    /// Writes to the file for the sake of writing.
    pub(super) async fn probe(&mut self, now: Timestamp) -> Result<(), Error> {
        let _turn = self.bell.turn().await;
        self.file.check()?;
        let probed = sqlx::query(queries::PROBE).bind(now.to_string()).execute(&mut self.conn).await;
        probed.map(|_| ()).map_err(|e| error::of_sqlite(self.file.path(), &e))
    }

    pub(super) async fn close(self) {
        // SQLite folds the log into the database on the last connection's way out; if that fails, the
        // next process to open the file does it.
        let _ = self.conn.close().await;
    }
}

/// A constraint is one order's fault: the rules in memory should have refused it. Anything else is the
/// file's, and the same for all.
fn failed(path: &Path, e: &sqlx::Error) -> Failed {
    let error = error::of_sqlite(path, e);
    if error::primary_code(e) == Some(CONSTRAINT) {
        let why = e.as_database_error().map(|e| e.message().to_owned()).unwrap_or_default();
        tracing::error!(why, "the database refused what the rules allowed");
        return Failed::Some(Refused::Invalid { field: "event", why }.into());
    }
    Failed::Whole(error)
}

async fn run(conn: &mut SqliteConnection, statement: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(conn).await.map(|_| ())
}

/// Takes the write lock, however long the queue before it is. Transactions are begun and ended in plain
/// SQL, because a guard that refuses a row ends them too, behind the back of any bookkeeping.
async fn begin(conn: &mut SqliteConnection) -> Result<i64, sqlx::Error> {
    for _ in 1..PATIENCE {
        match sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(&mut *conn).await {
            Err(e) if error::primary_code(&e) == Some(BUSY) => {
                tracing::warn!("another program holds the write lock; waiting");
            }
            begun => return begun,
        }
    }
    sqlx::query_scalar(queries::sqlite::BEGIN).fetch_one(conn).await
}

enum WriteError {
    Damaged(Damaged),
    Sqlite(sqlx::Error),
}

impl WriteError {
    fn of(self, path: &Path) -> Failed {
        match self {
            Self::Damaged(damaged) => Failed::Some(damaged.into()),
            Self::Sqlite(e) => failed(path, &e),
        }
    }
}

impl From<sqlx::Error> for WriteError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<Damaged> for WriteError {
    fn from(damaged: Damaged) -> Self {
        Self::Damaged(damaged)
    }
}

type Written = (Ledger, Vec<Result<Done, Error>>, Vec<Arc<Event>>);

async fn write(
    conn: &mut SqliteConnection,
    kept: Option<Ledger>,
    orders: &[Order],
) -> Result<Written, WriteError> {
    let mut ledger = load(conn, kept, orders).await?;
    let mut events = Vec::new();
    let mut outcomes = Vec::with_capacity(orders.len());
    for order in orders {
        let applied = ledger.apply(order)?;
        let written: Vec<_> = applied.events.into_iter().map(Arc::new).collect();
        events.extend(written.iter().cloned());
        outcomes.push(match applied.outcome {
            Ok(()) => Ok(Done { call: call_of(&ledger, order), events: written }),
            Err(refused) => Err(Error::Refused(refused)),
        });
    }
    if !events.is_empty() {
        sqlx::query(queries::sqlite::APPEND).bind(rows(&events)).execute(&mut *conn).await?;
    }
    run(conn, if events.is_empty() { "ROLLBACK" } else { "COMMIT" }).await?;
    ledger.forget_ended(orders.iter().filter_map(|order| Some((&order.thread_id, call_id(order)?))));
    Ok((ledger, outcomes, events))
}

fn call_id(order: &Order) -> Option<&CallId> {
    match &order.wish {
        Wish::Call(id, _) => Some(id),
        Wish::Thread(_) => None,
    }
}

fn call_of(ledger: &Ledger, order: &Order) -> Option<Call> {
    ledger.call(&order.thread_id, call_id(order)?).cloned()
}

/// Reads what deciding on the orders needs and `kept` does not have.
async fn load(
    conn: &mut SqliteConnection,
    kept: Option<Ledger>,
    orders: &[Order],
) -> Result<Ledger, WriteError> {
    let read_end = kept.is_none();
    let mut ledger = kept.unwrap_or_else(|| Ledger::new(0, Sha256::ZERO));
    let needs = ledger.needs(orders);
    if needs.is_empty() {
        return Ok(ledger);
    }
    let found: Vec<u8> = sqlx::query_scalar(queries::sqlite::LOAD)
        .bind(json(&needs.calls))
        .bind(json(&needs.threads))
        .bind(json(&needs.pending))
        .bind(read_end)
        .fetch_one(conn)
        .await?;
    let (end, events) = read(&String::from_utf8_lossy(&found))?;
    if read_end {
        let mut link = Sha256::ZERO;
        for event in &end {
            link = event.hash.unwrap_or_else(|| chain::link(link, event));
        }
        ledger = Ledger::new(end.last().map_or(0, |event| event.seq), link);
    }
    ledger.load(&needs, &events)?;
    Ok(ledger)
}

/// Whether it is of the end of the log, then the columns of `events`.
type Found = (u8, i64, ThreadId, EventType, Timestamp, Principal, String, Option<Sha256>);

/// The end of the log, if it was read, and the other events; both in order.
fn read(found: &str) -> Result<(Vec<Event>, Vec<Event>), Damaged> {
    let rows: Vec<Found> =
        serde_json::from_str(found).map_err(|e| Damaged { seq: 0, what: e.to_string() })?;
    let (mut end, mut events) = (Vec::new(), Vec::new());
    for (tip, seq, thread_id, kind, timestamp, principal, data, hash) in rows {
        let data = Json::stored(data).map_err(|e| Damaged { seq, what: e.to_string() })?;
        let part = if tip == 1 { &mut end } else { &mut events };
        part.push(Event { seq, thread_id, kind, timestamp, principal, data, hash });
    }
    end.sort_by_key(|event| event.seq);
    events.sort_by_key(|event| event.seq);
    Ok((end, events))
}

fn rows(events: &[Arc<Event>]) -> String {
    let row = |event: &Arc<Event>| {
        let Event { seq, thread_id, kind, timestamp, principal, data, hash } = &**event;
        (*seq, thread_id.clone(), *kind, *timestamp, principal.clone(), data.as_str().to_owned(), *hash)
    };
    json(&events.iter().map(row).collect::<Vec<_>>())
}

/// Names and events always serialise: their types hold nothing that JSON cannot.
fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
