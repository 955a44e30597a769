//! Copying a whole log from one database into another: every event with its number, its time and its hash.
//!
//! The target bears a mark until all of it is there and verified. Other programs refuse to open it until then, and an
//! interrupted copy resumes where it stopped. What is read and written goes through two stores, as
//! everything does.

use crate::{
    DatabaseName, DatabaseUrl, EventFilter, Store, StoreError, StoreOptions, VerifyReport,
    copy_mark::{CopyMark, is_half_copied},
    open::{UnfinishedCopy, open},
    writer::{self, MaintenanceTask},
};
use countersign_events::Event;
use std::{os::unix::fs::MetadataExt, path::Path, sync::Arc};

/// How many events are written in one transaction, if they are not large.
const BATCH: i64 = 1_000;

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyStep {
    /// So many of so many events are there.
    Copied(i64, i64),
    /// So many of so many were read back and hold.
    Verified(i64, i64),
}

/// The result of a copy.
#[derive(Debug, Clone)]
pub struct CopySummary {
    /// The name of the source.
    pub from: DatabaseName,
    /// The name of the target.
    pub to: DatabaseName,
    /// How many events were there from an earlier copy.
    pub before: i64,
    /// How many events the source has gained meanwhile, which are not in the target.
    pub since: i64,
    /// The findings of verifying the whole target.
    pub report: VerifyReport,
}

/// Copies the log at `from` into the one at `to`, which is made if there is none, and must be empty or what
/// an interrupted copy of the same log left. With `go_on` it may also be a finished copy, and gets what the
/// source has gained since. Afterwards the whole target is verified; if that finds anything, it stays marked
/// as half copied.
pub async fn copy(
    from: impl Into<DatabaseUrl>,
    to: impl Into<DatabaseUrl>,
    go_on: bool,
    mut progress: impl FnMut(CopyStep),
) -> Result<CopySummary, StoreError> {
    let (from, to) = (from.into(), to.into());
    if let (DatabaseUrl::File(from), DatabaseUrl::File(to)) = (&from, &to)
        && is_same_file(from, to)
    {
        return Err(StoreError::SameLog(to.as_path().into()));
    }
    let source = Store::open(from, StoreOptions { create: false, ..StoreOptions::default() }).await?;
    let target = open(to, StoreOptions::default(), UnfinishedCopy::Allowed).await?;
    let copied = copy_events(&source, &target, go_on, &mut progress).await;
    source.close().await;
    target.close().await;
    copied
}

/// True if both lead to one file. Opened by two names, it would have two write-ahead logs.
fn is_same_file(from: &Path, to: &Path) -> bool {
    let identity = |path| std::fs::metadata(path).map(|found| (found.dev(), found.ino()));
    matches!((identity(from), identity(to)), (Ok(from), Ok(to)) if from == to)
}

async fn copy_events(
    source: &Store,
    target: &Store,
    go_on: bool,
    progress: &mut impl FnMut(CopyStep),
) -> Result<CopySummary, StoreError> {
    let before = begin_copy(source, target, go_on).await?;
    let (mut at, end) = (before, source.tip().await?);
    while at < end {
        let events = read_events(source, at, end).await?;
        // Nothing is ever taken out of a log, so there is something.
        let last = events.last().map_or(end, |last| last.seq);
        at = match target.append_copied(events, source.database_name()).await {
            // What a copy that was killed had sent may arrive only now.
            Err(StoreError::NotACopy { .. }) => check_copied_prefix(source, target).await?,
            taken => taken.map(|()| last)?,
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

/// Sees that the target may be written to, and marks it. Gives how much of the log it has.
async fn begin_copy(source: &Store, target: &Store, go_on: bool) -> Result<i64, StoreError> {
    let same = || Err(StoreError::SameLog(target.database_name()));
    if source.database_name() == target.database_name() {
        return same();
    }
    let (tip, marked) = (target.tip().await?, target.is_marked().await?);
    if tip > 0 && !marked && !go_on {
        return Err(StoreError::TargetNotEmpty { place: target.database_name(), events: tip });
    }
    let tip = check_copied_prefix(source, target).await?;
    if !marked {
        target.mark(CopyMark::On { tip, source: source.database_name() }).await?;
        // One log by two names: what was just written to the one shows in the other.
        if source.is_marked().await? {
            target.mark(CopyMark::Off).await?;
            return same();
        }
    }
    Ok(tip)
}

/// How many events the target has, if they are the first ones of the source.
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

/// True if the first `tip` events of both are the same. The hash of a sealed event stands for all before it,
/// so what is compared begins no later than at the last one that is sealed.
async fn is_beginning_of(target: &Store, source: &Store, tip: i64) -> Result<bool, StoreError> {
    let (mut from, mut sealed) = (tip, false);
    while from > 0 && !sealed {
        let until = from;
        from = (from - BATCH).max(0);
        let events = read_events(target, from, until).await?;
        sealed = events.iter().any(|event| event.hash.is_some());
    }
    while from < tip {
        let [theirs, ours] = [read_events(source, from, tip).await?, read_events(target, from, tip).await?];
        // Either may end early, because of large events.
        let both = theirs.len().min(ours.len());
        if both == 0 || theirs[..both] != ours[..both] {
            return Ok(false);
        }
        from = ours[both - 1].seq;
    }
    Ok(true)
}

/// Events after `after` up to `until`, as many as are read at once.
async fn read_events(store: &Store, after: i64, until: i64) -> Result<Vec<Event>, StoreError> {
    let limit = usize::try_from((until - after).min(BATCH)).unwrap_or(1);
    Ok(store.events(&EventFilter::default(), after, limit).await?.items)
}

impl Store {
    async fn is_marked(&self) -> Result<bool, StoreError> {
        is_half_copied(&self.inner.readers, &self.database_name()).await
    }

    /// Appends events of the log called `source` as they are.
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
