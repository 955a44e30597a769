//! The policy of the log: the one in force, and a request to put another in force.

use crate::{Principal, Sha256, Timestamp, object::read_objects};
use countersign_events::event::PolicyLayer;
use serde::{Deserialize, Serialize};

/// The policy in force.
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
    /// The position of its `POLICY_SET` event in the log; 0 if the log has no such event and cannot be written. Then this
    /// is the policy that the next process that writes puts in force.
    pub seq: i64,
    /// The time since which it is in force; the time of the answer if the log has no policy.
    pub at: Timestamp,
    /// The principal that put it in force.
    pub principal: Principal,
    /// The hash of its texts, which the requests and responses of this policy carry.
    pub hash: Sha256,
    /// The place that its texts came from, for people.
    pub source: String,
    /// The text of its main file, TOML.
    pub text: String,
    /// The files of `policy.d`, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "read_objects")]
    pub layers: Vec<PolicyLayer>,
}

/// A request to put a policy in force.
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
    /// The place that the texts came from, for people.
    pub source: String,
    /// The hash of the policy in force that this one replaces. If another one is in force by then, the request is
    /// refused, so that no policy is replaced unseen.
    pub replaces: Sha256,
}
