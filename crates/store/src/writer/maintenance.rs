//! Maintenance: work in a separate transaction, such as appending the events of another log unchanged.

use super::{MaintenanceTask, batch::BatchWriter};
use crate::{
    DatabaseName, StoreError,
    copy_mark::CopyMark,
    database::{BatchFailure, FirstReads, SqlQuery, WriteSession},
};
use countersign_events::Event;
use std::sync::Arc;

impl<D: WriteSession> BatchWriter<D> {
    pub(super) async fn maintain(&mut self, task: MaintenanceTask) -> Result<(), StoreError> {
        match task {
            MaintenanceTask::RebuildIndex => self.rebuild_index().await,
            MaintenanceTask::RecordPresence { rows, prune } => self.record_presence(rows, prune).await,
            MaintenanceTask::HoldLease(query) => self.run_alone([query]).await,
            MaintenanceTask::CopyEvents(events, source) => self.copy_events(&events, &source).await,
            MaintenanceTask::Mark(mark) => self.mark(&mark).await,
            MaintenanceTask::RemoveContent(rows) => {
                self.run_alone([SqlQuery::new(D::REPLACE_DATA).bind(rows)]).await
            }
            MaintenanceTask::RewriteFiles => self.session.rewrite_files().await,
        }
    }

    /// Appends events that follow the last one of this log. If the database refuses an event, the events before it are
    /// kept.
    async fn copy_events(&mut self, events: &[Arc<Event>], source: &DatabaseName) -> Result<(), StoreError> {
        match self.append_copied_events(events, source).await {
            Err(BatchFailure::Some(_)) => {}
            outcome => return outcome.map_err(BatchFailure::error),
        }
        for event in events {
            let appended = self.append_copied_events(std::slice::from_ref(event), source).await;
            appended.map_err(|failed| match failed {
                BatchFailure::Some(why) => StoreError::EventRefused {
                    place: self.session.database_name(),
                    seq: event.seq,
                    why: explain_refusal(event, &why),
                },
                failed => failed.error(),
            })?;
        }
        Ok(())
    }

    async fn append_copied_events(
        &mut self,
        events: &[Arc<Event>],
        source: &DatabaseName,
    ) -> Result<(), BatchFailure> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(()) };
        self.begin_at(first.seq - 1, source).await.map_err(BatchFailure::Whole)?;
        let written = async {
            // The guard rejects a row without a hash that was not inserted through the view `decisions`.
            let has_unsealed = events.iter().any(|event| event.hash.is_none());
            if has_unsealed {
                self.session.disable_row_guard().await?;
            }
            self.session.append(events.iter().map(|event| &**event)).await?;
            if has_unsealed {
                self.session.enable_row_guard().await?;
            }
            self.session.commit(Some(last)).await
        };
        match written.await {
            Ok(()) => {
                self.feed.publish(events);
                Ok(())
            }
            Err(failed) => {
                self.session.roll_back().await;
                Err(failed)
            }
        }
    }

    /// Sets or clears the unfinished-copy mark.
    async fn mark(&mut self, mark: &CopyMark) -> Result<(), StoreError> {
        match mark {
            CopyMark::On { tip, source } => self.begin_at(*tip, source).await?,
            CopyMark::Off => drop(self.begin(&[]).await?),
        }
        self.run_and_commit(mark.statements()).await.map_err(BatchFailure::error)
    }

    /// Starts a transaction, if the log ends at `tip`.
    async fn begin_at(&mut self, tip: i64, source: &DatabaseName) -> Result<(), StoreError> {
        self.state = None;
        let begun = self.session.begin(self.feed.last_sealed(), FirstReads::default()).await?;
        if begun.end.tip == tip {
            return Ok(());
        }
        self.session.roll_back().await;
        Err(StoreError::NotACopy { place: self.session.database_name(), from: source.clone() })
    }
}

/// Why the target refused an event. PostgreSQL's message does not name the number that it cannot hold.
fn explain_refusal(event: &Event, why: &StoreError) -> String {
    match event.data.check_numbers() {
        Ok(()) => why.to_string(),
        Err(number) => format!(
            "{number} ({why}); an earlier version accepted such numbers, and a copy into an SQLite file keeps them"
        ),
    }
}
