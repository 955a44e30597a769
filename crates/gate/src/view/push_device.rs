//! A device that gets notifications, as the API shows it.

use crate::CheckedDevice;
use countersign_api as api;

pub(crate) fn view_push_device(CheckedDevice { device, holder }: &CheckedDevice) -> api::PushDevice {
    api::PushDevice {
        id: device.set.id.clone(),
        name: device.set.name.clone(),
        person: device.person.clone(),
        host: device.set.host.clone(),
        added_at: device.added_at,
        seq: device.seq,
        quiet: device.set.quiet,
        trouble: holder.as_ref().err().map(ToString::to_string),
    }
}
