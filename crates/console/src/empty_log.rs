//! Reporting an empty log, with its likely cause. A copy of a file in use misses the events that are still in the
//! write-ahead log, so it can be an empty log that verifies.

use crate::{context::CommandContext, settings::log_target::LogTarget};
use countersign_api::{self as api, ApprovalGate, GateError, LogFilter};
use countersign_events::EventType;
use countersign_store::DatabaseUrl;

/// The likely cause of an empty log in a file.
pub const COPIED_FILE: &str =
    "a copy of a live file lacks the events of its -wal file; make copies with `countersign backup FILE`";

/// Returns true if the log has no events except policies, with which a new log starts.
pub async fn is_empty_log(gate: &dyn ApprovalGate) -> Result<bool, GateError> {
    let first = gate.events(&LogFilter::default(), api::PageQuery { after: 0, limit: api::MAX_PAGE }).await?;
    Ok(first.next.is_none() && first.events.iter().all(|event| event.kind == EventType::PolicySet))
}

/// The sentences that report an empty log; `None` if the log has events.
pub async fn describe_empty_log(
    context: &CommandContext,
    gate: &dyn ApprovalGate,
) -> anyhow::Result<Option<String>> {
    if !is_empty_log(gate).await? {
        return Ok(None);
    }
    let log = context.log_location()?;
    let is_file = matches!(context.settings.target()?, LogTarget::Database(DatabaseUrl::File(_)));
    let cause = if is_file { format!("\nIf it should have some: {COPIED_FILE}.") } else { String::new() };
    Ok(Some(format!("This log has no events but policies: {log}{cause}")))
}
