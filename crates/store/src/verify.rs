//! Verifying: does the chain hold, do the hashes of arguments, and is the index of open requests what
//! the events say?

use crate::{Error, Filter, Store, error, queries};
use countersign_approvals::{
    Body, Sha256,
    chain::{Broken, Verifier},
};
use sqlx::{Connection, SqliteConnection, sqlite::SqliteConnectOptions};

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
    /// Calls whose `argumentsHash` is not that of their arguments, by `seq`.
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

type OpenRequest = (i64, String, String, Option<String>);

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
                if let Ok(Body::ToolCall(call)) = Body::read(event.seq, event.kind, &event.data)
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
        let failed = |e| self.failed(&e);
        let mut tx = self.inner.readers.begin().await.map_err(failed)?;
        let pure: Vec<OpenRequest> =
            sqlx::query_as(queries::OPEN_REQUESTS_PURE).fetch_all(&mut *tx).await.map_err(failed)?;
        let index: Vec<OpenRequest> =
            sqlx::query_as(queries::OPEN_REQUESTS).fetch_all(&mut *tx).await.map_err(failed)?;
        Ok(pure == index)
    }

    /// Makes the index of open requests anew from the events.
    pub async fn rebuild_index(&self) -> Result<(), Error> {
        let failed = |e| error::of_sqlite(self.path(), &e);
        let options = SqliteConnectOptions::new().filename(self.path());
        let mut conn = SqliteConnection::connect_with(&options).await.map_err(failed)?;
        let mut tx = conn.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
        for query in [queries::CLEAR_OPEN_REQUESTS, queries::REBUILD_OPEN_REQUESTS] {
            sqlx::query(query).execute(&mut *tx).await.map_err(failed)?;
        }
        tx.commit().await.map_err(failed)?;
        conn.close().await.map_err(failed)
    }
}
