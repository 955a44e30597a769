//! Finds the call that a repeated proposal belongs to. An agent that cannot wait for people as long as they need
//! proposes the same call again to get the decision on the first one.

use crate::{Call, CallGate, CallState, GateError, LogFilter, PageQuery, ProposeRequest, Sha256, ThreadId};
use countersign_events::Source;

/// The most earlier calls with the same content that are read: the last ones.
const MOST_CALLS: usize = 10;

/// The last calls of `thread` that the caller proposed for the same tool and with the same arguments as `request`, the newest
/// first, 10 at most.
pub async fn find_earlier_calls(
    gate: &dyn CallGate,
    thread: &ThreadId,
    request: &ProposeRequest,
    arguments_hash: Sha256,
) -> Result<Vec<Call>, GateError> {
    let filter = LogFilter {
        tool: Some(request.name.clone()),
        principal: Some(gate.principal().clone()),
        arguments_hash: Some(arguments_hash),
        ..LogFilter::of_thread(thread)
    };
    let page = PageQuery { after: 0, limit: MOST_CALLS };
    Ok(gate.calls(&filter, None, page).await?.calls)
}

impl Call {
    /// Returns true if people decide on the call, or it was allowed and nothing has started it. A repeated proposal
    /// then belongs to it.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        matches!(self.state, CallState::Pending | CallState::Allowed)
    }

    /// Returns true if people were asked, and they answered, have not answered yet, or let the request expire.
    #[must_use]
    pub fn was_asked(&self) -> bool {
        let by_people = |source| matches!(source, Source::Approver | Source::Expiry);
        self.request.is_some() && self.response.as_ref().is_none_or(|response| by_people(response.source))
    }
}
