//! What each type of event says, with types. A reader passes over fields it does not know, so that a log
//! that a newer version wrote can be read by this one.

use super::{Decision, EventType, Mode, OnExpiry, Source, Status, ToolPolicy};
use crate::{CallId, Damaged, Json, Sha256, Timestamp, ToolName};
use serde::{Deserialize, Serialize};

/// `TOOL_CALL`: an agent's wish to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The call's id, from the model.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// What it is to be run with, exactly as proposed.
    pub arguments: Json,
    /// SHA-256 of the arguments' canonical form.
    pub arguments_hash: Sha256,
    /// Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Json>,
    /// What the agent says it would do, as it said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Json>,
    /// What the agent wants with it, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// `TOOL_APPROVAL_REQUEST`: the standing question to people. It refers to the call and copies nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The call it asks about.
    pub tool_call_id: CallId,
    /// The rule that asks; none if it is the policy's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why people are asked.
    pub reason: String,
    /// What may be answered.
    pub options: Vec<Decision>,
    /// The level an approver needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How many approvers it takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// When the question lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What becomes of it then; `deny` if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// The hash of the policy that judged.
    pub policy: Sha256,
}

/// `TOOL_APPROVAL_VOTE`: one approver's say where it takes several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Vote {
    /// The call it is about.
    pub tool_call_id: CallId,
    /// What was said.
    pub decision: Decision,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `TOOL_APPROVAL_RESPONSE`: the decision. Every call gets exactly one, also where nobody was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// The call it is about.
    pub tool_call_id: CallId,
    /// Whether it may run.
    pub decision: Decision,
    /// Where the decision came from.
    pub source: Source,
    /// The rule that decided or asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The `seq` of the `allow_session` that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<i64>,
    /// What the approver adds, for the model too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments as the approver changed them; none if they run as proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// SHA-256 of the canonical form of what may run.
    pub arguments_hash: Sha256,
    /// The level it was decided at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide an `allow_session` reaches; the whole tool if nothing is said.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<Json>,
    /// The hash of the policy that was in force; absent on a row inserted by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Sha256>,
}

/// `TOOL_EXECUTION_STARTED`: the claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionStarted {
    /// The call that starts.
    pub tool_call_id: CallId,
    /// Who runs it, in the executor's own words.
    pub executor: String,
    /// The hash of the arguments it runs, which is the one that was approved.
    pub arguments_hash: Sha256,
    /// When to think that the executor was lost; never, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// `TOOL_RESULT`: how the call ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The call that ended.
    pub tool_call_id: CallId,
    /// How.
    pub status: Status,
    /// What came of it: any JSON, kept to the byte.
    pub content: Json,
}

/// `TOOL_POLICY_SET`: a thread's own rule for a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPolicySet {
    /// The tool.
    pub tool: ToolName,
    /// What holds for it in this thread.
    pub policy: ToolPolicy,
}

/// `GRANT_REVOKED`: a standing grant was taken back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRevoked {
    /// The `seq` of the response that gave it.
    pub grant: i64,
}

/// `THREAD_MODE_SET`: how the thread answers what is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadMode {
    /// The mode.
    pub mode: Mode,
}

/// `THREAD_CLOSED`: the thread is over. It has nothing more to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadClosed {}

macro_rules! bodies {
    ($($name:ident($data:ty),)*) => {
        /// What an event says, by its type.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Body {
            $(#[doc = concat!("See [`EventType::", stringify!($name), "`].")] $name($data),)*
            /// Part of a conversation, as it was sent.
            Message(EventType, Json),
        }

        impl Body {
            /// Its type.
            #[must_use]
            pub const fn event_type(&self) -> EventType {
                match self {
                    $(Self::$name(_) => EventType::$name,)*
                    Self::Message(kind, _) => *kind,
                }
            }

            /// The text of its `data`.
            pub fn data(&self) -> Result<Json, serde_json::Error> {
                match self {
                    $(Self::$name(data) => Json::of(data),)*
                    Self::Message(_, data) => Ok(data.clone()),
                }
            }

            /// Reads the `data` of the event at `seq`.
            pub fn read(seq: i64, kind: EventType, data: &Json) -> Result<Self, Damaged> {
                let damaged = |e: serde_json::Error| Damaged { seq, what: format!("its data is no {kind}: {e}") };
                match kind {
                    $(EventType::$name => data.read().map(Self::$name).map_err(damaged),)*
                    _ => Ok(Self::Message(kind, data.clone())),
                }
            }
        }
    };
}

bodies! {
    ToolCall(ToolCall),
    ApprovalRequest(Request),
    ApprovalVote(Vote),
    ApprovalResponse(Response),
    ExecutionStarted(ExecutionStarted),
    ToolResult(ToolResult),
    ToolPolicySet(ToolPolicySet),
    GrantRevoked(GrantRevoked),
    ThreadModeSet(ThreadMode),
    ThreadClosed(ThreadClosed),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_newer_version_wrote() {
        let data = Json::parse(
            r#"{"toolCallId":"c","decision":"allow_pattern","source":"oracle","argumentsHash":"0000000000000000000000000000000000000000000000000000000000000000","mood":"good"}"#,
        )
        .expect("valid");
        let Ok(Body::ApprovalResponse(response)) = Body::read(7, EventType::ApprovalResponse, &data) else {
            panic!("it reads");
        };
        assert_eq!((response.decision, response.source), (Decision::Other, Source::Other));
        assert!(!response.decision.allows(), "an unknown word allows nothing");
    }

    #[test]
    fn a_row_that_cannot_be_read_is_damaged_and_named() {
        let data = Json::parse(r#"{"toolCallId":"c"}"#).expect("valid");
        let damaged = Body::read(7, EventType::ToolResult, &data).expect_err("no status");
        assert_eq!(
            damaged.to_string(),
            "event 7 is damaged: its data is no TOOL_RESULT: missing field `status` at line 1 column 18"
        );
    }

    #[test]
    fn keeps_arguments_to_the_byte() {
        let text = "{ \"n\": 1.00, \"big\": 9007199254740993 }";
        let arguments = Json::parse(text).expect("valid");
        let call = ToolCall {
            id: CallId::new("c").expect("valid"),
            name: ToolName::new("bash").expect("valid"),
            arguments_hash: arguments.admit().expect("valid"),
            arguments,
            annotations: None,
            impact: None,
            description: None,
        };
        let data = Body::ToolCall(call.clone()).data().expect("serialises");
        assert!(data.as_str().contains(text));
        assert_eq!(Body::read(1, EventType::ToolCall, &data), Ok(Body::ToolCall(call)));
    }
}
