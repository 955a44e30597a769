//! The service's status: who is connected, and what is pending.

use crate::{CallId, Principal, ThreadId, Timestamp, ToolName};
use serde::{Deserialize, Serialize};

/// The status of the log and of the answering server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "service": {"version": "0.1.0", "startedAt": "2026-01-31T12:00:00.000Z", "ready": true},
    "examinedCalls": 1,
    "agents": [{"principal": "agent:builder", "lastSeenAt": "2026-01-31T12:00:03.000Z", "pending": 1, "running": 0}],
    "executors": [],
    "approvers": [{"principal": "user:ada", "sessions": 1}],
    "clients": [{"principal": "user:ada", "client": "browser", "lastRequestAt": "2026-01-31T12:00:03.000Z", "streams": 1, "waits": 0}],
    "webhooks": [],
    "pending": {"count": 1, "oldestAt": "2026-01-31T12:00:00.000Z", "threads": [{"threadId": "t1", "count": 1}], "complete": true}
}))))]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// The server that answers; absent if the log was read without a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceReport>,
    /// How many of the newest calls `agents` and the last decisions in `approvers` come from.
    pub examined_calls: usize,
    /// The agents that proposed one of these calls, or one that is pending or running.
    pub agents: Vec<AgentActivity>,
    /// The calls that executors run now: the last 200 of those that were started within the last 5,000 events of the log.
    pub executors: Vec<ExecutorClaim>,
    /// The people who decided one of the newest calls, or whose browser is signed in as an approver.
    pub approvers: Vec<ApproverActivity>,
    /// The callers that this server saw within a day, since it started; absent without a server, because the log does not
    /// know its readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Vec<ConnectedClient>>,
    /// The webhooks, and whether their messages arrive.
    pub webhooks: Vec<WebhookDeliveryStatus>,
    /// The pending calls.
    pub pending: PendingOverview,
}

/// The server that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "version": "0.1.0", "startedAt": "2026-01-31T12:00:00.000Z", "ready": true
}))))]
#[serde(rename_all = "camelCase")]
pub struct ServiceReport {
    /// The program's version.
    pub version: String,
    /// When it started.
    pub started_at: Timestamp,
    /// Whether it can do its work, as `GET /readyz` checks.
    pub ready: bool,
    /// Why it is not ready, and other problems that `GET /readyz` reports.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trouble: Vec<String>,
}

/// An agent, as its calls show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "principal": "agent:builder", "lastSeenAt": "2026-01-31T12:00:03.000Z", "pending": 1, "running": 0
}))))]
#[serde(rename_all = "camelCase")]
pub struct AgentActivity {
    /// The agent.
    pub principal: Principal,
    /// The last time at which it proposed a call, or was seen to wait for one.
    pub last_seen_at: Timestamp,
    /// The number of its pending calls.
    pub pending: usize,
    /// The number of its pending calls for which no program was seen to wait for half a minute.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub gone: usize,
    /// The number of its calls that run.
    pub running: usize,
}

/// A call that an executor runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "executor": "worker-7", "principal": "agent:builder", "threadId": "t1", "id": "call_1", "name": "bash",
    "startedAt": "2026-01-31T12:00:03.000Z", "leaseExpiresAt": "2026-01-31T12:15:03.000Z"
}))))]
#[serde(rename_all = "camelCase")]
pub struct ExecutorClaim {
    /// The name that the executor gave.
    pub executor: String,
    /// The principal that claimed the call.
    pub principal: Principal,
    /// The call's thread.
    pub thread_id: ThreadId,
    /// The call.
    pub id: CallId,
    /// Its tool.
    pub name: ToolName,
    /// When the executor claimed it.
    pub started_at: Timestamp,
    /// When its lease ends unless it is renewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_expires_at: Option<Timestamp>,
}

/// A person who decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "principal": "user:ada", "sessions": 1, "lastDecisionAt": "2026-01-31T12:00:03.000Z"
}))))]
#[serde(rename_all = "camelCase")]
pub struct ApproverActivity {
    /// The person.
    pub principal: Principal,
    /// The number of browsers in which the person is signed in as an approver.
    pub sessions: usize,
    /// The last decision among the newest calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_decision_at: Option<Timestamp>,
}

/// A caller, with one program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "principal": "user:ada", "client": "browser", "lastRequestAt": "2026-01-31T12:00:03.000Z", "streams": 1, "waits": 0
}))))]
#[serde(rename_all = "camelCase")]
pub struct ConnectedClient {
    /// The caller, by its credential.
    pub principal: Principal,
    /// The program, by its `User-Agent`, such as `countersign-python/0.1.0`; `browser` for a browser. It is what the
    /// program reports about itself, and no rule depends on it. Absent if it said nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The time of its last request.
    pub last_request_at: Timestamp,
    /// The number of its open streams of events: an open inbox and `countersign watch` have one.
    pub streams: u32,
    /// The number of its requests that wait for a decision.
    pub waits: u32,
}

/// Webhook message delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"name": "chat", "host": "chat.example", "failing": 0, "parked": 0}))))]
#[serde(rename_all = "camelCase")]
pub struct WebhookDeliveryStatus {
    /// The webhook's name.
    pub name: String,
    /// The host of its target.
    pub host: String,
    /// The number of messages that are retried.
    pub failing: usize,
    /// The number of messages that are not retried automatically.
    pub parked: usize,
}

/// The pending calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "count": 1, "oldestAt": "2026-01-31T12:00:00.000Z", "threads": [{"threadId": "t1", "count": 1}], "complete": true
}))))]
#[serde(rename_all = "camelCase")]
pub struct PendingOverview {
    /// The number of pending calls.
    pub count: i64,
    /// The oldest request's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_at: Option<Timestamp>,
    /// The threads with pending calls, those with the most first.
    pub threads: Vec<ThreadPendingCount>,
    /// Whether `threads` and `agents` count all pending calls: they count at most the thousand oldest.
    pub complete: bool,
}

/// The pending calls of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"threadId": "t1", "count": 1}))))]
#[serde(rename_all = "camelCase")]
pub struct ThreadPendingCount {
    /// The thread.
    pub thread_id: ThreadId,
    /// The number of its pending calls.
    pub count: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}
