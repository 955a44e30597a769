//! The authenticator data (WebAuthn, section 6.1).

use super::cbor::CborValue;
use crate::BadProof;
use ring::digest;

/// A person touched the authenticator.
const USER_PRESENT: u8 = 0x01;
/// The authenticator checked who it is, by a PIN, a finger or a face.
const USER_VERIFIED: u8 = 0x04;
/// The passkey may be copied to other devices.
const BACKUP_ELIGIBLE: u8 = 0x08;
/// The passkey was copied to other devices.
const BACKED_UP: u8 = 0x10;
/// A new credential follows.
const HAS_CREDENTIAL: u8 = 0x40;
/// Extensions follow, at the end.
const HAS_EXTENSIONS: u8 = 0x80;

/// The bytes before a new credential: the relying party hash, the flags and the counter.
const HEAD_BYTES: usize = 37;

/// Checks the relying party and the flags: a person was present and verified.
pub(super) fn check_head(data: &[u8], relying_party: &str) -> Result<(), BadProof> {
    let too_short = || BadProof::new("the authenticator data is too short");
    let head = data.get(..HEAD_BYTES).ok_or_else(too_short)?;
    let expected = digest::digest(&digest::SHA256, relying_party.as_bytes());
    if head[..32] != *expected.as_ref() {
        return Err(BadProof::new("the passkey was used for another site"));
    }
    let flags = head[32];
    if flags & USER_PRESENT == 0 {
        return Err(BadProof::new("nobody touched the authenticator"));
    }
    if flags & USER_VERIFIED == 0 {
        return Err(BadProof::new(
            "the authenticator did not verify the person by a PIN, a finger or a face",
        ));
    }
    if flags & (BACKUP_ELIGIBLE | BACKED_UP) == BACKED_UP {
        return Err(BadProof::new(
            "the authenticator data says that a passkey that cannot be copied was copied",
        ));
    }
    Ok(())
}

/// Checks what follows the parts that are read: nothing, or the extensions that the flags announce.
pub(super) fn check_end(data: &[u8], rest: &[u8]) -> Result<(), BadProof> {
    let has_extensions = data.get(32).is_some_and(|flags| flags & HAS_EXTENSIONS != 0);
    let is_whole = if has_extensions {
        matches!(CborValue::read(rest), Some((CborValue::Map(_), [])))
    } else {
        rest.is_empty()
    };
    if is_whole {
        Ok(())
    } else {
        Err(BadProof::new("the authenticator data has another end than its flags say"))
    }
}

/// Checks the end of assertion authenticator data, which has no new credential.
pub(super) fn check_assertion_end(data: &[u8]) -> Result<(), BadProof> {
    check_end(data, data.get(HEAD_BYTES..).unwrap_or_default())
}

/// The new credential's id and the bytes from its public key on.
pub(super) fn new_credential(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let has_credential = data.get(32)? & HAS_CREDENTIAL != 0;
    // The authenticator's model, 16 bytes, means nothing without attestation.
    let rest = data.get(HEAD_BYTES + 16..).filter(|_| has_credential)?;
    let (length, rest) = rest.split_at_checked(2)?;
    rest.split_at_checked(usize::from(u16::from_be_bytes([length[0], length[1]])))
}

/// The client data's SHA-256, which a signature covers after the authenticator data.
pub(super) fn signed_bytes(data: &[u8], client_data: &[u8]) -> Vec<u8> {
    let hash = digest::digest(&digest::SHA256, client_data);
    [data, hash.as_ref()].concat()
}
