//! A call as the gate shows it.

use super::{Request, Response};
use crate::{CallId, Json, Principal, Sha256, State, ThreadId, Timestamp, ToolName};
use countersign_approvals::{Call as Standing, call::Fact};
use countersign_events::event::{self, Status};
use serde::{Deserialize, Serialize};

/// A call, and where it stands.
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
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The thread it belongs to.
    pub thread_id: ThreadId,
    /// Its id, unique in the thread.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// Where it stands.
    pub state: State,
    /// What runs if it runs: as proposed, or as an approver changed it.
    pub arguments: Json,
    /// SHA-256 of the canonical form of `arguments`.
    pub arguments_hash: Sha256,
    /// Where in `arguments` something is masked (JSON pointers). The hash is over the arguments as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redacted: Vec<String>,
    /// Who proposed it, and when.
    pub proposal: Proposal,
    /// Hints as MCP defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// What the agent says it would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub impact: Option<Json>,
    /// What the agent wants with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the tool says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<event::Definition>,
    /// SHA-256 of the canonical form of definition and annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
    /// What people were asked, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// What was decided, once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Response>,
    /// Who runs it, once somebody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<Execution>,
    /// Who was lost over it, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Execution>,
    /// That a person lets another executor take over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Released>,
    /// How it ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Outcome>,
}

/// That a person lets another executor take over a call whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 6, "principal": "user:ada", "at": "2026-01-31T12:10:00.000Z", "claim": 4}))))]
#[serde(rename_all = "camelCase")]
pub struct Released {
    /// Its event.
    pub seq: i64,
    /// Who said so.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
    /// The claim that was lost.
    pub claim: i64,
    /// And why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// Its event.
    pub seq: i64,
    /// Who made it.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
}

/// The claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"seq": 4, "executor": "worker-7", "principal": "agent:builder", "startedAt": "2026-01-31T12:00:03.000Z"}))))]
#[serde(rename_all = "camelCase")]
pub struct Execution {
    /// Its event.
    pub seq: i64,
    /// Who runs it, in the executor's own words.
    pub executor: String,
    /// On whose behalf.
    pub principal: Principal,
    /// When it started.
    pub started_at: Timestamp,
    /// When the outcome counts as unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// How it ended.
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
pub struct Outcome {
    /// Its event.
    pub seq: i64,
    /// How.
    pub status: Status,
    /// What came of it.
    pub content: Json,
    /// Who says so.
    pub principal: Principal,
    /// When.
    pub at: Timestamp,
}

impl Call {
    /// The call as it stands at `now`.
    #[must_use]
    pub fn at(call: &Standing, now: Timestamp) -> Self {
        let proposed = &call.proposal;
        Self {
            thread_id: call.thread_id.clone(),
            id: proposed.what.id.clone(),
            name: proposed.what.name.clone(),
            state: call.state(now),
            arguments: call.arguments().clone(),
            arguments_hash: call.arguments_hash(),
            proposal: Proposal { seq: proposed.seq, principal: proposed.by.clone(), at: proposed.at },
            annotations: proposed.what.annotations.clone(),
            impact: proposed.what.impact.clone(),
            description: proposed.what.description.clone(),
            redacted: call.redacted().to_vec(),
            definition: proposed.what.definition.clone(),
            definition_hash: proposed.what.definition_hash,
            request: Request::of(call),
            response: call.response().map(|fact| Response::of(fact, editor(call).unwrap_or(&fact.by))),
            execution: call.claim().map(Into::into),
            lost: call.course.lost.iter().map(Into::into).collect(),
            released: call.course.released.as_ref().map(|released| Released {
                seq: released.seq,
                principal: released.by.clone(),
                at: released.at,
                claim: released.what.claim,
                comment: released.what.comment.clone(),
            }),
            result: call.result().map(Into::into),
        }
    }

    /// Whether it may be claimed now.
    #[must_use]
    pub fn may_run(&self) -> bool {
        self.state == State::Allowed
    }

    /// Whether people are still asked.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.state == State::Pending
    }
}

/// Who changed the arguments, where it takes several: not always the one whose vote made it enough.
fn editor(call: &Standing) -> Option<&Principal> {
    let edits = call.course.counting().filter(|vote| vote.what.arguments.is_some());
    edits.last().map(|vote| &vote.by)
}

impl From<&Fact<event::ExecutionStarted>> for Execution {
    fn from(fact: &Fact<event::ExecutionStarted>) -> Self {
        Self {
            seq: fact.seq,
            executor: fact.what.executor.clone(),
            principal: fact.by.clone(),
            started_at: fact.at,
            lease_expires_at: fact.what.lease_expires_at,
        }
    }
}

impl From<&Fact<event::ToolResult>> for Outcome {
    fn from(fact: &Fact<event::ToolResult>) -> Self {
        Self {
            seq: fact.seq,
            status: fact.what.status,
            content: fact.what.content.clone(),
            principal: fact.by.clone(),
            at: fact.at,
        }
    }
}
