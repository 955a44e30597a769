//! Thread settings: grants, mode and tool policies; and the closing of a thread.

use crate::grant_limits::{read_grant_seconds, read_uses};
use crate::{
    CallId, Json, Principal, ThreadId, Timestamp, ToolName,
    commands::{is_false, read_word},
};
use countersign_events::{Decision, Mode, ToolPolicy};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::BTreeMap;

/// A grant: a decision for the session that answers later calls of its thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 3,
        "tool": "bash",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "toolCallId": "call_1",
        "decision": "allow_session",
        "scope": "tool",
        "says": "the whole tool"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// The `seq` of the response that created the grant; it identifies the grant.
    pub seq: i64,
    /// The tool whose calls the grant answers.
    pub tool: ToolName,
    /// The approver who gave the grant.
    pub principal: Principal,
    /// The decision time.
    pub at: Timestamp,
    /// The call on which the approver decided.
    pub tool_call_id: CallId,
    /// `allow_session`, or `deny` for a remembered denial.
    pub decision: Decision,
    /// The scope, which selects the tool's calls: `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// The scope description.
    pub says: String,
    /// The agent whose calls it answers; absent if it answers those of every agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Principal>,
    /// The level at which it was given. It does not answer a request at a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The approver's comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The moment at which it ends; absent if it ends with its thread. The denial of a single call is forgotten then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// The number of calls that it answers in all; absent for any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// The number of calls that it has answered, if `uses` limits them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<u32>,
    /// How the grant ended; absent while it is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<GrantEnd>,
}

/// The end of a grant, after which it answers no more calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "cause": "revoked",
        "principal": "user:ben",
        "at": "2026-01-31T12:30:00.000Z",
        "seq": 9
    }))))]
#[serde(rename_all = "camelCase")]
pub struct GrantEnd {
    /// The cause.
    pub cause: GrantEndCause,
    /// The principal that caused it.
    pub principal: Principal,
    /// The end time.
    pub at: Timestamp,
    /// The event's `seq`.
    pub seq: i64,
}

/// Why a grant ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples("revoked")))]
#[serde(rename_all = "snake_case")]
pub enum GrantEndCause {
    /// A person revoked it.
    Revoked,
    /// Its thread was closed.
    ThreadClosed,
    /// Its time has passed.
    Expired,
    /// It has answered as many calls as it may.
    UsedUp,
    /// A cause that only a newer version knows.
    #[serde(other)]
    Other,
}

/// A grant page of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"grants": [{
        "seq": 3,
        "tool": "bash",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "toolCallId": "call_1",
        "decision": "allow_session",
        "scope": "tool",
        "says": "the whole tool"
    }], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct GrantPage {
    /// The grants, the oldest first.
    pub grants: Vec<Grant>,
    /// The next page's cursor; `null` at the end.
    pub next: Option<i64>,
}

/// New limits for a grant, in place of all that it has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"expiresInSeconds": 3600}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProlongRequest {
    /// How long it lasts from now on, in seconds: up to 30 days. Absent for as long as its thread is open.
    #[serde(default, deserialize_with = "read_grant_seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2_592_000))]
    pub expires_in_seconds: Option<u32>,
    /// The number of calls that it answers in all, with those that it has answered: up to 1,000. Absent for any number.
    #[serde(default, deserialize_with = "read_uses", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000))]
    pub uses: Option<u32>,
}

/// A request to set a thread's mode.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"mode": "auto_deny"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModeRequest {
    /// `interactive` (people decide), `approve_all` or `auto_deny`.
    #[serde(deserialize_with = "read_word")]
    pub mode: Mode,
    /// Whether to set it for a thread that has no events yet. Without it, such a thread is refused, because its name
    /// may be mistyped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub new_thread: bool,
}

/// A thread mode: it answers the calls that people would be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "mode": "auto_deny",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "seq": 6
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadMode {
    /// The thread's id.
    pub thread_id: ThreadId,
    /// The mode.
    pub mode: Mode,
    /// The person who set it; absent if it was never set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
    /// The time at which the mode was set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The `seq` of the event that set the mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
}

/// A request to set a thread's tool policies. Tools that it does not name keep their policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tools": {"bash": "allow", "deploy": "deny"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPoliciesRequest {
    /// The policy of each named tool: `allow`, `require-approval`, `deny`, or `default` to remove the policy.
    #[serde(deserialize_with = "unique_policies")]
    #[cfg_attr(feature = "openapi", schema(schema_with = policies_schema))]
    pub tools: BTreeMap<ToolName, ToolPolicy>,
    /// Whether to set them for a thread that has no events yet. Without it, such a thread is refused, because its name
    /// may be mistyped.
    #[serde(default, skip_serializing_if = "is_false")]
    pub new_thread: bool,
}

/// The tool policies of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "tools": [{
        "tool": "bash",
        "policy": "allow",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "seq": 7
    }]}))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadPolicies {
    /// The thread's id.
    pub thread_id: ThreadId,
    /// The policies, sorted by the tool's name.
    pub tools: Vec<ThreadToolPolicy>,
}

/// The thread's own policy for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "tool": "bash",
        "policy": "allow",
        "principal": "user:ada",
        "at": "2026-01-31T12:00:02.000Z",
        "seq": 7
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadToolPolicy {
    /// The tool's name.
    pub tool: ToolName,
    /// The thread policy for the tool.
    pub policy: ToolPolicy,
    /// The person who set the policy.
    pub principal: Principal,
    /// The time at which the policy was set.
    pub at: Timestamp,
    /// The `seq` of the event that set the policy.
    pub seq: i64,
}

/// The report of closing a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "closedAt": "2026-01-31T13:00:00.000Z",
        "principal": "agent:builder",
        "cancelled": ["call_2"]
    }))))]
#[serde(rename_all = "camelCase")]
pub struct CloseReport {
    /// The thread's id.
    pub thread_id: ThreadId,
    /// The time at which the thread was closed.
    pub closed_at: Timestamp,
    /// The principal that closed the thread.
    pub principal: Principal,
    /// The ids of the calls that the close cancelled.
    pub cancelled: Vec<CallId>,
}

/// Creates the schema of policies by tool, with the pattern of tool names.
#[cfg(feature = "openapi")]
fn policies_schema() -> utoipa::openapi::schema::Object {
    use utoipa::PartialSchema;

    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::Type::Object)
        .property_names(Some(ToolName::schema()))
        .additional_properties(Some(ToolPolicy::schema()))
        .build()
}

/// Reads policies by tool. Fails if a policy is unknown or a tool is given twice.
fn unique_policies<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<ToolName, ToolPolicy>, D::Error> {
    struct ToolPolicyWords;

    impl<'de> de::Visitor<'de> for ToolPolicyWords {
        type Value = BTreeMap<ToolName, ToolPolicy>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object of policies by tool")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut policies = BTreeMap::new();
            while let Some((tool, policy)) = map.next_entry::<ToolName, String>()? {
                let policy = policy.parse().map_err(de::Error::custom)?;
                if policies.insert(tool.clone(), policy).is_some() {
                    return Err(de::Error::custom(format_args!("the tool {tool} is given twice")));
                }
            }
            Ok(policies)
        }
    }

    deserializer.deserialize_map(ToolPolicyWords)
}
