//! The reports on advisors, their modes, and the calls that they answered.

use crate::{
    ResultPage, Store, StoreError, database::SqlQuery, page::readable_calls, queries, read::read_events,
    search::limit_plus_one,
};
use countersign_approvals::Call;
use countersign_events::{Event, Sha256};

impl Store {
    /// Reads the reports on advisors and their modes after the event `after` (0 for all), the oldest first, `limit` at
    /// most.
    pub async fn advisor_events(&self, after: i64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query = SqlQuery::new(queries::ADVISORS).bind(after).bind(limit);
        Ok(read_events(&self.query_rows("advisors", query).await?)?)
    }

    /// Lists the calls that an advisor with these settings answered with `allow` or `deny`, and whose answer people saw or
    /// the advisor gave itself: the answers after the event `after` and before the event `before`, the newest first,
    /// `limit` at most.
    pub async fn answered_by_advisor(
        &self,
        advisor: &str,
        configuration: Sha256,
        after: i64,
        before: i64,
        limit: usize,
    ) -> Result<ResultPage<Call>, StoreError> {
        let query = SqlQuery::new(queries::ANSWERED_BY_ADVISOR.on(self.inner.readers.kind()))
            .bind(advisor)
            .bind(configuration.to_string())
            .bind(after)
            .bind(before)
            .bind(limit_plus_one(limit));
        let mut calls = self.query_calls("answered_by_advisor", query).await?;
        let more = calls.cut || calls.items.len() > limit;
        calls.items.truncate(limit);
        let next = calls.items.last().map(|(seq, _)| *seq).filter(|_| more);
        let items = readable_calls(calls.items.into_iter().map(|(_, events)| events)).collect();
        Ok(ResultPage { items, next })
    }
}
