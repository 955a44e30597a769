//! The claims whose outcome is not known yet. If a lease ends without a result, the log has no event for it, so a webhook
//! keeps the time itself.

use countersign_api as api;
use countersign_events::{Body, CallState, Event, ExecutionStarted, Timestamp};
use countersign_gate::OpenClaim;
use std::{collections::BTreeMap, time::Duration};

/// The most claims that are kept. If more calls run at the same time, messages about the oldest claims are not sent.
const MAX_CLAIMS: usize = 5_000;

/// The pause before another look at a lease that ends now.
const PAUSE: Duration = Duration::from_secs(1);

/// The open claims, by their `seq`.
#[derive(Debug, Default)]
pub(crate) struct OpenClaims {
    claims: BTreeMap<i64, OpenClaim>,
}

impl OpenClaims {
    pub(crate) fn restore(claims: &[OpenClaim]) -> Self {
        Self { claims: claims.iter().map(|claim| (claim.seq, claim.clone())).collect() }
    }

    /// Returns true if the event is about a claim or its end.
    pub(crate) fn concern(body: &Body) -> bool {
        matches!(body, Body::ExecutionStarted(_) | Body::ExecutionTakenOver(_) | Body::ToolResult(_))
    }

    /// Adds a claim, or removes one that has ended.
    pub(crate) fn note(&mut self, event: &Event, body: &Body) {
        let started: &ExecutionStarted = match body {
            Body::ExecutionStarted(started) => started,
            Body::ExecutionTakenOver(taken) => &taken.started,
            Body::ToolResult(result) => {
                self.claims
                    .retain(|_, claim| claim.call != result.tool_call_id || claim.thread != event.thread_id);
                return;
            }
            _ => return,
        };
        let Some(ends_at) = started.lease_expires_at else { return };
        if self.claims.len() >= MAX_CLAIMS {
            self.claims.pop_first();
        }
        let (thread, call) = (event.thread_id.clone(), started.tool_call_id.clone());
        self.claims.insert(event.seq, OpenClaim { seq: event.seq, thread, call, ends_at });
    }

    /// The claims whose lease is known to have ended.
    pub(crate) fn ended(&self, now: Timestamp) -> Vec<OpenClaim> {
        self.claims.values().filter(|claim| claim.ends_at <= now).cloned().collect()
    }

    /// Compares a claim with its call's state. Returns true if the outcome is unknown. A claim that was renewed ends
    /// later, and one that is settled is forgotten.
    pub(crate) fn check(&mut self, claim: &OpenClaim, call: Option<&api::Call>, now: Timestamp) -> bool {
        let execution = call.and_then(|call| call.execution.as_ref());
        let Some(execution) = execution.filter(|execution| execution.seq == claim.seq) else {
            self.forget(claim.seq);
            return false;
        };
        match call.map(|call| call.state) {
            Some(CallState::Unknown) => true,
            Some(CallState::Running) => {
                let ends_at = execution.lease_expires_at.unwrap_or(claim.ends_at).max(now.after(PAUSE));
                self.claims.insert(claim.seq, OpenClaim { ends_at, ..claim.clone() });
                false
            }
            _ => {
                self.forget(claim.seq);
                false
            }
        }
    }

    /// Removes a claim.
    pub(crate) fn forget(&mut self, seq: i64) {
        self.claims.remove(&seq);
    }

    /// The next end of a lease after `now`.
    pub(crate) fn next_end(&self, now: Timestamp) -> Option<Timestamp> {
        self.claims.values().map(|claim| claim.ends_at).filter(|end| *end > now).min()
    }

    /// All claims.
    pub(crate) fn all(&self) -> Vec<OpenClaim> {
        self.claims.values().cloned().collect()
    }
}
