//! The client data: what the browser says about a ceremony (WebAuthn, section 5.8.1).

use super::public_key::is_origin_of;
use crate::{
    BadProof,
    base64url::{decode_url, encode_url},
};
use serde::Deserialize;

/// The longest client data, in bytes. Browsers write about 200.
const MAX_BYTES: usize = 4_096;

/// The purpose of a ceremony.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ceremony {
    Create,
    Get,
}

/// What the browser says. Other members may follow.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// Checks the client data, which is JSON: its purpose, its challenge and the page origin.
pub(super) fn check_client_data(
    bytes: &[u8],
    ceremony: Ceremony,
    challenge: &[u8],
    relying_party: &str,
) -> Result<(), BadProof> {
    let data = read(bytes)?;
    let purpose = if ceremony == Ceremony::Create { "webauthn.create" } else { "webauthn.get" };
    if data.r#type != purpose {
        return Err(BadProof::new(format!("the passkey was used for another purpose than {purpose}")));
    }
    if data.challenge != encode_url(challenge) {
        return Err(BadProof::new("the passkey signed another challenge than the one of this statement"));
    }
    if data.cross_origin || !is_origin_of(&data.origin, relying_party) {
        return Err(BadProof::new(format!("the passkey was used on a page that is not of {relying_party}")));
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Result<ClientData, BadProof> {
    if bytes.len() > MAX_BYTES {
        return Err(BadProof::new(format!("the client data is longer than {MAX_BYTES} bytes")));
    }
    serde_json::from_slice(bytes)
        .map_err(|_| BadProof::new("the client data is not the JSON that browsers write"))
}

/// The origin and the challenge in the client data, which is base64url here. They prove nothing until the assertion is
/// checked.
pub fn read_origin(client_data: &str) -> Result<(String, Vec<u8>), BadProof> {
    let data =
        read(&decode_url(client_data).ok_or_else(|| BadProof::new("the client data is not base64url"))?)?;
    let challenge = decode_url(&data.challenge);
    Ok((data.origin, challenge.ok_or_else(|| BadProof::new("the challenge is not base64url"))?))
}
