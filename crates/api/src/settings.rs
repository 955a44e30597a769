//! The settings of a thread: its grants, its mode, its own policies, and its end.

use crate::{CallId, Json, Principal, ThreadId, Timestamp, ToolName, commands::word};
use countersign_events::event::{Decision, Mode, ToolPolicy};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::BTreeMap;

/// A standing grant.
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
    /// The `seq` of the response that gave it, which is its name.
    pub seq: i64,
    /// The tool it is for.
    pub tool: ToolName,
    /// Who gave it.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// On which call.
    pub tool_call_id: CallId,
    /// `allow_session`, or `deny` where a denial is remembered.
    pub decision: Decision,
    /// Which calls of the tool it answers: `"exact"`, `"tool"` or a pattern.
    #[serde(rename = "scope")]
    pub scope: Json,
    /// That in words.
    pub says: String,
    /// The agent whose calls it answers; absent if it answers those of every agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Principal>,
    /// The level it was given at: it answers no question that asks for a higher one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The standing grants of a thread.
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
    /// The cursor of the next page; `null` at the end.
    pub next: Option<i64>,
}

/// Have a thread answer what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"mode": "auto_deny"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModeRequest {
    /// `interactive` (people decide), `approve_all` or `auto_deny`.
    #[serde(deserialize_with = "word")]
    pub mode: Mode,
}

/// How a thread answers what is asked.
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
    /// The thread.
    pub thread_id: ThreadId,
    /// Its mode.
    pub mode: Mode,
    /// The person who set it; absent if it was never set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Principal>,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// By which event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
}

/// Give tools policies of the thread's own. Tools that are not named keep what they have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tools": {"bash": "allow", "deploy": "deny"}}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPoliciesRequest {
    /// By tool: `allow`, `require-approval`, `deny`, or `default` to take an own policy away.
    #[serde(deserialize_with = "words")]
    #[cfg_attr(feature = "openapi", schema(schema_with = policies))]
    pub tools: BTreeMap<ToolName, ToolPolicy>,
}

/// The own policies of a thread.
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
    /// The thread.
    pub thread_id: ThreadId,
    /// Its policies, in the order of the tools' names.
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
    /// The tool.
    pub tool: ToolName,
    /// The thread's policy for the tool.
    pub policy: ToolPolicy,
    /// Who said so.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// By which event.
    pub seq: i64,
}

/// A thread that is over.
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
    /// The thread.
    pub thread_id: ThreadId,
    /// When it was closed.
    pub closed_at: Timestamp,
    /// Who closed it.
    pub principal: Principal,
    /// The calls that this cancelled.
    pub cancelled: Vec<CallId>,
}

/// Policies by tool, whose names are checked as everywhere.
#[cfg(feature = "openapi")]
fn policies() -> utoipa::openapi::schema::Object {
    use utoipa::PartialSchema;

    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::Type::Object)
        .property_names(Some(ToolName::schema()))
        .additional_properties(Some(ToolPolicy::schema()))
        .build()
}

/// Reads words that must be known, by tool; a tool that stands twice is as wrong as a slip.
fn words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<ToolName, ToolPolicy>, D::Error> {
    struct ToolPolicyWords;

    impl<'de> de::Visitor<'de> for ToolPolicyWords {
        type Value = BTreeMap<ToolName, ToolPolicy>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object of policies by tool")
        }

        fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut words = BTreeMap::new();
            while let Some((tool, policy)) = map.next_entry::<ToolName, String>()? {
                let policy = policy.parse().map_err(de::Error::custom)?;
                if words.insert(tool.clone(), policy).is_some() {
                    return Err(de::Error::custom(format_args!("the tool {tool} stands twice")));
                }
            }
            Ok(words)
        }
    }

    deserializer.deserialize_map(ToolPolicyWords)
}
