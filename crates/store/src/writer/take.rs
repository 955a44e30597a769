//! Taking in events of another log as they are.

use super::{
    Request,
    batch::{Writer, rows},
};
use crate::{
    Error, Place,
    copy::Mark,
    database::{Door, Failed, Query},
};
use countersign_approvals::Event;
use std::sync::Arc;

impl<D: Door> Writer<D> {
    /// Carries out what is no order, in a turn of its own.
    pub(super) async fn carry_out_alone(&mut self, request: Request) {
        match request {
            Request::RebuildIndex(answer) => drop(answer.send(self.rebuild_index().await)),
            Request::Take(events, source, answer) => drop(answer.send(self.take(&events, &source).await)),
            Request::Mark(mark, answer) => drop(answer.send(self.mark(&mark).await)),
            Request::Probe(now, answer) => drop(answer.send(self.probe(now).await)),
            Request::Order(order, answer) => {
                let done = self.carry_out(&mut vec![order], |_| {}).await.pop();
                drop(answer.send(done.unwrap_or(Err(Error::Closed))));
            }
        }
    }

    /// Appends events that follow on those that are here. If one is refused, those before it are kept.
    async fn take(&mut self, events: &[Arc<Event>], source: &Place) -> Result<(), Error> {
        match self.append(events, source).await {
            Err(Failed::Some(_)) => {}
            outcome => return outcome.map_err(Failed::error),
        }
        for event in events {
            let appended = self.append(std::slice::from_ref(event), source).await;
            appended.map_err(|failed| match failed {
                Failed::Some(why) => {
                    Error::Unfit { place: self.door.place(), seq: event.seq, why: why.to_string() }
                }
                failed => failed.error(),
            })?;
        }
        Ok(())
    }

    async fn append(&mut self, events: &[Arc<Event>], source: &Place) -> Result<(), Failed> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        self.begin_at(first.seq - 1, source).await.map_err(Failed::Whole)?;
        let written = async {
            // A row by hand was compared with the moment at which it came.
            let by_hand = events.iter().any(|event| event.hash.is_none());
            if by_hand {
                self.door.stand_aside().await?;
            }
            self.door.all(Query::new(D::APPEND).bind(rows(events))).await?;
            if by_hand {
                self.door.stand_guard().await?;
            }
            self.door.commit(Some(last)).await
        };
        match written.await {
            Ok(()) => {
                self.feed.offer(events);
                Ok(())
            }
            Err(failed) => {
                self.door.roll_back().await;
                Err(failed)
            }
        }
    }

    /// Puts the mark of half a copy on the log, or takes it off.
    async fn mark(&mut self, mark: &Mark) -> Result<(), Error> {
        match mark {
            Mark::On { tip, source } => self.begin_at(*tip, source).await?,
            Mark::Off => drop(self.begin().await?),
        }
        self.carry_through(mark.statements()).await.map_err(Failed::error)
    }

    /// Begins, if the log ends just there.
    async fn begin_at(&mut self, tip: i64, source: &Place) -> Result<(), Error> {
        self.ledger = None;
        let end = self.door.begin(self.feed.last()).await?;
        if end.tip == tip {
            return Ok(());
        }
        self.door.roll_back().await;
        Err(Error::NotACopy { place: self.door.place(), from: source.clone() })
    }
}
