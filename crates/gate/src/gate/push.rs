//! Operations for notifications: devices, the calls that they are about, and the delivery lease.

use super::EmbeddedGate;
use crate::{CheckedDevice, GateFailure, NotifiedCall, PushTransport};
use countersign_api as api;
use countersign_events::{EventType, Principal, Timestamp, WebhookTopic};
use countersign_store::{EventFilter, EventFollower, LeaseTask, LeasedTask, TaskLease};
use std::sync::Arc;

impl EmbeddedGate {
    /// Returns a gate that registers devices for notifications.
    #[must_use]
    pub fn with_push(&self, transport: Arc<dyn PushTransport>) -> Self {
        Self { push: Some(transport), ..self.clone() }
    }

    /// Lists the devices of a person, and the server's public key; those of every person for `None`.
    pub fn list_push_devices(&self, person: Option<&Principal>) -> Result<api::PushDeviceList, GateFailure> {
        self.service.push_devices(self.push.as_deref(), person)
    }

    /// Registers a device of this gate's principal under its session or token, or changes its settings.
    pub async fn set_push_device(
        &self,
        request: &api::PushDeviceRequest,
        token: Option<String>,
    ) -> Result<api::PushDevice, GateFailure> {
        self.service.set_push_device(&self.by, self.push.as_deref(), request, token).await
    }

    /// Ends the notifications of a device, as the service.
    pub async fn end_push_device(&self, id: &str, reason: String) -> Result<(), GateFailure> {
        let by = Principal::system("push").into();
        self.service.remove_push_device(&by, id, Some(reason)).await.map(|_| ())
    }

    /// The person whose device this is; `None` if there is no such device.
    #[must_use]
    pub fn owner_of_device(&self, id: &str) -> Option<Principal> {
        self.service
            .tokens
            .with(|directory| directory.push_devices().find(id).map(|device| device.person.clone()))
    }

    /// All devices, each with the person who gets its notifications now.
    #[must_use]
    pub fn checked_devices(&self, is_solo: bool) -> Vec<CheckedDevice> {
        self.service.checked_devices(is_solo)
    }

    /// Follows the events after `after` that may change notifications.
    #[must_use]
    pub fn follow_for_push(&self, after: i64) -> EventFollower {
        use WebhookTopic::{Decided, Escalated, Opened, Voted};
        let of_calls = [Opened, Escalated, Voted, Decided].into_iter().flat_map(WebhookTopic::event_types);
        let types = of_calls
            .copied()
            .chain([EventType::PolicySet, EventType::DelegationSet, EventType::DelegationEnded])
            .collect();
        self.service.store.follow(EventFilter { types, ..EventFilter::default() }, after)
    }

    /// Reads the pending calls for notifications after the request `after` (a `seq`), the oldest first. Returns the next page's
    /// cursor, too; `None` at the end.
    pub async fn pending_for_push(
        &self,
        after: i64,
    ) -> Result<(Vec<NotifiedCall>, Option<i64>), GateFailure> {
        let (policy, now) = (self.service.policy.policy()?, self.clock().now());
        let page = self.service.store.pending(&EventFilter::default(), after, api::MAX_PAGE).await?;
        let delegations = self
            .service
            .tokens
            .with(|directory| (!directory.delegations().is_empty()).then(|| Arc::new(directory.clone())));
        let notified =
            |call| NotifiedCall::new(call, Arc::clone(&policy), delegations.as_ref().map(Arc::clone), now);
        let calls = page.items.into_iter().map(notified);
        Ok((calls.collect(), page.next))
    }

    /// Takes or keeps the right to send notifications, and writes the state unless it is `None`. Returns the lease and the state
    /// that apply afterwards; another server may have the lease.
    pub async fn hold_push(
        &self,
        holder: &str,
        until: Timestamp,
        state: Option<String>,
    ) -> Result<LeasedTask, GateFailure> {
        let lease = TaskLease { task: LeaseTask::Push, holder: holder.to_owned(), until };
        Ok(self.service.store.hold_lease(&lease, state, self.clock().now()).await?)
    }
}
