//! Reading all grants of a thread.

use crate::pages::read_pages;
use countersign_api::{self as api, SelectionQuery, SendOperation, SharedGate, operations};
use countersign_events::ThreadId;

/// The active grants, the oldest first; with `all` also those that have ended.
pub(super) async fn read_grants(
    gate: &SharedGate,
    thread: &ThreadId,
    all: bool,
) -> anyhow::Result<api::GrantPage> {
    let mut grants = api::GrantPage { grants: Vec::new(), next: None };
    read_pages(0, async |page| {
        let query = SelectionQuery { all, page };
        let found = gate.send(operations::ListGrants { thread: thread.clone(), query }).await?;
        grants.grants.extend(found.grants);
        Ok(found.next)
    })
    .await?;
    Ok(grants)
}
