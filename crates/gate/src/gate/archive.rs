//! Archives, which only the gate over an open database offers.

use super::EmbeddedGate;
use crate::{ArchiveCheck, ArchiveSummary, GateFailure};
use countersign_api::{EraseRequest, ErasureReport};
use countersign_approvals::access::VisibleThreads;
use countersign_events::{CallId, ThreadId, Timestamp};
use countersign_store::ArchivePlan;
use std::path::Path;

impl EmbeddedGate {
    /// Selects the closed threads whose last event was before a moment. `progress` receives the number of events that were
    /// read.
    pub async fn plan_archive(
        &self,
        before: Timestamp,
        threads: &VisibleThreads,
        progress: impl FnMut(i64),
    ) -> Result<ArchivePlan, GateFailure> {
        self.service.plan_archive(before, threads, progress).await
    }

    /// Moves the content of these threads to a new file. If the file exists, an interrupted move is continued. Fails
    /// with [`StoreError::BadArchive`](countersign_store::StoreError::BadArchive) if it is not an archive of this log,
    /// and with a read or write error; the content is then in the log, or in a complete file.
    pub async fn archive(
        &self,
        before: Timestamp,
        threads: &VisibleThreads,
        path: &Path,
        progress: impl FnMut(i64),
    ) -> Result<ArchiveSummary, GateFailure> {
        self.service.archive(&self.by, before, threads, path, progress).await
    }

    /// Checks an archive: that it is intact, and that its events come from this log. Fails with
    /// [`StoreError::BadArchive`](countersign_store::StoreError::BadArchive) otherwise.
    pub async fn check_archive(
        &self,
        path: &Path,
        progress: impl FnMut(i64),
    ) -> Result<ArchiveCheck, GateFailure> {
        self.service.check_archive(path, progress).await
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
        request: &EraseRequest,
        path: &Path,
    ) -> Result<ErasureReport, GateFailure> {
        self.service.erase_from_archive(&self.by, thread, id, request, path).await
    }
}
