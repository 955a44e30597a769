//! What each type of event says, with types. A reader passes over fields it does not know, so that a log
//! that a newer version wrote can be read by this one.

use super::{Basis, Decision, EventType, Mode, OnExpiry, Source, Status, ToolPolicy};
use crate::{CallId, Damaged, Json, Sha256, Timestamp, ToolName, policy::Verdict};
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
    /// What the tool says of itself, if whoever proposed the call handed it on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<Definition>,
    /// SHA-256 of the canonical form of definition and annotations: what was looked at when it was approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
    /// Where in the arguments something was masked before they were written: JSON pointers (RFC 6901). The
    /// hash is over the arguments as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
}

/// What a tool says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"description": "Runs a command", "inputSchema": {"type": "object"}, "needsApproval": true}))))]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    /// What it does, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments, which edited ones must satisfy too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub input_schema: Option<Json>,
    /// Whether the tool itself wants people to be asked about this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<bool>,
}

impl Definition {
    /// SHA-256 of the canonical form of `{"annotations": …, "definition": …}`, each where it is there. `None`
    /// if neither is, or one of them is no JSON that could be admitted.
    #[must_use]
    pub fn hash(definition: Option<&Self>, annotations: Option<&Json>) -> Option<Sha256> {
        #[derive(Serialize)]
        struct Both<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            annotations: Option<&'a Json>,
            #[serde(skip_serializing_if = "Option::is_none")]
            definition: Option<&'a Definition>,
        }
        if definition.is_none() && annotations.is_none() {
            return None;
        }
        Json::of(&Both { annotations, definition }).ok()?.admit().ok()
    }
}

/// What a shadow rule would have said, had it been in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"rule": "no deploys on Friday", "verdict": "block"}))))]
#[serde(rename_all = "camelCase")]
pub struct Shadow {
    /// The rule.
    pub rule: String,
    /// Its verdict.
    pub verdict: Verdict,
}

/// One place at which an approver changed the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"path": "/command", "from": "rm -rf /", "to": "rm -rf ./target"}))))]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Where: a JSON pointer (RFC 6901).
    pub path: String,
    /// What was proposed; absent if there was nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub from: Option<Json>,
    /// What runs instead; absent if it was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub to: Option<Json>,
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
    /// What of the policy asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What shadow rules would have said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<Shadow>,
    /// The level an approver needs; anybody's, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The level at which it is decided if the approver names none; `level`, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_level: Option<String>,
    /// How many approvers it takes; one, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How many denials it takes; one, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denials: Option<u32>,
    /// Who may decide: principals and `@groups`. An approver is in each of the lists; empty means anybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvers: Vec<Vec<String>>,
    /// When people are told once more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remind_at: Option<Timestamp>,
    /// When it goes to a higher level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_at: Option<Timestamp>,
    /// Which level that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate_to: Option<String>,
    /// When the question lapses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// What becomes of it then; `deny` if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_expiry: Option<OnExpiry>,
    /// The hash of the policy that judged.
    pub policy: Sha256,
}

impl Request {
    /// When something becomes due on it first: a reminder, an escalation, its end.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        [self.remind_at, self.escalate_at, self.expires_at].into_iter().flatten().min()
    }
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
    /// At which level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is meant, as in a response.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<Json>,
    /// The arguments as this approver changed them, which begins a round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// SHA-256 of the canonical form of the arguments it is about; those that were proposed, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// Which round it counts in: 0 before anybody changed the arguments, and one more with each change.
    #[serde(default)]
    pub round: u32,
}

/// `TOOL_APPROVAL_REMINDER`: nobody has answered yet, and people are told so once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// The call that waits.
    pub tool_call_id: CallId,
}

/// `TOOL_APPROVAL_ESCALATED`: nobody has answered yet, and from now on it takes a higher level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Escalated {
    /// The call that waits.
    pub tool_call_id: CallId,
    /// The level an approver needs from now on.
    pub level: String,
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
    /// What of the policy decided, where nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What shadow rules would have said, where nobody was asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shadow: Vec<Shadow>,
    /// The `seq` of the response of a person that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant: Option<i64>,
    /// What the approver adds, for the model too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments as the approver changed them; none if they run as proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// Where they differ from what was proposed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// SHA-256 of the canonical form of what may run.
    pub arguments_hash: Sha256,
    /// The level it was decided at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// How wide it is remembered: `"exact"`, `"tool"`, or a pattern. An `allow_session` without it is for the
    /// whole tool, a `deny` without it for this call. `"once"` marks an approval that moved here from an
    /// identical call.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<Json>,
    /// When an approval that nobody used is worth nothing any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapses_at: Option<Timestamp>,
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

/// `TOOL_EXECUTION_RELEASED`: a person says that another executor may take over, knowing that it may run twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionReleased {
    /// The call whose outcome is unknown.
    pub tool_call_id: CallId,
    /// The `seq` of the claim that was lost.
    pub claim: i64,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `TOOL_EXECUTION_TAKEN_OVER`: another executor's claim after a lost one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExecutionTakenOver {
    /// The `seq` of the claim that was lost.
    pub claim: i64,
    /// The new claim.
    #[serde(flatten)]
    pub started: ExecutionStarted,
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
    ApprovalReminder(Reminder),
    ApprovalEscalated(Escalated),
    ApprovalResponse(Response),
    ExecutionStarted(ExecutionStarted),
    ExecutionReleased(ExecutionReleased),
    ExecutionTakenOver(ExecutionTakenOver),
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
            definition: None,
            definition_hash: None,
            redacted: Vec::new(),
        };
        let data = Body::ToolCall(call.clone()).data().expect("serialises");
        assert!(data.as_str().contains(text));
        assert_eq!(Body::read(1, EventType::ToolCall, &data), Ok(Body::ToolCall(call)));
    }
}
