//! One batch, one transaction.

use super::Done;
use crate::{
    Error,
    bell::Bell,
    error::{self, BUSY, CONSTRAINT},
    feed::Feed,
    open::OpenFile,
    queries, row,
};
use countersign_approvals::{Event, Ledger, Order, Refused, Sha256, Wish, chain};
use serde::Serialize;
use sqlx::{Connection, Row, Sqlite, SqliteConnection, Transaction, sqlite::SqliteRow};
use std::{collections::HashSet, path::Path, sync::Arc};

/// How often a batch is tried again when another program holds the write lock; each try waits for the
/// busy timeout.
const PATIENCE: u32 = 6;

/// The writing connection, with all it needs to announce what it wrote.
pub(crate) struct Writer {
    conn: SqliteConnection,
    file: OpenFile,
    bell: Arc<Bell>,
    feed: Arc<Feed>,
}

/// Why a batch was not written.
enum Failed {
    /// As it says; the same for every order of the batch.
    Whole(Error),
    /// Some order of it is at fault, and the others shall not suffer.
    Some(Error),
}

impl Writer {
    pub(crate) fn new(conn: SqliteConnection, file: OpenFile, bell: Arc<Bell>, feed: Arc<Feed>) -> Self {
        Self { conn, file, bell, feed }
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
        self.file.check().map_err(Failed::Whole)?;
        let path = self.file.path();
        let mut tx = begin(&mut self.conn).await.map_err(|e| Failed::Whole(error::of_sqlite(path, &e)))?;
        let written = write(&mut tx, orders).await;
        let (outcomes, events) = match written {
            Ok(written) => written,
            Err(WriteError::Damaged(damaged)) => return Err(Failed::Some(damaged.into())),
            Err(WriteError::Sqlite(e)) => return Err(failed(path, &e)),
        };
        let finished = if events.is_empty() { tx.rollback().await } else { tx.commit().await };
        finished.map_err(|e| failed(path, &e))?;
        drop(turn);
        if !events.is_empty() {
            self.bell.ring();
            self.feed.offer(&events);
        }
        Ok(outcomes)
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

/// Takes the write lock, however long the queue before it is.
async fn begin(conn: &mut SqliteConnection) -> Result<Transaction<'_, Sqlite>, sqlx::Error> {
    for _ in 1..PATIENCE {
        match conn.begin_with("BEGIN IMMEDIATE").await {
            Err(e) if error::primary_code(&e) == Some(BUSY) => {
                tracing::warn!("another program holds the write lock; waiting");
            }
            // Ends the borrow of the transaction that was not begun before the next try.
            Ok(tx) => {
                drop(tx);
                break;
            }
            Err(e) => return Err(e),
        }
    }
    conn.begin_with("BEGIN IMMEDIATE").await
}

enum WriteError {
    Damaged(countersign_approvals::Damaged),
    Sqlite(sqlx::Error),
}

impl From<sqlx::Error> for WriteError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<countersign_approvals::Damaged> for WriteError {
    fn from(damaged: countersign_approvals::Damaged) -> Self {
        Self::Damaged(damaged)
    }
}

type Written = (Vec<Result<Done, Error>>, Vec<Arc<Event>>);

async fn write(tx: &mut Transaction<'_, Sqlite>, orders: &[Order]) -> Result<Written, WriteError> {
    let mut ledger = load(tx, orders).await?;
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
        sqlx::query(queries::APPEND).bind(rows(&events)).execute(&mut **tx).await?;
    }
    Ok((outcomes, events))
}

fn call_of(ledger: &Ledger, order: &Order) -> Option<countersign_approvals::Call> {
    match &order.wish {
        Wish::Call(id, _) => ledger.call(&order.thread_id, id).cloned(),
        Wish::Thread(_) => None,
    }
}

/// Reads what deciding on the orders needs.
async fn load(tx: &mut Transaction<'_, Sqlite>, orders: &[Order]) -> Result<Ledger, WriteError> {
    let calls: HashSet<_> = orders
        .iter()
        .filter_map(|order| match &order.wish {
            Wish::Call(id, _) => Some((&order.thread_id, id)),
            Wish::Thread(_) => None,
        })
        .collect();
    let threads = |wanted: fn(&Order) -> bool| -> HashSet<_> {
        orders.iter().filter(|order| wanted(order)).map(|order| &order.thread_id).collect()
    };
    let rows = sqlx::query(queries::LOAD)
        .bind(json(&calls))
        .bind(json(&threads(Order::needs_grants)))
        .bind(json(&threads(Order::needs_pending)))
        .bind(json(&threads(|_| true)))
        .fetch_all(&mut **tx)
        .await?;
    ledger_of(&rows)
}

/// The ledger that those rows make: the end of the log first, then what is on its pages.
fn ledger_of(rows: &[SqliteRow]) -> Result<Ledger, WriteError> {
    let (mut end, mut loaded) = (Vec::new(), Vec::new());
    for found in rows {
        let part = if found.get::<i64, _>(0) == 1 { &mut end } else { &mut loaded };
        part.push(row::event(found, 1)?);
    }
    end.sort_by_key(|event| event.seq);
    let mut link = Sha256::ZERO;
    for event in &end {
        link = event.hash.unwrap_or_else(|| chain::link(link, event));
    }
    let mut ledger = Ledger::new(end.last().map_or(0, |event| event.seq), link);
    loaded.sort_by_key(|event| event.seq);
    for event in &loaded {
        ledger.load(event)?;
    }
    Ok(ledger)
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
