//! A call that repeats an earlier one in other words: it runs the same, and only texts for people differ. A person is asked
//! once about both, and what runs are the arguments of the later call.

use crate::approval::{ApprovalOutcome, SoughtCall};
use countersign_api::{Call, CallId, CallState, GateError, LogFilter, PageQuery};
use countersign_policy::hash_without_prose;

/// The most calls of the same tool that are compared: the last ones.
const MOST_CALLS: usize = 50;

/// What the earlier call in other words means for this one.
pub(crate) enum EarlierWords {
    /// There is none that is still open.
    None,
    /// It is allowed and has not started, so this call takes its approval.
    Allowed(CallId),
    /// It answers this call, too.
    Answered(ApprovalOutcome),
}

impl SoughtCall<'_> {
    /// Waits for the decision on the open call that this one repeats in other words, if there is one.
    pub(crate) async fn settle_other_words(&self) -> Result<EarlierWords, GateError> {
        let Some(call) = self.find_in_other_words().await? else { return Ok(EarlierWords::None) };
        let call = if call.is_pending() {
            self.gate.wait(self.thread, &call.id, self.terms.wait).await?
        } else {
            call
        };
        Ok(match call.state {
            CallState::Pending => EarlierWords::Answered(ApprovalOutcome::Pending(Box::new(call))),
            CallState::Allowed => EarlierWords::Allowed(call.id),
            CallState::Denied => EarlierWords::Answered(ApprovalOutcome::Refused(call.ended_text())),
            _ => EarlierWords::None,
        })
    }

    /// The open call of the same agent in the same place that runs the same as this one.
    async fn find_in_other_words(&self) -> Result<Option<Call>, GateError> {
        let request = self.request;
        let Some(sought) = hash_without_prose(&request.name, &request.arguments) else { return Ok(None) };
        let filter = LogFilter {
            tool: Some(request.name.clone()),
            principal: Some(self.gate.principal().clone()),
            ..LogFilter::of_thread(self.thread)
        };
        let page = PageQuery { after: 0, limit: MOST_CALLS };
        let is_same = |call: &Call| {
            call.is_open()
                && call.arguments_hash != self.hash
                && call.redacted.is_empty()
                && call.erased.is_none()
                && self.is_alike(call)
                && hash_without_prose(&call.name, &call.arguments) == Some(sought)
        };
        Ok(self.gate.calls(&filter, None, page).await?.calls.into_iter().find(is_same))
    }
}
