//! The task that keeps the feed up to date with the table. The change listener wakes it when another process may have
//! written.

use super::EventFeed;
use crate::{
    clock::machine_sleep,
    database::{ChangeListener, ReadPool, SqlQuery},
    page_limit::{DATA, MOST_BYTES},
    queries, row,
};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The most rows that one query reads.
const PAGE: i64 = 1_000;

/// Publishes new rows of the table until the store is closed. After a failed read it waits for `pause` and tries again.
pub(crate) async fn run<E: ChangeListener>(
    feed: Arc<EventFeed>,
    readers: ReadPool,
    mut listener: E,
    pause: Duration,
    stop: CancellationToken,
) {
    let mut failing = false;
    loop {
        let caught_up = tokio::select! {
            () = stop.cancelled() => break,
            caught_up = catch_up(&feed, &readers) => caught_up,
        };
        let failed = caught_up.is_err();
        match caught_up {
            Ok(()) if failing => tracing::info!("the feed can read the log again"),
            Err(error) if !failing => tracing::error!(%error, "the feed cannot read the log; trying again"),
            _ => {}
        }
        failing = failed;
        let tip = || feed.tip();
        tokio::select! {
            () = stop.cancelled() => break,
            () = machine_sleep(pause), if failing => {}
            () = listener.wait_for_change(&tip), if !failing => {}
            () = feed.wait_for_gap(), if !failing => {}
        }
    }
}

async fn catch_up(feed: &EventFeed, readers: &ReadPool) -> Result<(), String> {
    loop {
        let query = SqlQuery::new(queries::EVENTS).bind(feed.tip()).bind(PAGE);
        let found = readers.query_bounded(query, DATA, MOST_BYTES).await.map_err(|e| e.to_string())?;
        let events = found
            .rows
            .iter()
            .map(|found| row::read_event(found, 0).map(Arc::new).map_err(|e| e.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        if !feed.is_followed_by(&events) {
            return Err("the database has lost events that the feed has delivered".to_owned());
        }
        feed.publish(&events);
        if !found.cut && events.len() < usize::try_from(PAGE).unwrap_or(0) {
            return Ok(());
        }
    }
}
