//! Thread proposals, the newest first. A scope preview compares them, and a pending call counts similar ones.

use crate::{
    ResultPage, Store, StoreError,
    database::SqlQuery,
    page_limit::{DATA, MOST_BYTES, PageLimit},
    queries,
    read::read_events,
    recent_tools::MAX_CALLS,
    search::limit_plus_one,
};
use countersign_approvals::Call;
use countersign_events::{Event, ThreadId};

impl Store {
    /// Lists the `TOOL_CALL` events of a thread before the event at `before` (0 for the log's end), the newest first,
    /// `limit` at most.
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
        let found = self.query_bounded_rows("history_of_thread", query, DATA, MOST_BYTES).await?;
        let mut items = read_events(&found.rows)?;
        let more = found.cut || items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(|event| event.seq) } else { Some(floor).filter(|f| *f > 1) };
        Ok(ResultPage { items, next })
    }

    /// Counts the other calls of the same tool among the thread's last `limit` calls, or fewer if their proposals
    /// exceed 16 MiB. `last_call` is the `seq` of the thread's last call.
    pub async fn count_similar(
        &self,
        call: &Call,
        last_call: i64,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let recent = &self.inner.recent_tools;
        let limit = PageLimit { items: limit, bytes: MOST_BYTES };
        let mut known = match recent.count(call, last_call, limit) {
            Ok(count) => return Ok(count),
            Err(known) => known,
        };
        loop {
            let query = SqlQuery::new(queries::HISTORY_OF_THREAD)
                .bind(i64::MAX)
                .bind(known.saturating_add(1))
                .bind(limit_plus_one(MAX_CALLS))
                .bind(call.thread_id.as_str());
            let found = self.query_bounded_rows("history_of_thread", query, DATA, MOST_BYTES).await?;
            let added = read_events(&found.rows)?;
            let has_gap = found.cut || added.len() > MAX_CALLS;
            match recent.add(call, known, has_gap, &added, limit) {
                Some(count) => return Ok(count),
                None => known = 0,
            }
        }
    }
}
