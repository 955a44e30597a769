//! Keeping the feed up with the table, whoever writes: our own writer tells it, other processes of ours
//! ring the bell, and for everybody else there is a look at the file now and then.

use super::Feed;
use crate::{
    bell::Bell,
    clock::machine_sleep,
    file::{OpenFile, Stamp},
    queries, row,
};
use sqlx::SqlitePool;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// How many rows one query takes when the feed catches up.
const PAGE: i64 = 1_000;

/// After how many polls that saw nothing the table is read all the same. A stamp of the file is only as
/// fine as the system's clock, so two writes at the same moment may look like one.
const LOOK_ANYWAY: u32 = 20;

/// Where the feed reads, and what wakes it.
pub(crate) struct Source {
    pub(crate) readers: SqlitePool,
    pub(crate) file: OpenFile,
    pub(crate) bell: Arc<Bell>,
    pub(crate) poll: Duration,
}

/// What the last poll saw.
#[derive(Default)]
struct Seen {
    stamp: Option<Stamp>,
    quiet: u32,
    gone: bool,
}

impl Seen {
    /// Whether the file may hold something new. Asking costs two looks at the folder, and no thread of
    /// SQLite's wakes for it.
    fn changed(&mut self, file: &OpenFile) -> bool {
        let gone = file.check().is_err();
        if gone && !self.gone {
            tracing::error!(path = %file.path().display(), "the database was removed or replaced while it was open");
        }
        self.gone = gone;
        let stamp = file.stamp();
        self.quiet += 1;
        let changed = stamp != self.stamp || self.quiet >= LOOK_ANYWAY;
        if changed {
            (self.stamp, self.quiet) = (stamp, 0);
        }
        changed
    }
}

/// Keeps the feed up with the table until the store is closed.
pub(crate) async fn run(feed: Arc<Feed>, source: Source, stop: CancellationToken) {
    let ear = Arc::new(Notify::new());
    let mut watcher = source.bell.listen(Arc::clone(&ear));
    let (mut seen, mut look) = (Seen::default(), true);
    loop {
        if look && let Err(error) = catch_up(&feed, &source.readers).await {
            tracing::error!(%error, "the feed cannot read the log; it tries again");
            seen.quiet = LOOK_ANYWAY;
        }
        tokio::select! {
            () = stop.cancelled() => break,
            // Our own writer has told the feed already what it rings for.
            () = ear.notified() => look = source.bell.last_rung() != Some(feed.tip()),
            () = machine_sleep(source.poll) => {
                look = seen.changed(&source.file);
                if !seen.gone && (watcher.is_none() || !source.bell.is_there()) {
                    watcher = source.bell.listen(Arc::clone(&ear));
                }
            }
        }
    }
}

async fn catch_up(feed: &Feed, readers: &SqlitePool) -> Result<(), String> {
    loop {
        let rows = sqlx::query(queries::EVENTS).bind(feed.tip()).bind(PAGE).fetch_all(readers).await;
        let events = rows
            .map_err(|e| e.to_string())?
            .iter()
            .map(|found| row::event(found, 0).map(Arc::new).map_err(|e| e.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        feed.offer(&events);
        if events.len() < usize::try_from(PAGE).unwrap_or(0) {
            return Ok(());
        }
    }
}
