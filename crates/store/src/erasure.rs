//! Erases call content: the hashes to record, and the files that may still have the content.

use crate::{
    DatabaseKind, Store, StoreError,
    database::SqlQuery,
    queries,
    read::read_events,
    writer::{self, MaintenanceTask},
};
use countersign_approvals::Refused;
use countersign_events::{CallId, ErasedRow, ThreadId};

impl Store {
    /// Reads the rows of a call that have or had erasable content, with the content hashes, in `seq` order. The list is
    /// empty if the thread has no such call.
    pub async fn rows_with_texts(
        &self,
        thread_id: &ThreadId,
        id: &CallId,
    ) -> Result<Vec<ErasedRow>, StoreError> {
        let query = SqlQuery::new(queries::CALL).bind(thread_id.as_str()).bind(id.as_str());
        let mut events = read_events(&self.query_rows("call", query).await?)?;
        events.sort_by_key(|event| event.seq);
        Ok(events.iter().filter_map(ErasedRow::of_event).collect())
    }

    /// Rebuilds the database file: free space goes back to the system, and erased content is in no file any more. This
    /// takes as long as a backup, and writers wait meanwhile.
    ///
    /// # Errors
    /// [`UnavailableDatabase::WalInUse`](crate::UnavailableDatabase::WalInUse) if a reader has kept the write-ahead log, which
    /// a later call empties, [`Refused::Invalid`] on PostgreSQL, and file errors.
    pub async fn compact(&self) -> Result<(), StoreError> {
        if self.inner.readers.kind() == DatabaseKind::Postgres {
            let why =
                "PostgreSQL has its own command: run VACUUM FULL events as the table's owner".to_owned();
            return Err(Refused::Invalid { field: "database", why }.into());
        }
        let request = |answer| writer::WriterRequest::Maintenance(MaintenanceTask::RewriteFiles, answer);
        writer::send(&self.inner.queue, request).await
    }
}
