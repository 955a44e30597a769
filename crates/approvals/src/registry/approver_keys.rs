//! The keys of approvers: add and remove. An approver adds its first key alone. A further one needs a proof by an earlier
//! key, so that a thief of its token cannot add one; a person who has lost all keys asks an admin.

use super::AdmissionContext;
use crate::{
    Refused,
    access::{ApproverKeyDirectory, ApproverKeyRecord, TokenDirectory},
    decide::{AcceptedKeys, check_is_person, check_signature},
};
use countersign_events::{
    ApproverKeyAdded, ApproverKeyRemoved, ProofKind, ProofRequirement, Role, Timestamp, id::check_name,
    principal::PrincipalKind,
};
use countersign_policy::KeyRegistrars;
use countersign_proofs::{
    ApproverPublicKey, KeyStatement,
    passkey::{PasskeyPublicKey, is_origin_of},
};

/// The maximum number of keys per person at the same time.
pub const MAX_KEYS: usize = 32;

/// The maximum length of a reason, in bytes.
const MAX_REASON_BYTES: usize = 1_024;

/// A key to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddKeyCommand {
    /// The key.
    pub added: ApproverKeyAdded,
    /// Whether the caller acts as a log administrator.
    pub as_admin: bool,
}

/// Returns true if the log does not have the key yet.
pub(super) fn check_added(
    added: &ApproverKeyAdded,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    let by = context.by;
    check_is_person(by)?;
    if added.approver.kind() != PrincipalKind::User {
        return Err(Refused::NotAnApprover(added.approver.to_string()));
    }
    Refused::check_spelling(&added.approver, tokens)?;
    let key = check_key(added)?;
    let keys = tokens.approver_keys();
    if let Some(earlier) = keys.find(&added.id) {
        let is_repeated = earlier.removed.is_none() && earlier.added.approver == added.approver;
        return if is_repeated {
            Ok(false)
        } else {
            Err(Refused::invalid(
                "publicKey",
                "the log has this key already, of another person or removed; use another key",
            ))
        };
    }
    let is_active = |record: &&ApproverKeyRecord| record.removed.is_none();
    if keys.of_person(&added.approver).filter(is_active).count() >= MAX_KEYS {
        return Err(Refused::invalid(
            "publicKey",
            &format!("a person has up to {MAX_KEYS} keys; remove one first"),
        ));
    }
    if has_credential(keys, &key) {
        let why =
            "the log has a passkey with this credential id already, and signing in could not tell them apart";
        return Err(Refused::invalid("publicKey", why));
    }
    if let Some(token) = &added.token {
        check_sign_in_token(added, token, tokens, context.now)?;
    }
    check_permission(added, &key, keys, context)?;
    Ok(true)
}

/// Checks that the caller may add the key: with a proof by an earlier key, as an administrator, or as the person's first.
fn check_permission(
    added: &ApproverKeyAdded,
    key: &ApproverPublicKey,
    keys: &ApproverKeyDirectory,
    context: &AdmissionContext<'_>,
) -> Result<(), Refused> {
    let statement =
        KeyStatement { log: context.log, approver: &added.approver, key_hash: key.hash() }.statement();
    match &added.proof {
        Some(proof) => {
            let accepted = AcceptedKeys { keys, registered_at: added.web_origin.as_deref() };
            check_signature(&accepted, &added.approver, proof, &statement)
        }
        None if context.as_admin => Ok(()),
        None if *context.by != added.approver => {
            Err(Refused::AdminRequired { why: "only an admin adds keys of other people" })
        }
        None if context.policy.key_registrars() == KeyRegistrars::Admins => {
            Err(Refused::AdminRequired { why: "the policy lets only admins add keys of approvers" })
        }
        None if keys.of_person(&added.approver).next().is_none() => Ok(()),
        None => {
            let statement = statement.as_str().to_owned();
            Err(Refused::ProofRequired { needs: ProofRequirement::Any, statement })
        }
    }
}

/// Returns true if the key is a passkey whose credential id another key has, including removed keys.
fn has_credential(keys: &ApproverKeyDirectory, key: &ApproverPublicKey) -> bool {
    let id = |key: &ApproverPublicKey| key.passkey().map(PasskeyPublicKey::credential_id);
    let Some(wanted) = id(key) else { return false };
    keys.records().any(|record| record.public_key.as_ref().and_then(id).as_ref() == Some(&wanted))
}

/// Checks that the event says about the key what is true of it.
fn check_key(added: &ApproverKeyAdded) -> Result<ApproverPublicKey, Refused> {
    let key = ApproverPublicKey::parse(added.kind, &added.public_key)
        .map_err(|why| Refused::invalid("publicKey", &why.to_string()))?;
    if key.to_string() != added.public_key || key.id() != added.id {
        return Err(Refused::invalid("publicKey", "it is not in its usual form, or it has another id"));
    }
    if let Some(name) = &added.name {
        check_name(name).map_err(|why| Refused::invalid("name", &why.to_string()))?;
    }
    let is_of_site = |origin| key.passkey().is_some_and(|key| is_origin_of(origin, key.relying_party()));
    if added.web_origin.as_deref().is_some_and(|origin| !is_of_site(origin)) {
        return Err(Refused::invalid("webOrigin", "it is no origin of the site of a passkey"));
    }
    Ok(key)
}

/// A passkey signs in with the rights of its registration token.
fn check_sign_in_token(
    added: &ApproverKeyAdded,
    token: &str,
    tokens: &TokenDirectory,
    now: Timestamp,
) -> Result<(), Refused> {
    let record = tokens.find(token).ok_or(Refused::UnknownToken)?;
    let is_own = record.holder.principal(crate::access::Right::Decide) == added.approver;
    if added.kind != ProofKind::Passkey || !is_own || record.created.role != Role::Approver {
        return Err(Refused::invalid("token", "only a passkey that a person registers for itself signs in"));
    }
    tokens.check(record, now).map_err(Refused::TokenRejected)
}

/// Returns true if the key is not removed yet.
pub(super) fn check_removed(
    removed: &ApproverKeyRemoved,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    let key = tokens.approver_keys().find(&removed.id).ok_or(Refused::UnknownKey)?;
    if removed.reason.as_ref().is_some_and(|reason| reason.len() > MAX_REASON_BYTES) {
        return Err(Refused::invalid("reason", &format!("it is longer than {MAX_REASON_BYTES} bytes")));
    }
    Ok(key.removed.is_none())
}
