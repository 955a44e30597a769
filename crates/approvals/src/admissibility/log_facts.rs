//! Checks log-wide facts. Each row is the whole fact, so its registry admits it as it admitted the writer's.

use super::{compare, log_row::LogRow, row_comparison::RowComparison};
use crate::{
    NewEvent,
    registry::{AdmissionContext, LogRegistries, LogRegistry},
};
use countersign_events::Sha256;
use countersign_policy::Policy;

/// Returns the registry for a row; `None` if the row belongs to a thread.
pub(super) fn registry_of<'a>(row: &LogRow, registries: &'a LogRegistries) -> Option<&'a dyn LogRegistry> {
    row.event.kind.group().filter(|group| group.is_of_whole_log()).and_then(|group| registries.get(group))
}

/// Compares a row with the event by which the registry records the same fact.
pub(super) fn compare_fact(
    row: &LogRow,
    registry: &dyn LogRegistry,
    policy: &Policy,
    log: Sha256,
) -> RowComparison {
    let by = &row.event.principal;
    let context = AdmissionContext {
        by,
        // The log does not say whether the caller acted as an administrator.
        as_admin: true,
        recorded_seq: Some(row.event.seq),
        now: row.event.timestamp,
        policy,
        log,
    };
    let checked = match registry.admit(row.body.clone(), &context) {
        Err(refused) => Err(refused.to_string()),
        Ok(None) => Err("the log has this fact already".to_owned()),
        Ok(Some(body)) => compare::check_row(&NewEvent::new(by, body), row),
    };
    match checked {
        Ok(()) => RowComparison::Same(1),
        Err(reason) => RowComparison::Different { position: 0, reason },
    }
}
