//! The keys with which approvers prove their decisions.

use crate::{Principal, Sha256, Timestamp, commands::read_word, object::read_optional_object};
use countersign_events::{DecisionProof, ProofKind};
use serde::{Deserialize, Serialize};

/// The proof that a person made a decision: a signature by a key of that person over the decision's statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "kind": "ssh", "key": "0123456789abcdef",
    "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH…\n-----END SSH SIGNATURE-----\n"
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProofRequest {
    /// The key kind.
    #[serde(deserialize_with = "read_word")]
    pub kind: ProofKind,
    /// The key's id.
    pub key: String,
    /// The output of `ssh-keygen -Y sign -n countersign`, or a passkey signature in base64url.
    pub signature: String,
    /// The authenticator data of a passkey in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authenticator_data: Option<String>,
    /// The client data of a passkey in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_data: Option<String>,
}

impl From<ProofRequest> for DecisionProof {
    fn from(proof: ProofRequest) -> Self {
        let ProofRequest { kind, key, signature, authenticator_data, client_data } = proof;
        Self { kind, key, signature, authenticator_data, client_data }
    }
}

/// A new key of an approver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "kind": "ssh", "name": "laptop",
    "publicKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE6vUdE3OJbyf7V2VbZLJUvbc0KpVyOqYOtKmO4nPPqr"
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproverKeyRequest {
    /// `ssh` or `passkey`.
    pub kind: ProofKind,
    /// The person whose key it is; the caller, if absent. Only an admin names another person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approver: Option<Principal>,
    /// A name by which the person knows the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 256))]
    pub name: Option<String>,
    /// The public key: a `.pub` file line, or `passkey SITE CREDENTIAL KEY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 4_096))]
    pub public_key: Option<String>,
    /// The passkey that a browser has created, instead of `publicKey`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub passkey: Option<PasskeyCreation>,
    /// The proof by an earlier key of the person. A further key needs one, unless an admin adds it.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub proof: Option<ProofRequest>,
}

/// The passkey that a browser has created (`navigator.credentials.create`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"clientData": "eyJ0eXBlIjoi…", "attestation": "o2NmbXRkbm9uZWd…"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PasskeyCreation {
    /// The client data in base64url.
    #[cfg_attr(feature = "openapi", schema(max_length = 16_384))]
    pub client_data: String,
    /// The attestation object in base64url.
    #[cfg_attr(feature = "openapi", schema(max_length = 32_768))]
    pub attestation: String,
}

/// An approver key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "id": "0123456789abcdef", "seq": 7, "kind": "ssh", "approver": "user:ada", "name": "laptop",
    "publicKey": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE6vUdE3OJbyf7V2VbZLJUvbc0KpVyOqYOtKmO4nPPqr",
    "addedAt": "2026-01-31T12:00:00.000Z", "addedBy": "user:ada"
}))))]
#[serde(rename_all = "camelCase")]
pub struct ApproverKey {
    /// The id, which a proof names.
    pub id: String,
    /// The `seq` of the event that added the key.
    pub seq: i64,
    /// `ssh` or `passkey`.
    pub kind: ProofKind,
    /// The person whose key it is.
    pub approver: Principal,
    /// The name that the person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The public key: a `.pub` file line, or `passkey SITE CREDENTIAL KEY`.
    pub public_key: String,
    /// The passkey's credential id in base64url, as a browser names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_id: Option<String>,
    /// When it was added.
    pub added_at: Timestamp,
    /// Who added it.
    pub added_by: Principal,
    /// Who removed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_by: Option<Principal>,
    /// When it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Timestamp>,
    /// The removal's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A page of approver keys, with the log identity that each statement names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "log": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51", "keys": [], "next": null
}))))]
#[serde(rename_all = "camelCase")]
pub struct ApproverKeyPage {
    /// The first event's hash, which identifies the log.
    pub log: Sha256,
    /// The keys, the oldest first.
    pub keys: Vec<ApproverKey>,
    /// The next page's cursor; absent on the last one.
    pub next: Option<i64>,
}

/// The removal of a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"reason": "the laptop was lost"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RemoveKeyRequest {
    /// The reason, which the log keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1_024))]
    pub reason: Option<String>,
}
