//! Reading all grants of a thread.

use countersign_api as api;
use countersign_api::SharedGate;
use countersign_gate::ThreadId;

/// The selected grants, the oldest first.
pub(super) async fn read_grants(
    gate: &SharedGate,
    thread: &ThreadId,
    selection: api::GrantSelection,
) -> anyhow::Result<api::GrantPage> {
    let mut all = api::GrantPage { grants: Vec::new(), next: None };
    loop {
        let page = api::PageQuery { after: all.next.unwrap_or(0), limit: api::MAX_PAGE };
        let found = gate.grants(thread, selection, page).await?;
        all.grants.extend(found.grants);
        all.next = found.next;
        if all.next.is_none() {
            return Ok(all);
        }
    }
}
