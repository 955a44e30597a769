//! Grant origins: decisions by people that answered later calls. A call names only the `seq` of the decision.

use super::EmbeddedService;
use crate::{GateFailure, view::read_grant_origin};
use countersign_api as api;
use countersign_api::GateError;
use countersign_events::ThreadId;
use std::collections::{BTreeSet, HashMap};

impl EmbeddedService {
    /// Adds the origin of the grant to each call that an earlier decision answered: its person, time and scope.
    pub(super) async fn add_grant_origins(&self, calls: &mut [api::Call]) -> Result<(), GateFailure> {
        let seqs: BTreeSet<_> = calls.iter().filter_map(|call| call.response.as_ref()?.grant).collect();
        if seqs.is_empty() {
            return Ok(());
        }
        let events = self.store.responses(&seqs).await?;
        let by_seq: HashMap<_, _> = events.iter().map(|event| (event.seq, event)).collect();
        for call in calls {
            let Some(response) = &mut call.response else { continue };
            let event = response.grant.and_then(|grant| by_seq.get(&grant));
            let event = event.filter(|event| event.thread_id == call.thread_id);
            response.grant_origin = event.and_then(|event| read_grant_origin(event));
            if response.grant_origin.is_some() {
                call.outcome = call.describe_outcome();
            }
        }
        Ok(())
    }

    /// The same for a call whose command is executed already. A failure leaves the origin out, because the caller must
    /// learn of the success.
    pub(super) async fn with_grant_origin(&self, mut call: api::Call) -> api::Call {
        if let Err(error) = self.add_grant_origins(std::slice::from_mut(&mut call)).await {
            tracing::warn!(%error, "the decision that answered a call cannot be read");
        }
        call
    }

    /// Adds to an error, which names an earlier decision by a grant, the origin of that grant. A failure leaves the origin
    /// out, because the caller must learn of the refusal.
    pub(crate) async fn add_origin_of_decision(
        &self,
        thread: &ThreadId,
        outcome: Result<api::Call, GateFailure>,
    ) -> Result<api::Call, GateError> {
        match outcome {
            Ok(call) => Ok(call),
            Err(failure) => Err(self.with_origin_of_decision(thread, failure.into()).await),
        }
    }

    async fn with_origin_of_decision(&self, thread: &ThreadId, mut error: GateError) -> GateError {
        let Some(response) = &mut error.facts.response else { return error };
        let Some(grant) = response.grant else { return error };
        match self.store.responses(&BTreeSet::from([grant])).await {
            Ok(events) => {
                let event = events.iter().find(|event| event.seq == grant && event.thread_id == *thread);
                response.grant_origin = event.and_then(read_grant_origin);
            }
            Err(error) => tracing::warn!(%error, "the decision that answered a call cannot be read"),
        }
        if let Some(origin) = &response.grant_origin {
            let api::GrantOrigin { principal, at, tool_call_id, decision, .. } = origin;
            let answered =
                format!("; {principal} gave this answer at {at}: {} on {tool_call_id}", decision.as_str());
            error.detail.push_str(&answered);
        }
        error
    }
}
