//! The log's policy.

use crate::Sha256;
use serde::{Deserialize, Serialize};

macro_rules! policy_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Policy {
            /// The active policy from here on. It belongs to the log as a whole, not to a thread.
            PolicySet(PolicySet) = "POLICY_SET" {},
        } }
    };
}
pub(super) use policy_events;

/// `POLICY_SET`: the active policy from here on. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicySet {
    /// The main policy file's content.
    pub text: String,
    /// The content of the files in `policy.d`, ordered by file name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<PolicyLayer>,
    /// The policy hash, which this policy's requests and responses carry.
    pub hash: Sha256,
    /// Where the policy came from, for people: a file, `shipped`, or an earlier event.
    pub source: String,
}

/// A further file of a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "name": "policy.d/10-security.toml",
        "text": "[[rule]]\nname = \"no force pushes\"\ntool = \"bash\"\ncommand = \"git push*--force*\"\nverdict = \"block\"\n"
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PolicyLayer {
    /// The file's name, such as `policy.d/10-security.toml`.
    pub name: String,
    /// Its text.
    pub text: String,
}
