//! Verifying: does the chain hold, do the hashes of arguments, and is the index of open requests what
//! the events say?

use crate::{
    Error, Filter, Store,
    database::{Query, Row},
    queries, writer,
};
use countersign_events::{
    Body, Sha256,
    chain::{Broken, Verifier},
};

/// What was found.
#[derive(Debug, Clone)]
pub struct Report {
    /// How many events hold, from the first on.
    pub events: i64,
    /// The chain's link after the last of them: note it down elsewhere to prove the log later.
    pub tip: Sha256,
    /// How many rows at the end were inserted by hand and are not sealed yet.
    pub unsealed: u64,
    /// Where the chain breaks, if it does.
    pub broken: Option<Broken>,
    /// Calls whose `argumentsHash` is not that of their arguments, by `seq`; of masked arguments that cannot be told.
    pub wrong_hashes: Vec<i64>,
    /// Whether the index of open requests is what the events say.
    pub index_holds: bool,
}

impl Report {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.broken.is_none() && self.wrong_hashes.is_empty() && self.index_holds
    }
}

/// How many events are read at once.
const PAGE: usize = 2_000;

impl Store {
    /// Walks the whole log; `progress` hears how far it has come, in events.
    pub async fn verify(&self, mut progress: impl FnMut(i64)) -> Result<Report, Error> {
        let mut verifier = Verifier::default();
        let (mut broken, mut wrong_hashes) = (None, Vec::new());
        'log: loop {
            let page = self.events(&Filter::default(), verifier.checked(), PAGE).await?;
            for event in &page.items {
                if let Err(found) = verifier.check(event) {
                    broken = Some(found);
                    break 'log;
                }
                // The hash is over the arguments as they were proposed: where some are masked, nobody here can tell.
                if let Ok(Body::ToolCall(call)) = Body::read(event.seq, event.kind, &event.data)
                    && call.redacted.is_empty()
                    && call.arguments.admit() != Ok(call.arguments_hash)
                {
                    wrong_hashes.push(event.seq);
                }
            }
            progress(verifier.checked());
            if page.next.is_none() {
                break;
            }
        }
        let index_holds = self.index_holds().await?;
        let (events, tip, unsealed) = (verifier.checked(), verifier.tip(), verifier.unsealed());
        Ok(Report { events, tip, unsealed, broken, wrong_hashes, index_holds })
    }

    /// Whether the index of open requests equals the pure query, at one moment of the log.
    async fn index_holds(&self) -> Result<bool, Error> {
        let (pure, index) = (Query::new(queries::OPEN_REQUESTS_PURE), Query::new(queries::OPEN_REQUESTS));
        let [pure, index] = self.inner.readers.both(pure, index).await.map_err(|e| self.failed(&e))?;
        let open = |row: &Row| (row.number(0), row.text(1), row.text(2), row.text(3));
        Ok(pure.iter().map(open).eq(index.iter().map(open)))
    }

    /// Makes the index of open requests anew from the events.
    pub async fn rebuild_index(&self) -> Result<(), Error> {
        let chore = |answer| writer::WriterRequest::Maintenance(writer::Maintenance::RebuildIndex, answer);
        writer::send(&self.inner.queue, chore).await
    }
}
