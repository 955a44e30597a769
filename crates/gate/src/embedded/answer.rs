//! Decision parts that need no service: the scope, and the waiting calls in the events.

use crate::GateFailure;
use countersign_approvals::{RecordedEvent, Refused, scope::GrantScope};
use countersign_events::{Body, CallId, Json, Source};

/// The call that this event decides, if a grant answered a call other than `decided`.
pub(super) fn decided_by_grant(event: &RecordedEvent, decided: &CallId) -> Option<CallId> {
    match &*event.body {
        Body::ApprovalResponse(response)
            if response.source == Source::Grant && response.tool_call_id != *decided =>
        {
            Some(response.tool_call_id.clone())
        }
        _ => None,
    }
}

/// Parses a decision's scope.
pub(super) fn read_scope(json: &Json) -> Result<GrantScope, GateFailure> {
    json.admit().map_err(|why| Refused::bad_json("scope", &why))?;
    GrantScope::read(json).map_err(|why| GateFailure::invalid("scope", &why))
}
