//! Thread settings, thread end and thread archive.

use super::{GrantLimit, Mode, ToolPolicy};
use crate::{Sha256, Timestamp, ToolName};
use serde::{Deserialize, Serialize};

macro_rules! thread_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Thread {
            /// A thread's own rule for a tool.
            ToolPolicySet(ToolPolicySet) = "TOOL_POLICY_SET" {},
            /// A standing grant was revoked.
            GrantRevoked(GrantRevoked) = "GRANT_REVOKED" { once_per: ["threadId", "grant"], },
            /// A grant with a number of uses answered a call.
            GrantUsed(GrantUsed) = "GRANT_USED" { once_per: ["threadId", "grant", "use"], },
            /// A grant ended by its own limits.
            GrantEnded(GrantEnded) = "GRANT_ENDED" { once_per: ["threadId", "grant"], },
            /// A person gave a grant new limits.
            GrantProlonged(GrantProlonged) = "GRANT_PROLONGED" {},
            /// How a thread answers what is asked.
            ThreadModeSet(ThreadMode) = "THREAD_MODE_SET" {},
            /// The thread is over.
            ThreadClosed(ThreadClosed) = "THREAD_CLOSED" { once_per: ["threadId"], },
            /// The closed thread's content was moved to an archive file.
            ThreadArchived(ThreadArchived) = "THREAD_ARCHIVED" { once_per: ["threadId"], },
        } }
    };
}
pub(super) use thread_events;

/// `TOOL_POLICY_SET`: a thread rule for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPolicySet {
    /// The tool.
    pub tool: ToolName,
    /// The tool's policy in this thread.
    pub policy: ToolPolicy,
    /// The level that it takes to loosen it, if it restricts the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// `GRANT_REVOKED`: a standing grant was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRevoked {
    /// The `seq` of the response that gave it.
    pub grant: i64,
}

/// `GRANT_USED`: a grant that answers a number of calls has answered one. The response is the row before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantUsed {
    /// The `seq` of the response that gave it.
    pub grant: i64,
    /// How many calls it has answered with this one: 1, 2, 3, ….
    #[serde(rename = "use")]
    pub number: u32,
}

/// `GRANT_ENDED`: a grant's time has passed, or it has answered as many calls as it may. What it allowed before may still start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantEnded {
    /// The `seq` of the response that gave it.
    pub grant: i64,
    /// Which limit it reached.
    pub limit: GrantLimit,
}

/// `GRANT_PROLONGED`: a person gave a grant new limits, in place of all that it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantProlonged {
    /// The `seq` of the response that gave it.
    pub grant: i64,
    /// When it ends; absent if it has no end but that of its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// How many calls it may answer, with those that it has answered; absent for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
}

/// `THREAD_MODE_SET`: how the thread answers what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadMode {
    /// The mode.
    pub mode: Mode,
    /// The level that it takes to end it, if it denies calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// `THREAD_CLOSED`: the thread is over. It has nothing more to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadClosed {}

/// `THREAD_ARCHIVED`: a closed thread's content was moved to an archive file, which was complete and on disk before.
/// The thread's rows up to `through` have their [sealed form](crate::sealed) from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadArchived {
    /// The archive file's name, without its folder.
    pub file: String,
    /// The archive's digest, which covers all its events. See [`ArchiveDigest`](crate::proven::ArchiveDigest).
    pub digest: Sha256,
    /// The number of events of the thread in the archive.
    pub events: u64,
    /// The last archived event's `seq`.
    pub through: i64,
}
