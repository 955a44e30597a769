//! The mark of a log that is half copied: a table that is there for no longer than that.

use crate::{
    Error, Place, Store,
    database::{Query, Readers},
    queries,
    writer::{self, Maintenance},
};
use countersign_events::Event;
use std::sync::Arc;

/// What to do about the mark.
#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// Put it on a log that ends at `tip`, and write on it where the events come from.
    On {
        /// Where the log must end, or somebody else writes to it.
        tip: i64,
        /// What the source is called.
        source: Place,
    },
    /// Take it off.
    Off,
}

impl Mark {
    /// What both databases understand alike.
    pub(crate) fn statements(&self) -> Vec<Query> {
        match self {
            Self::On { source, .. } => vec![
                Query::new("CREATE TABLE copying (source text NOT NULL)"),
                Query::new("INSERT INTO copying (source) VALUES ($1)").bind(source.to_string()),
            ],
            Self::Off => vec![Query::new("DROP TABLE copying")],
        }
    }
}

/// Whether there is a mark.
async fn is_there(readers: &Readers, place: &Place) -> Result<bool, Error> {
    let query = Query::new(queries::HALF_COPIED.on(readers.kind()));
    let found = readers.all(query).await.map_err(|e| readers.error(place.clone(), &e))?;
    Ok(found.first().and_then(|row| row.number(0)) > Some(0))
}

/// An error if the log is half copied.
pub(crate) async fn refuse_half_copied(readers: &Readers, place: &Place) -> Result<(), Error> {
    if !is_there(readers, place).await? {
        return Ok(());
    }
    // It may have been taken off this moment, or be nothing that this user may read.
    let source = readers.all(Query::new("SELECT source FROM copying")).await.unwrap_or_default();
    let source = source.first().and_then(|row| row.text(0)).unwrap_or_else(|| "the same log".to_owned());
    Err(Error::HalfCopied { place: place.clone(), from: source })
}

impl Store {
    pub(super) async fn is_marked(&self) -> Result<bool, Error> {
        is_there(&self.inner.readers, &self.place()).await
    }

    /// Appends events of the log called `source` as they are.
    pub(super) async fn take(&self, events: Vec<Event>, source: Place) -> Result<(), Error> {
        let events = events.into_iter().map(Arc::new).collect();
        writer::send(&self.inner.queue, |answer| {
            writer::WriterRequest::Maintenance(Maintenance::CopyEvents(events, source), answer)
        })
        .await
    }

    pub(super) async fn mark(&self, mark: Mark) -> Result<(), Error> {
        writer::send(&self.inner.queue, |answer| {
            writer::WriterRequest::Maintenance(Maintenance::Mark(mark), answer)
        })
        .await
    }
}
