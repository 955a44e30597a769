//! The log's policy: the active one, and a request to activate another one.

use crate::{Principal, Sha256, Timestamp, object::read_objects};
use countersign_events::PolicyLayer;
use serde::{Deserialize, Serialize};

/// The active policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 1,
        "at": "2026-01-31T12:00:00.000Z",
        "principal": "system:countersign",
        "hash": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51",
        "source": "shipped",
        "text": "default = \"ask\"\n"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct PolicyInForce {
    /// The position of its `POLICY_SET` event in the log; 0 if the log has no such event and cannot be written. Then
    /// this is the policy that the next writing process activates.
    pub seq: i64,
    /// The time since which it is active; the response time if the log has no policy.
    pub at: Timestamp,
    /// The principal that activated it.
    pub principal: Principal,
    /// The policy hash, which requests and responses under this policy carry.
    pub hash: Sha256,
    /// Where its files came from, for people.
    pub source: String,
    /// The text of its main file, TOML.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read_objects")]
    pub layers: Vec<PolicyLayer>,
}

/// A request to activate a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "text": "default = \"ask\"\n",
        "source": "policy.toml",
        "replaces": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyRequest {
    /// The text of its main file, TOML.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read_objects")]
    pub layers: Vec<PolicyLayer>,
    /// Where the files came from, for people.
    pub source: String,
    /// The hash of the active policy that this one replaces. If another one is active by then, the request is refused,
    /// so that no policy is replaced unseen.
    pub replaces: Sha256,
}
