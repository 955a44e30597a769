//! Waiting for people's decision, in the way that the requesting client supports.

use crate::{
    ToolCallFrame,
    answer_text::{
        elicitation_complete, elicitation_request, error_result, input_required, pending_text, progress,
    },
    call_slot::CallSlot,
    gateway_core::GatewayCore,
    open_requests::RequestCancellation,
    parked_call::StateMeaning,
};
use countersign_api::{Call, GateError};
use countersign_events::Sha256;
use std::sync::atomic::Ordering;

/// The most rounds that a client makes for one call. Clients of the official SDK give up after ten.
const MAX_ROUNDS: u32 = 8;

/// How the wait for a decision ends.
pub(crate) enum WaitEnd {
    Decided(Box<Call>),
    StillPending(Box<Call>),
    /// The client has cancelled its request.
    Cancelled,
    /// The client is gone. The call stays pending.
    Closing,
}

/// A request that waits for the decision of people.
pub(crate) struct DecisionWait<'a> {
    pub(crate) core: &'a GatewayCore,
    pub(crate) frame: &'a ToolCallFrame,
    pub(crate) cancelled: &'a RequestCancellation,
    /// The number of rounds that the client has made for this call.
    pub(crate) round: u32,
}

impl DecisionWait<'_> {
    /// Waits for the decision for a limited time. A progress token does not make it longer: most clients that send one give
    /// up at their time limit all the same, and their user would see an error instead of the message that says what to
    /// do.
    pub(crate) async fn wait(&self, slot: &CallSlot, call: &Call) -> Result<WaitEnd, GateError> {
        let core = self.core;
        let location = (core.options.describe_location)(call);
        if self.asks_to_open(&location) {
            return Ok(WaitEnd::StillPending(Box::new(call.clone())));
        }
        self.show_page(slot, call, &location).await;
        let message = format!("Waits for a decision on {}: {location}", call.id);
        let end = (core.calls.now)().after(core.options.hold);
        for count in 1.. {
            let mut span = end.since((core.calls.now)());
            if let Some(token) = &self.frame.progress_token {
                core.send_to_client(progress(token, count, &message)).await;
                span = span.min(core.options.progress_interval);
            }
            let call = tokio::select! {
                biased;
                call = core.calls.gate.wait(&core.calls.thread, &slot.id, Some(span)) => Box::new(call?),
                () = self.cancelled.cancelled() => return Ok(WaitEnd::Cancelled),
                () = core.closing.cancelled() => return Ok(WaitEnd::Closing),
            };
            if !call.is_pending() {
                if slot.is_shown.load(Ordering::SeqCst) {
                    core.send_to_client(elicitation_complete(&slot.id)).await;
                }
                return Ok(WaitEnd::Decided(call));
            }
            if (core.calls.now)() >= end {
                return Ok(WaitEnd::StillPending(call));
            }
        }
        Ok(WaitEnd::Closing)
    }

    /// The answer to a request whose call is still pending: the next round, if the client makes rounds, or a message.
    pub(crate) fn answer_pending(&self, call: &Call, content: Sha256) -> String {
        let location = (self.core.options.describe_location)(call);
        let asks = self.frame.rounds.filter(|rounds| !rounds.is_declined && self.round < MAX_ROUNDS);
        if asks.is_none() || self.frame.progress_token.is_some() {
            return error_result(&self.frame.id, &pending_text(call, &location), Some(call));
        }
        let meaning = StateMeaning::Decision(self.round + 1);
        let state = self.core.states.issue(content, (self.core.calls.now)(), meaning);
        let page = self.asks_to_open(&location).then_some(location.as_str());
        input_required(&self.frame.id, &state, call, page)
    }

    /// Returns true if the answer asks the client to open the call page for its user, which happens in the first round.
    fn asks_to_open(&self, location: &str) -> bool {
        let opens = self.frame.rounds.is_some_and(|rounds| rounds.opens_urls);
        opens && self.round == 0 && self.frame.progress_token.is_none() && is_address(location)
    }

    /// Asks a client before 2026-07-28 to open the call page for its user, once for each call. Its answer decides
    /// nothing, so it is not awaited.
    async fn show_page(&self, slot: &CallSlot, call: &Call, location: &str) {
        let opens = self.core.opens_urls.load(Ordering::SeqCst) && self.frame.rounds.is_none();
        if opens && is_address(location) && !slot.is_shown.swap(true, Ordering::SeqCst) {
            self.core.send_to_client(elicitation_request(call, location)).await;
        }
    }
}

fn is_address(location: &str) -> bool {
    location.starts_with("https://") || location.starts_with("http://")
}
