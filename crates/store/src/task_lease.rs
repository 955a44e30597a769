//! Leases: which server does a task that only one server may do at a time. They are not part of the log.

use crate::{
    Store, StoreError,
    database::{SqlQuery, SqlRow},
    queries,
    writer::{self, MaintenanceTask, WriterRequest},
};
use countersign_events::Timestamp;
use std::fmt;

/// A task for one server at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseTask {
    /// Delivering the messages of a webhook, identified by the `seq` of the event that added it.
    Webhook(i64),
    /// Asking the advisors.
    Advisors,
    /// Sending notifications to devices.
    Push,
}

/// As the table spells it.
impl fmt::Display for LeaseTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Webhook(webhook) => write!(f, "webhook {webhook}"),
            Self::Advisors => f.write_str("advisors"),
            Self::Push => f.write_str("push"),
        }
    }
}

/// One server's right to do a task until a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLease {
    /// The task.
    pub task: LeaseTask,
    /// The server process name.
    pub holder: String,
    /// The time until which no other server does the task.
    pub until: Timestamp,
}

/// A lease with the state of its task, as the last holder wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeasedTask {
    /// The lease. It may have ended.
    pub lease: TaskLease,
    /// The state, in a format that only its writer knows; empty if none was written.
    pub state: String,
}

impl TaskLease {
    fn hold_query(&self, state: String, now: Timestamp) -> SqlQuery {
        SqlQuery::new(queries::HOLD_LEASE)
            .bind(self.task.to_string())
            .bind(self.holder.as_str())
            .bind(self.until.to_string())
            .bind(state)
            .bind(now.to_string())
    }
}

impl Store {
    /// Takes or keeps a lease, if at `now` no other server has it, and writes the state unless it is `None`. Returns
    /// the active lease and state; another server may hold the lease. A lease `until` a time that has passed is
    /// released.
    pub async fn hold_lease(
        &self,
        lease: &TaskLease,
        state: Option<String>,
        now: Timestamp,
    ) -> Result<LeasedTask, StoreError> {
        let task = MaintenanceTask::HoldLease(lease.hold_query(state.unwrap_or_default(), now));
        writer::send(&self.inner.queue, |answer| WriterRequest::Maintenance(task, answer)).await?;
        let written = self.lease(lease.task).await?;
        Ok(written.unwrap_or_else(|| LeasedTask { lease: lease.clone(), state: String::new() }))
    }

    /// Reads a task's lease and state; `None` if no server has done the task yet.
    pub async fn lease(&self, task: LeaseTask) -> Result<Option<LeasedTask>, StoreError> {
        let query = SqlQuery::new(queries::LEASE).bind(task.to_string());
        let rows = self.query_rows("lease", query).await?;
        let read = |row: &SqlRow| {
            let lease = TaskLease { task, holder: row.text(0)?, until: row.text(1)?.parse().ok()? };
            Some(LeasedTask { lease, state: row.text(2)? })
        };
        Ok(rows.first().and_then(read))
    }
}
