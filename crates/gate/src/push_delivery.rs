//! What a gate offers to the crate that sends notifications: devices, pending calls, the delivery lease, and the record of
//! devices that are gone.

use crate::{GateFailure, view::view_call};
use async_trait::async_trait;
use countersign_api as api;
use countersign_approvals::{
    Call, CommandEvidence, Refused, Thread,
    access::{DeviceRejection, PushDeviceRecord, Right, TokenDirectory, TokenHolder},
    decide::{DecisionContext, may_allow_in_notification, may_answer},
};
use countersign_events::Timestamp;
use countersign_policy::Policy;
use std::sync::Arc;

/// Seals the addresses of devices, and knows the server's public key.
#[async_trait]
pub trait PushTransport: Send + Sync {
    /// The public key with which browsers subscribe. Makes the key pair on first use.
    fn public_key(&self) -> Result<String, Refused>;

    /// Checks a device's address and keys, and seals them. Fails if the address is not permitted.
    async fn prepare(&self, request: &api::PushDeviceRequest) -> Result<PreparedDevice, Refused>;
}

/// A device that can be registered.
pub struct PreparedDevice {
    /// Its id.
    pub id: String,
    /// The scheme, host and port of its push service.
    pub host: String,
    /// Its address and keys, sealed.
    pub sealed: String,
}

/// A device, and for whom it gets notifications now.
#[derive(Debug, Clone)]
pub struct CheckedDevice {
    /// The device.
    pub device: Arc<PushDeviceRecord>,
    /// Its person, or the reason why it gets none.
    pub holder: Result<Arc<TokenHolder>, DeviceRejection>,
}

/// A pending call, for notifications about it.
#[derive(Debug, Clone)]
pub struct NotifiedCall {
    /// The call.
    pub call: api::Call,
    /// Whether a notification may offer to allow it.
    pub may_allow: bool,
    state: Call,
    policy: Arc<Policy>,
    /// The delegations between people; `None` if there are none.
    delegations: Option<Arc<TokenDirectory>>,
    now: Timestamp,
}

impl NotifiedCall {
    pub(crate) fn new(
        state: Call,
        policy: Arc<Policy>,
        delegations: Option<Arc<TokenDirectory>>,
        now: Timestamp,
    ) -> Self {
        let may_allow = may_allow_in_notification(&state, &policy);
        Self { call: view_call(&state, now), may_allow, state, policy, delegations, now }
    }

    /// Returns true if this person may answer the call, perhaps in another person's place, and has not voted on it.
    #[must_use]
    pub fn concerns(&self, holder: &TokenHolder) -> bool {
        self.is_for(holder, self.delegations.as_deref())
    }

    /// Returns true if this person may answer the call as themselves, which is how a notification decides.
    #[must_use]
    pub fn is_own(&self, holder: &TokenHolder) -> bool {
        self.is_for(holder, None)
    }

    fn is_for(&self, holder: &TokenHolder, delegations: Option<&TokenDirectory>) -> bool {
        let caller = holder.caller(Right::Decide);
        let (thread, evidence) = (Thread::default(), CommandEvidence::NotNeeded);
        let context = DecisionContext {
            delegations,
            ..DecisionContext::new(&self.call.thread_id, &thread, &caller, &self.policy, &evidence, self.now)
        };
        holder.may(Right::Decide)
            && holder.threads.admits(&self.call.thread_id)
            && may_answer(&self.state, &context)
    }
}

/// Fails in a program that sends no notifications.
pub(crate) fn require_push(transport: Option<&dyn PushTransport>) -> Result<&dyn PushTransport, GateFailure> {
    transport
        .ok_or_else(|| GateFailure::invalid("device", &"this program sends no notifications; use a server"))
}
