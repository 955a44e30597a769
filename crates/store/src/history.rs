//! The proposals of a thread, the newest first. A scope preview compares them.

use crate::{
    Store, StoreError,
    database::SqlQuery,
    page::{DATA, MOST_BYTES, ResultPage},
    queries,
    read::read_events,
    search::limit_plus_one,
};
use countersign_events::{Event, ThreadId};

impl Store {
    /// Lists the `TOOL_CALL` events of a thread before the event at `before` (0 for the end of the log), the newest
    /// first, `limit` at most.
    pub async fn history(
        &self,
        thread_id: &ThreadId,
        before: i64,
        limit: usize,
    ) -> Result<ResultPage<Event>, StoreError> {
        let before = self.clamp_before(before).await?;
        let floor = self.thread_span_floor(thread_id, before).await?;
        let query = SqlQuery::new(queries::HISTORY_OF_THREAD)
            .bind(before)
            .bind(floor)
            .bind(limit_plus_one(limit))
            .bind(thread_id.as_str());
        let found = self.query_bounded_rows("history_of_thread", query, (DATA, MOST_BYTES)).await?;
        let mut items = read_events(&found.rows)?;
        let more = found.cut || items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(|event| event.seq) } else { Some(floor).filter(|f| *f > 1) };
        Ok(ResultPage { items, next })
    }
}
