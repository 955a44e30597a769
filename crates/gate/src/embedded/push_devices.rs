//! The devices that get notifications: list, set and remove.

use super::EmbeddedService;
use crate::{
    CheckedDevice, GateFailure, PushTransport,
    push_delivery::{PreparedDevice, require_push},
    view::view_push_device,
};
use countersign_api as api;
use countersign_approvals::{CommandCaller, LogCommand, Refused, access::PushDeviceRecord};
use countersign_events::{Body, Principal, PushDeviceRemoved, PushDeviceSet};
use std::sync::Arc;

impl EmbeddedService {
    /// All devices that are not removed, each with the person who gets its notifications now.
    pub(crate) fn checked_devices(&self, is_solo: bool) -> Vec<CheckedDevice> {
        let now = self.store.clock().now();
        self.tokens.with(|directory| {
            let check = |device: &Arc<PushDeviceRecord>| CheckedDevice {
                holder: directory.check_device(device, is_solo, now),
                device: Arc::clone(device),
            };
            directory.push_devices().records().map(check).collect()
        })
    }

    /// Lists the devices of a person; `None` for all.
    pub(crate) fn push_devices(
        &self,
        transport: Option<&dyn PushTransport>,
        person: Option<&Principal>,
    ) -> Result<api::PushDeviceList, GateFailure> {
        let public_key = require_push(transport)?.public_key()?;
        let checked = self.checked_devices(true);
        let own =
            checked.iter().filter(|checked| person.is_none_or(|person| checked.device.person == *person));
        let mut devices: Vec<_> = own.map(view_push_device).collect();
        devices.sort_by_key(|device| (device.added_at, device.seq));
        Ok(api::PushDeviceList { public_key, devices })
    }

    /// Registers a device under the caller's token, or changes its settings.
    pub(crate) async fn set_push_device(
        &self,
        by: &CommandCaller,
        transport: Option<&dyn PushTransport>,
        request: &api::PushDeviceRequest,
        token: Option<String>,
    ) -> Result<api::PushDevice, GateFailure> {
        let PreparedDevice { id, host, sealed } = require_push(transport)?.prepare(request).await?;
        let (name, quiet) = (request.name.clone(), request.quiet.map(Into::into));
        let set = PushDeviceSet { id: id.clone(), name, host, sealed, token, quiet };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::PushDeviceSet(set)])).await?;
        self.find_push_device(&id)
    }

    pub(crate) async fn remove_push_device(
        &self,
        by: &CommandCaller,
        id: &str,
        reason: Option<String>,
    ) -> Result<api::PushDevice, GateFailure> {
        let removed = self.find_push_device(id)?;
        let event = PushDeviceRemoved { id: id.to_owned(), reason };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::PushDeviceRemoved(event)])).await?;
        Ok(removed)
    }

    fn find_push_device(&self, id: &str) -> Result<api::PushDevice, GateFailure> {
        let found = self.checked_devices(true).into_iter().find(|checked| checked.device.set.id == id);
        found.as_ref().map(view_push_device).ok_or_else(|| Refused::UnknownDevice.into())
    }
}
