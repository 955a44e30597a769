//! What is done in a turn of its own; above all taking in events of another log as they are.

use super::{
    Chore,
    batch::{Writer, rows},
};
use crate::{
    Error, Place,
    copy::Mark,
    database::{Door, Failed, Query},
};
use countersign_events::Event;
use std::sync::Arc;

impl<D: Door> Writer<D> {
    /// Carries out what is no order.
    pub(super) async fn see_to(&mut self, chore: Chore) -> Result<(), Error> {
        match chore {
            Chore::RebuildIndex => self.rebuild_index().await,
            Chore::Take(events, source) => self.take(&events, &source).await,
            Chore::Mark(mark) => self.mark(&mark).await,
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
                    Error::EventRefused { place: self.door.place(), seq: event.seq, why: why.to_string() }
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
        let end = self.door.begin(self.feed.last_sealed()).await?;
        if end.tip == tip {
            return Ok(());
        }
        self.door.roll_back().await;
        Err(Error::NotACopy { place: self.door.place(), from: source.clone() })
    }
}
