//! When the proposers of pending calls were last seen. These times are not part of the log.

use crate::{
    Store, StoreError,
    database::{SqlQuery, SqlRow},
    queries,
    writer::{self, MaintenanceTask, WriterRequest},
};
use countersign_events::{CallId, ThreadId, Timestamp};

/// The calls of one statement. More would hold up commands.
const CHUNK: usize = 1_000;

/// When the proposer of a call was last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposerPresence {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call.
    pub call_id: CallId,
    /// The time.
    pub seen_at: Timestamp,
}

impl Store {
    /// Records when proposers were last seen, in separate transactions. With `prune`, also deletes the times of decided
    /// calls.
    pub async fn record_presence(&self, seen: &[ProposerPresence], prune: bool) -> Result<(), StoreError> {
        let last = seen.chunks(CHUNK).len();
        for (number, chunk) in seen.chunks(CHUNK).enumerate() {
            let rows: Vec<_> =
                chunk.iter().map(|one| (&one.thread_id, &one.call_id, one.seen_at.to_string())).collect();
            // Serialisation cannot fail, because ids and times contain only values that JSON can express.
            let rows = serde_json::to_string(&rows).unwrap_or_default();
            let task = MaintenanceTask::RecordPresence { rows, prune: prune && number + 1 == last };
            writer::send(&self.inner.queue, |answer| WriterRequest::Maintenance(task, answer)).await?;
        }
        Ok(())
    }

    /// Reads when the proposers of these calls were last seen. Calls that no proposer waited for are left out.
    pub async fn presence(
        &self,
        calls: &[(&ThreadId, &CallId)],
    ) -> Result<Vec<ProposerPresence>, StoreError> {
        if calls.is_empty() {
            return Ok(Vec::new());
        }
        let keys = serde_json::to_string(calls).unwrap_or_default();
        let query = SqlQuery::new(queries::PRESENCE.on(self.inner.readers.kind())).bind(keys);
        let rows = self.query_rows("presence", query).await?;
        Ok(rows.iter().filter_map(read_row).collect())
    }

    /// Reads which pending calls are to be withdrawn when their proposer is gone, and have a proposer that was not seen after
    /// `seen_before`: the longest absence first, at most `limit`.
    pub async fn absent_proposers(
        &self,
        seen_before: Timestamp,
        limit: usize,
    ) -> Result<Vec<ProposerPresence>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::ABSENT_PROPOSERS).bind(seen_before.to_string()).bind(limit);
        let rows = self.query_rows("absent_proposers", query).await?;
        Ok(rows.iter().filter_map(read_row).collect())
    }
}

fn read_row(row: &SqlRow) -> Option<ProposerPresence> {
    Some(ProposerPresence {
        thread_id: ThreadId::new(&row.text(0)?).ok()?,
        call_id: CallId::new(&row.text(1)?).ok()?,
        seen_at: row.text(2)?.parse().ok()?,
    })
}
