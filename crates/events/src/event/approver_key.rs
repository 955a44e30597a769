//! The keys with which people prove their decisions, and the proofs.

use super::ProofKind;
use crate::Principal;
use serde::{Deserialize, Serialize};

/// `APPROVER_KEY_ADDED`: signatures by this key prove decisions of this person from here on. It belongs to the log as a
/// whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApproverKeyAdded {
    /// The id: the first 16 hexadecimal digits of the SHA-256 of the key.
    pub id: String,
    /// Whether it is an SSH key or a passkey.
    pub kind: ProofKind,
    /// The person whose key it is.
    pub approver: Principal,
    /// The name that the person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The public key: the line of a `.pub` file, or `passkey SITE CREDENTIAL KEY`.
    pub public_key: String,
    /// The id of the token under which the person registered a passkey. Signing in with the passkey gives its rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The origin of the page on which the passkey was registered. The server has checked that it is one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_origin: Option<String>,
    /// The proof by an earlier key of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DecisionProof>,
}

/// `APPROVER_KEY_REMOVED`: signatures by this key prove nothing from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApproverKeyRemoved {
    /// The id of the key.
    pub id: String,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The proof that a person made a decision: a signature by a key of that person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "kind": "ssh", "key": "0123456789abcdef",
    "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH…\n-----END SSH SIGNATURE-----\n"
}))))]
#[serde(rename_all = "camelCase")]
pub struct DecisionProof {
    /// The kind of the key.
    pub kind: ProofKind,
    /// The id of the key.
    pub key: String,
    /// The output of `ssh-keygen -Y sign`, or the signature of a passkey in base64url.
    pub signature: String,
    /// The authenticator data of a passkey in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authenticator_data: Option<String>,
    /// The client data of a passkey in base64url: the JSON that the browser signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_data: Option<String>,
}
