//! Copies a whole log from one database into another: every event with its `seq`, its time and its hash.
//!
//! The target keeps a mark until all events are copied and verified. Until then no other program opens it, and an
//! interrupted copy can resume. Source and target are ordinary stores, so a copy uses the usual read and write paths.

use crate::{
    DatabaseName, DatabaseUrl, EventFilter, Store, StoreError, StoreOptions, VerifyReport,
    copy_mark::{CopyMark, is_half_copied},
    open::{UnfinishedCopy, open},
    writer::{self, MaintenanceTask},
};
use countersign_events::Event;
use std::{os::unix::fs::MetadataExt, path::Path, sync::Arc};

/// The most events that are written in one transaction. Large events make a batch smaller.
const BATCH: i64 = 1_000;

/// The progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyStep {
    /// The number of events in the target, and the number of all events to copy.
    Copied(i64, i64),
    /// The number of events that were read back and are valid, and the number of all events to verify.
    Verified(i64, i64),
}

/// The result of a copy.
#[derive(Debug, Clone)]
pub struct CopySummary {
    /// The source's name.
    pub from: DatabaseName,
    /// The target's name.
    pub to: DatabaseName,
    /// The number of events that the target had from an earlier copy.
    pub before: i64,
    /// The number of events that the source gained during the copy. The target does not have them.
    pub since: i64,
    /// The findings about the whole target.
    pub report: VerifyReport,
}

/// Copies the log at `from` into the log at `to`, then verifies the whole target.
///
/// The target is created if it does not exist. It must be empty or contain an interrupted copy of the same log. With
/// `continue_copy` it may also contain a finished copy, which then gets the later events of the source. If the target
/// has findings, it keeps its unfinished-copy mark.
///
/// Fails with [`StoreError::SameLog`], [`StoreError::TargetNotEmpty`], [`StoreError::NotACopy`],
/// [`StoreError::EventRefused`], or an error of opening, reading or writing a database.
pub async fn copy(
    from: impl Into<DatabaseUrl>,
    to: impl Into<DatabaseUrl>,
    continue_copy: bool,
    mut progress: impl FnMut(CopyStep),
) -> Result<CopySummary, StoreError> {
    let (from, to) = (from.into(), to.into());
    if let (DatabaseUrl::File(from), DatabaseUrl::File(to)) = (&from, &to)
        && is_same_file(from, to)
    {
        return Err(StoreError::SameLog(to.as_path().into()));
    }
    let source = Store::open(from, StoreOptions::for_reading()).await?;
    let target = open(to, StoreOptions::default(), UnfinishedCopy::Allowed).await?;
    let copied = copy_events(&source, &target, continue_copy, &mut progress).await;
    source.close().await;
    target.close().await;
    copied
}

/// Returns true if both paths lead to one file. SQLite names the write-ahead log after the path, so one file that is
/// opened by two paths would have two of them.
fn is_same_file(from: &Path, to: &Path) -> bool {
    let identity = |path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(from), identity(to)), (Ok(from), Ok(to)) if from == to)
}

async fn copy_events(
    source: &Store,
    target: &Store,
    continue_copy: bool,
    progress: &mut impl FnMut(CopyStep),
) -> Result<CopySummary, StoreError> {
    let before = begin_copy(source, target, continue_copy).await?;
    let (mut at, end) = (before, source.tip().await?);
    while at < end {
        let events = read_events(source, at, end).await?;
        // Events are never deleted, so the list is not empty.
        let last = events.last().map_or(end, |last| last.seq);
        at = match target.append_copied(events, source.database_name()).await {
            // A killed copy may have sent a batch that the database committed only now.
            Err(StoreError::NotACopy { .. }) => check_copied_prefix(source, target).await?,
            appended => appended.map(|()| last)?,
        };
        progress(CopyStep::Copied(at, end));
    }
    let report = target.verify(|done| progress(CopyStep::Verified(done, end))).await?;
    if !is_beginning_of(target, source, end).await? {
        return Err(not_a_copy(source, target));
    }
    if report.holds() {
        target.mark(CopyMark::Off).await?;
    }
    let since = source.tip().await? - end;
    Ok(CopySummary { from: source.database_name(), to: target.database_name(), before, since, report })
}

/// Checks that the target can receive the copy, and marks it. Returns the number of events that it has.
async fn begin_copy(source: &Store, target: &Store, continue_copy: bool) -> Result<i64, StoreError> {
    let same = || Err(StoreError::SameLog(target.database_name()));
    if source.database_name() == target.database_name() {
        return same();
    }
    let (tip, marked) = (target.tip().await?, target.is_marked().await?);
    if tip > 0 && !marked && !continue_copy {
        return Err(StoreError::TargetNotEmpty { place: target.database_name(), events: tip });
    }
    let tip = check_copied_prefix(source, target).await?;
    if !marked {
        target.mark(CopyMark::On { tip, source: source.database_name() }).await?;
        // If the source now has the mark too, both addresses lead to one log.
        if source.is_marked().await? {
            target.mark(CopyMark::Off).await?;
            return same();
        }
    }
    Ok(tip)
}

/// Returns the number of events in the target. Fails with [`StoreError::NotACopy`] if they are not the source's first
/// events.
async fn check_copied_prefix(source: &Store, target: &Store) -> Result<i64, StoreError> {
    let tip = target.tip().await?;
    if tip > source.tip().await? || !is_beginning_of(target, source, tip).await? {
        return Err(not_a_copy(source, target));
    }
    Ok(tip)
}

fn not_a_copy(source: &Store, target: &Store) -> StoreError {
    StoreError::NotACopy { place: target.database_name(), from: source.database_name() }
}

/// Returns true if the first `tip` events of both logs are equal. The hash of an event covers all events before it, so
/// the comparison starts at or before the last event with a hash.
async fn is_beginning_of(target: &Store, source: &Store, tip: i64) -> Result<bool, StoreError> {
    let (mut from, mut sealed) = (tip, false);
    while from > 0 && !sealed {
        let until = from;
        from = (from - BATCH).max(0);
        let events = read_events(target, from, until).await?;
        sealed = events.iter().any(|event| event.hash.is_some());
    }
    while from < tip {
        let [source_events, target_events] =
            [read_events(source, from, tip).await?, read_events(target, from, tip).await?];
        // Either list may be shorter, because a page is limited in bytes.
        let count = source_events.len().min(target_events.len());
        if count == 0 || source_events[..count] != target_events[..count] {
            return Ok(false);
        }
        from = target_events[count - 1].seq;
    }
    Ok(true)
}

/// Reads events after `after` and up to `until`, at most one batch.
async fn read_events(store: &Store, after: i64, until: i64) -> Result<Vec<Event>, StoreError> {
    let limit = usize::try_from((until - after).min(BATCH)).unwrap_or(1);
    Ok(store.events(&EventFilter::default(), after, limit).await?.items)
}

impl Store {
    async fn is_marked(&self) -> Result<bool, StoreError> {
        is_half_copied(&self.inner.readers, &self.database_name()).await
    }

    /// Appends events of the log `source` unchanged.
    async fn append_copied(&self, events: Vec<Event>, source: DatabaseName) -> Result<(), StoreError> {
        let events = events.into_iter().map(Arc::new).collect();
        writer::send(&self.inner.queue, |answer| {
            writer::WriterRequest::Maintenance(MaintenanceTask::CopyEvents(events, source), answer)
        })
        .await
    }

    async fn mark(&self, mark: CopyMark) -> Result<(), StoreError> {
        writer::send(&self.inner.queue, |answer| {
            writer::WriterRequest::Maintenance(MaintenanceTask::Mark(mark), answer)
        })
        .await
    }
}
