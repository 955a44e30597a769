//! One batch, one transaction.

use super::Done;
use crate::{
    Error, Unavailable,
    database::{Door, Failed, Query},
    feed::Feed,
    meters::Meters,
    queries,
};
use countersign_approvals::{Call, Ledger, Order};
use countersign_events::{Damaged, Event, EventType, Json, Principal, Sha256, ThreadId, Timestamp, chain};
use serde::Serialize;
use std::{sync::Arc, time::Instant};

/// How many bytes of events the ledger takes in before all of it is let go, and begun anew.
const MOST_KEPT: usize = 128 * 1024 * 1024;

/// After how many bytes of new events a batch is written, whatever waits: the rest shares the next one. It is
/// far below what either database takes as one value.
const MOST_WRITTEN: usize = 32 * 1024 * 1024;

/// The door, with all that is needed to tell what went through it.
pub(crate) struct Writer<D> {
    pub(super) door: D,
    /// What was touched of late; empty after anything went wrong.
    pub(super) ledger: Option<Ledger>,
    pub(super) feed: Arc<Feed>,
    meters: Meters,
}

impl<D: Door> Writer<D> {
    pub(crate) fn new(door: D, feed: Arc<Feed>, meters: Meters) -> Self {
        Self { door, ledger: None, feed, meters }
    }

    /// Carries out the orders and answers each, in their order. What came while this waited for its turn
    /// shares the batch: `more` adds it.
    pub(super) async fn carry_out(
        &mut self,
        orders: &mut Vec<Order>,
        more: impl FnOnce(&mut Vec<Order>),
    ) -> Vec<Result<Done, Error>> {
        let turn = self.begin().await;
        more(orders);
        let mut outcomes = match turn {
            Ok(turn) => self.some_of(orders, Some(turn)).await,
            Err(error) => return orders.iter().map(|_| Err(error.clone())).collect(),
        };
        while outcomes.len() < orders.len() {
            outcomes.extend(self.some_of(&orders[outcomes.len()..], None).await);
        }
        outcomes
    }

    /// Carries out as many of the orders as fit into one batch, or tells why none was.
    async fn some_of(&mut self, orders: &[Order], turn: Option<Turn>) -> Vec<Result<Done, Error>> {
        let mut outcome = self.together(orders, turn).await;
        if matches!(outcome, Err(Failed::Lost(_))) {
            outcome = self.together(orders, None).await;
        }
        match outcome {
            Ok(outcomes) => outcomes,
            Err(Failed::Whole(error) | Failed::Lost(error)) => {
                orders.iter().map(|_| Err(error.clone())).collect()
            }
            Err(Failed::Some(error)) if orders.len() == 1 => vec![Err(error)],
            Err(Failed::Some(_)) => self.one_by_one(orders).await,
        }
    }

    async fn one_by_one(&mut self, orders: &[Order]) -> Vec<Result<Done, Error>> {
        let mut outcomes = Vec::with_capacity(orders.len());
        for order in orders {
            outcomes.push(match self.together(std::slice::from_ref(order), None).await {
                Ok(mut outcome) => outcome.pop().unwrap_or(Err(Error::ShuttingDown)),
                Err(failed) => Err(failed.error()),
            });
        }
        outcomes
    }

    async fn together(
        &mut self,
        orders: &[Order],
        turn: Option<Turn>,
    ) -> Result<Vec<Result<Done, Error>>, Failed> {
        let Turn { began, kept } = match turn {
            Some(turn) => turn,
            None => self.begin().await.map_err(Failed::Whole)?,
        };
        match self.write(kept, orders).await {
            Ok((ledger, outcomes, events)) => {
                self.ledger = Some(ledger);
                if !events.is_empty() {
                    self.meters.committed(outcomes.len(), began.elapsed());
                    self.feed.offer(&events);
                }
                Ok(outcomes)
            }
            Err(failed) => {
                self.door.roll_back().await;
                Err(failed)
            }
        }
    }

    /// Waits for the turn to write, and begins.
    pub(super) async fn begin(&mut self) -> Result<Turn, Error> {
        let end = self.door.begin(self.feed.last_sealed()).await?;
        let known = self.feed.tip();
        // What was handed out was committed, so a log that does not have it is not the one that it was.
        if end.tip < known || self.feed.is_astray() {
            self.door.roll_back().await;
            return Err(Unavailable::Behind { place: self.door.place(), known, found: end.tip }.into());
        }
        let is_at_end =
            |ledger: &Ledger| ledger.tip() == end.tip && end.hash.is_none_or(|hash| hash == ledger.link());
        let kept = self.ledger.take().filter(|ledger| is_at_end(ledger) && ledger.taken_in() < MOST_KEPT);
        Ok(Turn { began: Instant::now(), kept })
    }

    async fn write(&mut self, kept: Option<Ledger>, orders: &[Order]) -> Result<Written, Failed> {
        let mut ledger = self.load(kept, orders).await?;
        let mut events = Vec::new();
        let mut outcomes = Vec::with_capacity(orders.len());
        let mut bytes = 0;
        for order in orders {
            if bytes > MOST_WRITTEN {
                break;
            }
            let applied = ledger.apply(order).map_err(damaged)?;
            let written: Vec<_> = applied.events.into_iter().map(Arc::new).collect();
            bytes += written.iter().map(|event| event.data.as_str().len()).sum::<usize>();
            events.extend(written.iter().cloned());
            outcomes.push(match applied.outcome {
                Ok(()) => Ok(Done { call: call_of(&ledger, order), events: written }),
                Err(refused) => Err(Error::Refused(refused)),
            });
        }
        if events.is_empty() {
            self.door.roll_back().await;
        } else {
            self.door.all(Query::new(D::APPEND).bind(rows(&events))).await?;
            self.door.commit(events.last().map(|event| &**event)).await?;
        }
        ledger.forget_ended(orders.iter().filter_map(|order| order.wish.call()));
        Ok((ledger, outcomes, events))
    }

    /// Reads what deciding on the orders needs and `kept` does not have.
    async fn load(&mut self, kept: Option<Ledger>, orders: &[Order]) -> Result<Ledger, Failed> {
        let read_end = kept.is_none();
        let mut ledger = kept.unwrap_or_else(|| Ledger::new(0, Sha256::ZERO));
        let needs = ledger.needs(orders);
        if needs.is_empty() {
            return Ok(ledger);
        }
        let query = Query::new(D::LOAD)
            .bind(json(&needs.calls))
            .bind(json(&needs.threads))
            .bind(json(&needs.pending))
            .bind(read_end)
            .bind(needs.since.to_string())
            .bind(needs.everywhere)
            .bind(json(&needs.alike));
        let rows = self.door.all(query).await?;
        let found = rows.first().and_then(|row| row.bytes(0).ok().flatten()).unwrap_or(b"[]");
        let (end, events) = read(&String::from_utf8_lossy(found)).map_err(damaged)?;
        if read_end {
            let mut link = Sha256::ZERO;
            for event in &end {
                link = event.hash.unwrap_or_else(|| chain::link(link, event));
            }
            ledger = Ledger::new(end.last().map_or(0, |event| event.seq), link);
        }
        ledger.load(&needs, &events).map_err(damaged)?;
        Ok(ledger)
    }

    /// Writes to the database for the sake of writing.
    pub(super) async fn probe(&mut self, now: Timestamp) -> Result<(), Error> {
        self.alone([Query::new(queries::PROBE).bind(now.to_string())]).await
    }

    /// Makes the index of open requests anew from the events.
    pub(super) async fn rebuild_index(&mut self) -> Result<(), Error> {
        self.alone([queries::CLEAR_OPEN_REQUESTS, queries::REBUILD_OPEN_REQUESTS].map(Query::new)).await
    }

    /// Carries out statements that append nothing, in a turn of their own.
    async fn alone<const N: usize>(&mut self, queries: [Query; N]) -> Result<(), Error> {
        let Turn { kept, .. } = self.begin().await?;
        self.carry_through(queries).await.map_err(Failed::error)?;
        self.ledger = kept;
        Ok(())
    }

    /// Carries out statements that append nothing in the transaction that was begun, and ends it.
    pub(super) async fn carry_through(
        &mut self,
        queries: impl IntoIterator<Item = Query>,
    ) -> Result<(), Failed> {
        let outcome = async {
            for query in queries {
                self.door.all(query).await?;
            }
            self.door.commit(None).await
        };
        let outcome = outcome.await;
        if outcome.is_err() {
            self.door.roll_back().await;
        }
        outcome
    }

    pub(super) async fn close(self) {
        self.door.close().await;
    }
}

/// A transaction that was begun.
pub(super) struct Turn {
    began: Instant,
    /// What is known of the log, if nobody else has written since.
    kept: Option<Ledger>,
}

/// Some order of the batch met a row that cannot be read, and the others shall not suffer.
fn damaged(damaged: Damaged) -> Failed {
    Failed::Some(damaged.into())
}

type Written = (Ledger, Vec<Result<Done, Error>>, Vec<Arc<Event>>);

fn call_of(ledger: &Ledger, order: &Order) -> Option<Call> {
    let (thread_id, id) = order.wish.call()?;
    ledger.call(thread_id, id).cloned()
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

pub(super) fn rows(events: &[Arc<Event>]) -> String {
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
