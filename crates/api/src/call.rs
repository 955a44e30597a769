//! Calls as API clients see them.

use crate::{
    ApprovalRequest, ApprovalResponse, CallAdvice, CallFlag, CallId, CallState, EventMark, Json, LookAlike,
    Principal, Sha256, ThreadId, Timestamp, ToolName,
};
use countersign_events::{Decision, Place, QuestionForm, Status};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A call in its current state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "threadId": "t1",
        "id": "call_1",
        "name": "bash",
        "state": "pending",
        "arguments": {"command": "ls"},
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "proposal": {"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
        "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once", "allow_session", "deny"],
            "reason": "no rule matches this call",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
        }
    }))))]
// The derived functions are inherent, because the trait's one checks what it has read.
#[serde(rename_all = "camelCase", remote = "Self")]
pub struct Call {
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call's id, unique in its thread.
    pub id: CallId,
    /// The tool's name.
    pub name: ToolName,
    /// The current state.
    pub state: CallState,
    /// The arguments that run: as proposed, or as an approver changed them.
    pub arguments: Json,
    /// SHA-256 of the canonical `arguments`.
    pub arguments_hash: Sha256,
    /// What the call asks people, if it asks something. `answers` of an approval answers it. Only while the call is pending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<Box<QuestionForm>>,
    /// JSON pointers to the masked values in `arguments`. `argumentsHash` covers the unmasked arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// The locations of strings with hidden characters, as JSON pointers into the call, 20 at most: control characters
    /// except line breaks and tabs, and characters that are invisible, change the direction of text or look like a
    /// space. A display must escape them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hidden_characters: Vec<String>,
    /// The locations of strings with a word that mixes letters from several scripts, such as a Cyrillic letter in a
    /// Latin word, as JSON pointers into the call, 20 at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixed_scripts: Vec<String>,
    /// The locations of strings in which many blanks or empty lines push a part out of sight, as JSON pointers into the call, 20 at
    /// most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub padded: Vec<String>,
    /// The tools whose names people may take for this one. Only while the call is pending, in single calls and lists of
    /// pending calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub look_alikes: Vec<LookAlike>,
    /// What the call does to files, hosts, Git branches, clusters and databases, in words, as far as its arguments show it, 20
    /// at most. Only while the call is pending, in single calls and lists of pending calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<String>,
    /// The proposer and the proposal time.
    pub proposal: CallProposal,
    /// Hints about the tool, as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// The impact that the agent claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub impact: Option<Json>,
    /// The call's purpose, as the agent describes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the call runs, if the proposer said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The tool definition when the call was proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<countersign_events::ToolDefinition>,
    /// SHA-256 of the canonical definition and annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
    /// The earlier call that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<CallId>,
    /// The last time at which the proposer waited for the decision or sent a heartbeat; absent if it never did. On a
    /// pending call, and in the answer to a decision that allows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposer_last_seen_at: Option<Timestamp>,
    /// Whether the proposer was seen, but not during the last 30 seconds: it may never run the call.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub proposer_gone: bool,
    /// The request, if people were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<ApprovalRequest>,
    /// The advice of advisors that people see, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<CallAdvice>,
    /// The decision, once it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ApprovalResponse>,
    /// The claim, once an executor has claimed the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<CallExecution>,
    /// Earlier claims whose lease lapsed before another executor took over, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<CallExecution>,
    /// The release by a person, which lets another executor take over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<ExecutionRelease>,
    /// The end of the call's approval by a person. The call does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<Box<TakenBackApproval>>,
    /// The result, once the call has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CallResult>,
    /// What became of the call, in one sentence for people; absent while it is open or runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The report that other arguments ran than were approved, or that the call ran without being allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mismatch: Option<CallMismatch>,
    /// Complaints that the call was allowed, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<CallFlag>,
    /// The erasure of the call's content. `arguments` and the result content are then `null`, and `impact`,
    /// `description` and comments are absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased: Option<CallErasure>,
    /// The archive file that has the call's content. `arguments` and the result content are then `null`, as if they
    /// were erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<CallArchive>,
    /// The waiting calls of the thread that the decision also decided, the oldest first. Only the first answer to a
    /// decision has them: a repeated decision decides nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_decided: Vec<CallId>,
}

/// The release of a call whose outcome is unknown, by a person. Another executor may then take over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 6, "principal": "user:ada", "at": "2026-01-31T12:10:00.000Z", "claim": 4}))))]
#[serde(rename_all = "camelCase")]
pub struct ExecutionRelease {
    /// The event's `seq`.
    pub seq: i64,
    /// The person who released the call.
    pub principal: Principal,
    /// The release time.
    pub at: Timestamp,
    /// The `seq` of the claim whose lease lapsed.
    pub claim: i64,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// A person took the call's approval back before an executor used it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 4, "principal": "user:ada", "at": "2026-01-31T12:00:04.000Z", "comment": "wrong cluster"}))))]
#[serde(rename_all = "camelCase")]
pub struct TakenBackApproval {
    /// The event's `seq`.
    pub seq: i64,
    /// The person who took it back.
    pub principal: Principal,
    /// The time.
    pub at: Timestamp,
    /// The reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// What ran instead of the approved arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 6, "principal": "agent:builder", "at": "2026-01-31T12:00:04.000Z", "executor": "claude-code:toolu_01", "arguments": {"command": "touch rewritten.txt"}, "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallMismatch {
    /// The event's `seq`.
    pub seq: i64,
    /// The principal that reported it.
    pub principal: Principal,
    /// The report time.
    pub at: Timestamp,
    /// The executor that ran it, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// The arguments that ran, with masked secrets.
    pub arguments: Json,
    /// SHA-256 of their canonical form.
    pub arguments_hash: Sha256,
    /// Where in the arguments something was masked: JSON pointers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
}

/// The erasure of a call's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 9, "principal": "user:zoe", "at": "2026-01-31T12:10:00.000Z", "reason": "the customer asked"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallErasure {
    /// The event's `seq`.
    pub seq: i64,
    /// The person who erased the content.
    pub principal: Principal,
    /// The erasure time.
    pub at: Timestamp,
    /// The reason.
    pub reason: String,
}

/// The move of a call's content to an archive file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 9, "principal": "user:zoe", "at": "2026-01-31T12:10:00.000Z", "file": "2025.ndjson", "digest": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallArchive {
    /// The event's `seq`.
    pub seq: i64,
    /// The person who archived the thread.
    pub principal: Principal,
    /// The time.
    pub at: Timestamp,
    /// The file's name, without its folder.
    pub file: String,
    /// The archive digest, which `countersign verify --archive` compares.
    pub digest: Sha256,
}

/// The proposal of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallProposal {
    /// The event's `seq`.
    pub seq: i64,
    /// The proposer.
    pub principal: Principal,
    /// The proposal time.
    pub at: Timestamp,
}

/// An executor's claim on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 4, "executor": "worker-7", "principal": "agent:builder", "startedAt": "2026-01-31T12:00:03.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallExecution {
    /// The event's `seq`.
    pub seq: i64,
    /// The name that the executor gave itself.
    pub executor: String,
    /// The principal that claimed the call.
    pub principal: Principal,
    /// The claim time.
    pub started_at: Timestamp,
    /// When the lease ends: from then on the outcome is unknown, unless there is a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
    /// The last renewal of the lease, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renewed: Option<EventMark>,
}

/// A call result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "seq": 5,
        "status": "success",
        "content": "README.md",
        "principal": "agent:builder",
        "at": "2026-01-31T12:00:04.000Z"
    }))))]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// The event's `seq`.
    pub seq: i64,
    /// The result kind.
    pub status: Status,
    /// The result's content, for the model.
    pub content: Json,
    /// The principal that reported the result.
    pub principal: Principal,
    /// The report time.
    pub at: Timestamp,
}

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Call {
    /// A newer server may allow a call by a decision with conditions that this version does not know. Nobody here can keep them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut call = Self::deserialize(deserializer)?;
        let is_unknown = call.response.as_ref().is_some_and(|response| response.decision == Decision::Other);
        if is_unknown && matches!(call.state, CallState::Allowed | CallState::Unknown) {
            call.state = CallState::Other;
        }
        Ok(call)
    }
}

impl Call {
    /// Returns true if an executor may claim the call now.
    #[must_use]
    pub fn may_run(&self) -> bool {
        self.state == CallState::Allowed
    }

    /// A description of the mismatch for people, if there is one.
    #[must_use]
    pub fn describe_mismatch(&self) -> Option<&'static str> {
        self.mismatch.as_ref()?;
        Some(if self.execution.is_some() {
            "other arguments ran than were approved"
        } else {
            "it ran without an approval"
        })
    }

    /// The text for the model about a call that does not run.
    #[must_use]
    pub fn ended_text(&self) -> String {
        if self.state == CallState::Other {
            let id = &self.id;
            return format!(
                "{id} was not run: its state or decision is one that only a newer version of Countersign knows"
            );
        }
        let told = self.result.as_ref().and_then(|result| result.content.read::<String>().ok());
        told.unwrap_or_else(|| format!("{} is {}", self.id, self.state))
    }

    /// Returns true if the call waits for a decision.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.state == CallState::Pending
    }
}
