//! The decisions of people that answered later calls, for a list of events. An event names only the decision's `seq`.

use countersign_api::{self as api, LogFilter, SharedGate};
use countersign_events::{Body, Event};
use countersign_gate::read_grant_origin;
use std::collections::HashMap;

/// The most decisions that are kept.
const MAX_ORIGINS: usize = 1_000;

/// The decisions that were looked up.
#[derive(Default)]
pub(crate) struct GrantOriginCache {
    by_seq: HashMap<i64, Option<api::GrantOrigin>>,
}

impl GrantOriginCache {
    /// The decision that answered the call, if the event is a response by an earlier decision.
    pub(crate) async fn look_up(
        &mut self,
        gate: &SharedGate,
        event: &Event,
    ) -> anyhow::Result<Option<&api::GrantOrigin>> {
        let body = Body::read(event.seq, event.kind, &event.data);
        let Ok(Body::ApprovalResponse(response)) = body else { return Ok(None) };
        let Some(grant) = response.grant else { return Ok(None) };
        if !self.by_seq.contains_key(&grant) {
            let page = api::PageQuery { after: grant.saturating_sub(1).max(0), limit: 1 };
            let found = gate.events(&LogFilter::of_thread(&event.thread_id), page).await?.events;
            let origin = found.first().filter(|found| found.seq == grant);
            if self.by_seq.len() >= MAX_ORIGINS {
                self.by_seq.clear();
            }
            self.by_seq.insert(grant, origin.and_then(|event| read_grant_origin(event)));
        }
        Ok(self.by_seq.get(&grant).and_then(Option::as_ref))
    }
}
