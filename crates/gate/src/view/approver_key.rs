//! Keys of approvers in API types.

use countersign_api as api;
use countersign_approvals::access::ApproverKeyRecord;
use countersign_proofs::{ApproverPublicKey, passkey::PasskeyPublicKey};

/// The API type of a key.
pub(crate) fn view_approver_key(record: &ApproverKeyRecord) -> api::ApproverKey {
    let (added, removed) = (&record.added, record.removed.clone());
    let passkey = record.public_key.as_ref().and_then(ApproverPublicKey::passkey);
    api::ApproverKey {
        id: added.id.clone(),
        seq: record.seq,
        kind: added.kind,
        approver: added.approver.clone(),
        name: added.name.clone(),
        public_key: added.public_key.clone(),
        credential_id: passkey.map(PasskeyPublicKey::credential_id),
        added_at: record.added_at,
        added_by: record.added_by.clone(),
        removed_by: removed.as_ref().map(|(by, ..)| by.clone()),
        removed_at: removed.as_ref().map(|(_, at, _)| *at),
        reason: removed.and_then(|(.., reason)| reason),
    }
}
