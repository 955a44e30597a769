//! The devices that get notifications: a person who may decide registers one, and that person, an administrator or the
//! service removes it.

use super::AdmissionContext;
use crate::{
    Refused,
    access::{PushDeviceRecord, SOLO_MARK, TokenDirectory},
    decide::check_is_person,
};
use countersign_events::{PushDeviceRemoved, PushDeviceSet, id::check_name, principal::PrincipalKind};

/// The maximum number of devices per person.
pub const MAX_DEVICES: usize = 16;

/// The maximum length of sealed content or a reason, in bytes.
const MAX_TEXT_BYTES: usize = 8_192;

/// Returns true if the event changes something.
pub(super) fn check_set(
    set: &PushDeviceSet,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    check_name(&set.name).map_err(|why| Refused::invalid("name", &why.to_string()))?;
    if set.id.len() != 16 || !set.id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Refused::invalid("id", "it must have 16 hexadecimal digits"));
    }
    for (field, text) in [("endpoint", &set.host), ("endpoint", &set.sealed)] {
        if text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return Err(Refused::invalid(field, &format!("it must have 1 to {MAX_TEXT_BYTES} bytes")));
        }
    }
    if set.quiet.is_some_and(|quiet| !quiet.is_valid()) {
        return Err(Refused::invalid("quiet", "use two different minutes of a day, from 0 to 1439"));
    }
    let devices = tokens.push_devices();
    let known = devices.find(&set.id).filter(|known| known.person == *context.by);
    let is_own = |record: &&std::sync::Arc<PushDeviceRecord>| record.person == *context.by;
    if known.is_none() && devices.records().filter(is_own).count() >= MAX_DEVICES {
        let why = format!("a person has up to {MAX_DEVICES} devices; remove one first");
        return Err(Refused::invalid("name", &why));
    }
    if set.token.is_none() && !context.by.as_str().ends_with(SOLO_MARK) {
        return Err(Refused::invalid(
            "token",
            "only a session of this server, or a token, registers a device: notifications end with it",
        ));
    }
    let record = PushDeviceRecord {
        seq: 0,
        set: set.clone(),
        added_at: context.now,
        added_seq: 0,
        person: context.by.clone(),
    };
    let checked = tokens.check_device(&record, true, context.now);
    checked.map_err(|why| Refused::invalid("token", &why.to_string()))?;
    // The seal of the same address differs each time.
    let is_same = |known: &PushDeviceRecord| {
        (&known.set.name, &known.set.token, known.set.quiet) == (&set.name, &set.token, set.quiet)
    };
    Ok(!known.is_some_and(|known| is_same(known)))
}

/// Returns true if the device is not removed yet.
pub(super) fn check_removed(
    removed: &PushDeviceRemoved,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    if context.by.kind() != PrincipalKind::System {
        check_is_person(context.by)?;
    }
    if removed.reason.as_ref().is_some_and(|reason| reason.len() > MAX_TEXT_BYTES) {
        return Err(Refused::invalid("reason", &format!("it is longer than {MAX_TEXT_BYTES} bytes")));
    }
    Ok(tokens.push_devices().find(&removed.id).is_some())
}
