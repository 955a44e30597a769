//! Archives, which only the gate over an open database offers: the content of closed threads moves to a file.

use super::EmbeddedGate;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{CommandTarget, Refused, ThreadCommand, access::VisibleThreads};
use countersign_events::{CallId, ThreadArchived, ThreadId, Timestamp};
use countersign_store::{ArchiveContents, ArchivePlan, EVENTS_AT_ONCE, StoreError, read_archive};
use futures_util::future::join_all;
use std::{
    collections::{BTreeMap, btree_map},
    iter::Peekable,
    path::Path,
};

/// The most threads whose content leaves the log in one transaction.
const THREADS_AT_ONCE: usize = 64;

/// The outcome of archiving.
#[derive(Debug, Clone)]
pub struct ArchiveSummary {
    /// What the file has; `None` if no thread could be archived and no file was made.
    pub contents: Option<ArchiveContents>,
    /// The number of threads that this command has archived. An earlier command may have archived other threads in the
    /// file.
    pub archived: usize,
    /// Whether the file was there, and an interrupted command was continued.
    pub continued: bool,
    /// Closed threads that stay in the log, with a call that may still report a result.
    pub running: BTreeMap<ThreadId, CallId>,
    /// What ended the move early, if something did. The other threads' content is in the log and in the file.
    pub interrupted: Option<GateFailure>,
}

/// The findings about an intact archive of the log.
#[derive(Debug, Clone)]
pub struct ArchiveCheck {
    /// What the file has.
    pub contents: ArchiveContents,
    /// The threads that the log still has too, because the command was interrupted.
    pub left: Vec<ThreadId>,
    /// Whether the file has content of calls that were erased since.
    pub has_erased_texts: bool,
}

impl EmbeddedGate {
    /// Selects the closed threads whose last event was before a moment. `progress` receives the number of events that were
    /// read.
    pub async fn plan_archive(
        &self,
        before: Timestamp,
        threads: &VisibleThreads,
        progress: impl FnMut(i64),
    ) -> Result<ArchivePlan, GateFailure> {
        Ok(self.service.store.plan_archive(before, threads, progress).await?)
    }

    /// Moves the content of these threads to a new file. If the file exists, an interrupted move is continued. Fails
    /// with [`StoreError::BadArchive`](countersign_store::StoreError::BadArchive) if it is not an archive of this log,
    /// and with a read or write error; the content is then in the log, or in a complete file.
    pub async fn archive(
        &self,
        before: Timestamp,
        threads: &VisibleThreads,
        path: &Path,
        mut progress: impl FnMut(i64),
    ) -> Result<ArchiveSummary, GateFailure> {
        let name = archive_name(path)?;
        let continued = path.symlink_metadata().is_ok();
        let mut running = BTreeMap::new();
        if !continued {
            let plan = self.service.store.plan_archive(before, threads, &mut progress).await?;
            running.clone_from(&plan.selection.running);
            if plan.selection.threads.is_empty() {
                let (contents, archived, interrupted) = (None, 0, None);
                return Ok(ArchiveSummary { contents, archived, continued, running, interrupted });
            }
            self.service.store.write_archive(&plan, path, &mut progress).await?;
        }
        let contents = self.service.store.compare_archive(path, &mut progress).await?;
        let (archived, mut interrupted) = match self.archive_threads(&name, &contents).await {
            // The caller has no right to archive at all.
            (0, Some(GateFailure::Refused(refused))) => return Err(refused.into()),
            ended => ended,
        };
        if interrupted.is_none() {
            // A call may have been erased while the file was made.
            interrupted =
                self.service.store.erase_in_archive(path, &contents).await.err().map(GateFailure::from);
        }
        Ok(ArchiveSummary { contents: Some(contents), archived, continued, running, interrupted })
    }

    /// Archives the threads in a complete file, some at a time. Returns the number of those that were not archived
    /// before, and the error that ended it early.
    async fn archive_threads(&self, name: &str, contents: &ArchiveContents) -> (usize, Option<GateFailure>) {
        let archive = |(thread_id, (events, through)): (&ThreadId, &(u64, i64))| {
            let (events, through) = (*events, *through);
            let archived = ThreadArchived { file: name.to_owned(), digest: contents.digest, events, through };
            let target = CommandTarget::Thread(thread_id.clone());
            self.service.execute_on_threads(&self.by, target, ThreadCommand::Archive(archived))
        };
        let mut archived = 0;
        let mut threads = contents.threads.iter().peekable();
        while threads.peek().is_some() {
            let batch = take_batch(&mut threads);
            let outcomes = join_all(batch.iter().copied().map(archive)).await;
            archived += outcomes.iter().flatten().filter(|outcome| !outcome.events.is_empty()).count();
            if let Some(error) = outcomes.into_iter().find_map(Result::err) {
                return (archived, Some(error));
            }
            for (thread_id, (_, through)) in
                batch.into_iter().filter(|(_, (events, _))| *events > EVENTS_AT_ONCE)
            {
                if let Err(error) = self.service.store.remove_archived_content(thread_id, *through).await {
                    return (archived, Some(error.into()));
                }
            }
        }
        (archived, None)
    }

    /// Checks an archive: that it is intact, and that its events come from this log. Fails with
    /// [`StoreError::BadArchive`](countersign_store::StoreError::BadArchive) otherwise.
    pub async fn check_archive(
        &self,
        path: &Path,
        progress: impl FnMut(i64),
    ) -> Result<ArchiveCheck, GateFailure> {
        let contents = self.service.store.compare_archive(path, progress).await?;
        let mut left = Vec::new();
        for (thread_id, (events, through)) in &contents.threads {
            let Some(archived) = self.service.store.thread(thread_id).await?.archived else {
                left.push(thread_id.clone());
                continue;
            };
            let recorded = (archived.what.digest, archived.what.events, archived.what.through);
            if recorded != (contents.digest, *events, *through) {
                let why = format!("event {} names another archive for thread {thread_id}", archived.seq);
                return Err(StoreError::BadArchive { place: path.into(), why }.into());
            }
        }
        let has_erased_texts = self.service.store.archive_has_erased_texts(path, &contents).await?;
        Ok(ArchiveCheck { contents, left, has_erased_texts })
    }

    /// Rebuilds the database file. Writers wait meanwhile. Fails on PostgreSQL, and if a reader keeps the write-ahead
    /// log.
    pub async fn compact(&self) -> Result<(), GateFailure> {
        Ok(self.service.store.compact().await?)
    }

    /// Erases an archived call's content from the archive, and records the erasure in the log.
    pub async fn erase_from_archive(
        &self,
        thread: &ThreadId,
        id: &CallId,
        erase: &api::EraseRequest,
        path: &Path,
    ) -> Result<api::ErasureReport, GateFailure> {
        let contents = read_archive(path)?;
        self.service.erase_content(&self.by, thread, id, &erase.reason, Some(contents.digest)).await?;
        self.service.store.erase_in_archive(path, &contents).await?;
        Ok(api::ErasureReport { call: self.service.call(thread, id).await? })
    }
}

/// An archived thread, with its number of events and its last event.
type ArchivedThread<'a> = (&'a ThreadId, &'a (u64, i64));

/// The next threads, whose content leaves the log in one transaction.
fn take_batch<'a>(
    threads: &mut Peekable<btree_map::Iter<'a, ThreadId, (u64, i64)>>,
) -> Vec<ArchivedThread<'a>> {
    let (mut batch, mut sum) = (Vec::new(), 0);
    while let Some(thread) = threads.next_if(|(_, (events, _))| {
        batch.is_empty() || batch.len() < THREADS_AT_ONCE && sum + events <= EVENTS_AT_ONCE
    }) {
        sum += thread.1.0;
        batch.push(thread);
    }
    batch
}

/// The file name in the log.
fn archive_name(path: &Path) -> Result<String, Refused> {
    let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    let why = || format!("{} has no file name of valid UTF-8", path.display());
    name.ok_or_else(|| Refused::Invalid { field: "file", why: why() })
}
