//! Finds the call that another one repeats in other words: it runs the same, and only words for people differ.

use countersign_api::{Call, CallGate, GateError, LogFilter, PageQuery, ProposeRequest, Sha256, ThreadId};
use countersign_policy::hash_without_prose;

/// The most calls of the same tool that are compared: the last ones.
const MOST_CALLS: usize = 50;

/// The open call of the same agent that runs the same as `request`, whose arguments have the hash `hash`, and that is `alike` in
/// everything else.
pub(crate) async fn find_in_other_words(
    gate: &dyn CallGate,
    thread: &ThreadId,
    request: &ProposeRequest,
    hash: Sha256,
    is_alike: impl Fn(&Call) -> bool,
) -> Result<Option<Call>, GateError> {
    let Some(sought) = hash_without_prose(&request.name, &request.arguments, Some(hash)) else {
        return Ok(None);
    };
    let filter = LogFilter {
        tool: Some(request.name.clone()),
        principal: Some(gate.principal().clone()),
        ..LogFilter::of_thread(thread)
    };
    let page = PageQuery { after: 0, limit: MOST_CALLS };
    let is_same = |call: &Call| {
        call.is_open()
            && call.arguments_hash != hash
            && call.redacted.is_empty()
            && call.erased.is_none()
            && is_alike(call)
            && hash_without_prose(&call.name, &call.arguments, Some(call.arguments_hash)) == Some(sought)
    };
    Ok(gate.calls(&filter, None, page).await?.calls.into_iter().find(is_same))
}
