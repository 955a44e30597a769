//! Erasing the texts of a call: the hashes to record, and the files that may still have the texts.

use crate::{
    DatabaseKind, Store, StoreError,
    database::SqlQuery,
    queries,
    read::read_events,
    writer::{self, MaintenanceTask},
};
use countersign_events::{CallId, ThreadId, event::ErasedRow};

impl Store {
    /// Reads the rows of a call that have or had texts, with the hashes of these, in `seq` order. The list is empty if the
    /// thread has no such call.
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

    /// Removes erased texts from the files of the database, beyond the rows themselves. This takes as long as a backup, and
    /// commands wait meanwhile. Returns false if a part may be left: on SQLite while a reader keeps the write-ahead log, on PostgreSQL until the owner runs `VACUUM FULL events`.
    pub async fn clear_erased_texts(&self) -> Result<bool, StoreError> {
        if self.inner.readers.kind() == DatabaseKind::Postgres {
            return Ok(false);
        }
        let request = |answer| writer::WriterRequest::Maintenance(MaintenanceTask::RewriteFiles, answer);
        match writer::send(&self.inner.queue, request).await {
            Ok(()) => Ok(true),
            Err(StoreError::DatabaseUnavailable(error)) => {
                tracing::warn!(%error, "the write-ahead log may still have erased texts");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}
