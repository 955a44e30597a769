//! Reading all grants of a thread.

use countersign_gate::{Gate, ThreadId, api};

/// All grants in force, the oldest first.
pub(super) async fn read_grants(gate: &Gate, thread: &ThreadId) -> anyhow::Result<api::Grants> {
    let mut all = api::Grants { grants: Vec::new(), next: None };
    loop {
        let page = api::PageOf { after: all.next.unwrap_or(0), limit: api::MAX_PAGE };
        let found = gate.grants(thread, page).await?;
        all.grants.extend(found.grants);
        all.next = found.next;
        if all.next.is_none() {
            return Ok(all);
        }
    }
}
