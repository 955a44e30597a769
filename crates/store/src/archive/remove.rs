//! Removes archived content from the log: a long thread takes several small transactions.

use super::EVENTS_AT_ONCE;
use crate::{
    EventFilter, Store, StoreError,
    writer::{self, MaintenanceTask},
};
use countersign_events::ThreadId;

impl Store {
    /// Removes the content that an archived thread still has, up to the event at `through`. Between two transactions, other
    /// writers have their turn. An interrupted removal can be repeated.
    pub async fn remove_archived_content(
        &self,
        thread_id: &ThreadId,
        through: i64,
    ) -> Result<(), StoreError> {
        let filter = EventFilter { thread_id: Some(thread_id.clone()), ..EventFilter::default() };
        let most = usize::try_from(EVENTS_AT_ONCE).unwrap_or(usize::MAX);
        let mut after = Some(0);
        while let Some(from) = after {
            let mut page = self.events(&filter, from, most).await?;
            page.items.retain(|event| event.seq <= through);
            after = page.next.filter(|next| *next < through);
            if let Some(rows) = writer::sealed_rows(&page.items) {
                let request =
                    |answer| writer::WriterRequest::Maintenance(MaintenanceTask::RemoveContent(rows), answer);
                writer::send(&self.inner.queue, request).await?;
            }
        }
        Ok(())
    }
}
