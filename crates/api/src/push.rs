//! The devices that get notifications of a person.

use crate::{Principal, Timestamp};
use countersign_events::QuietHours;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The keys of a push subscription, as a browser made it (RFC 8291).
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg"
}))))]
#[serde(deny_unknown_fields)]
pub struct PushKeys {
    /// The device's public key on the curve P-256, in base64url.
    #[cfg_attr(feature = "openapi", schema(max_length = 128))]
    pub p256dh: String,
    /// The secret that the device shares with this server alone, in base64url.
    #[cfg_attr(feature = "openapi", schema(max_length = 64))]
    pub auth: String,
}

/// The hours in which a device shall be left alone, by the clock of its person. They may go over midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"startMinute": 1320, "endMinute": 420, "utcOffsetMinutes": 60}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuietHoursRequest {
    /// The start, in minutes after midnight.
    #[cfg_attr(feature = "openapi", schema(maximum = 1_439))]
    pub start_minute: u16,
    /// The end, in minutes after midnight.
    #[cfg_attr(feature = "openapi", schema(maximum = 1_439))]
    pub end_minute: u16,
    /// How far the person's clock is ahead of UTC, in minutes.
    #[cfg_attr(feature = "openapi", schema(minimum = -960, maximum = 960))]
    pub utc_offset_minutes: i32,
}

impl From<QuietHoursRequest> for QuietHours {
    fn from(request: QuietHoursRequest) -> Self {
        let QuietHoursRequest { start_minute, end_minute, utc_offset_minutes } = request;
        Self { start_minute, end_minute, utc_offset_minutes }
    }
}

/// A device that shall get notifications of the caller, or new settings of one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "name": "phone", "endpoint": "https://push.example.net/send/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg"
    },
    "quiet": {"startMinute": 1320, "endMinute": 420, "utcOffsetMinutes": 60}
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PushDeviceRequest {
    /// A name by which the person knows the device.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 256))]
    pub name: String,
    /// The address of the browser vendor's push service, with its secret.
    #[cfg_attr(feature = "openapi", schema(max_length = 2_048))]
    pub endpoint: String,
    /// The device's keys.
    pub keys: PushKeys,
    /// The hours in which the device gets only escalated requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHoursRequest>,
}

/// Without the address and the keys.
impl fmt::Debug for PushDeviceRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushDeviceRequest")
            .field("name", &self.name)
            .field("quiet", &self.quiet)
            .finish_non_exhaustive()
    }
}

/// A device that gets notifications of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "id": "4cf29611a6693486", "name": "phone", "person": "user:ada", "host": "https://push.example.net",
    "addedAt": "2026-01-31T12:00:00.000Z", "seq": 3, "quiet": {"startMinute": 1320, "endMinute": 420, "utcOffsetMinutes": 60}
}))))]
#[serde(rename_all = "camelCase")]
pub struct PushDevice {
    /// The id: the same for the same subscription of a browser.
    pub id: String,
    /// The name that the person gave it.
    pub name: String,
    /// The person who gets the notifications.
    pub person: Principal,
    /// The scheme, host and port of its push service.
    pub host: String,
    /// When the person registered it.
    pub added_at: Timestamp,
    /// The `seq` of the event that set it last.
    pub seq: i64,
    /// The hours in which it gets only escalated requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
    /// Why it gets no notifications, if it does not: its person has signed out, or may not decide any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

/// The devices that get notifications, and the key of this server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "publicKey": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    "devices": [{
        "id": "4cf29611a6693486", "name": "phone", "person": "user:ada", "host": "https://push.example.net",
        "addedAt": "2026-01-31T12:00:00.000Z", "seq": 3
    }]
}))))]
#[serde(rename_all = "camelCase")]
pub struct PushDeviceList {
    /// The public key with which browsers subscribe (RFC 8292), in base64url. Only this server can then send to them.
    pub public_key: String,
    /// The caller's devices; those of every person for an admin. The oldest first.
    pub devices: Vec<PushDevice>,
}
