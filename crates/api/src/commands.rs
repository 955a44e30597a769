//! The bodies of requests about a call.

use crate::grant_limits::{read_grant_seconds, read_uses};
use crate::object::read_optional_object;
#[cfg(feature = "openapi")]
use crate::proposed_place::ProposedPlace;
use crate::proposed_place::read_place;
use crate::{Call, CallId, GateError, Json, Principal, ProofRequest, Sha256, ToolName};
use countersign_events::{Decision, DecisionChannel, GrantAgents, Place, RiskLevel, Status};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::{
    fmt::{self, Display},
    str::FromStr,
};

/// A request to propose a call.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}, "description": "see what is there"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposeRequest {
    /// The call's id, unique in its thread; for example the id that the model chose.
    pub id: CallId,
    /// The tool's name.
    pub name: ToolName,
    /// The arguments: any JSON, kept byte for byte.
    pub arguments: Json,
    /// Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// The impact that the agent claims.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub impact: Option<ProposedImpact>,
    /// The call's purpose, as the agent describes it to approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the call runs: MCP server, program, folder, project, machine, agent. People see it, policies select by it, and an approval
    /// holds only there. All strings together have at most 4,096 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_place")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<ProposedPlace>))]
    pub place: Option<Place>,
    /// The tool's definition. The policy may use it, changed arguments must satisfy its schema, and a claim may require
    /// by its hash that it has not changed.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub definition: Option<ProposedDefinition>,
    /// The time that people have to decide, in seconds. If the policy gives less time, the shorter time applies.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, minimum = 1, maximum = 4_294_967_295_u32))]
    pub expires_in_seconds: Option<u32>,
    /// An earlier call of the same agent that this one replaces. If that call is allowed and has not started, and both
    /// are alike, its approval moves here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<CallId>,
    /// Whether the call is withdrawn if the proposer has waited for it and is then absent for as long as the policy says. For an
    /// agent that does not come back later with the same id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub withdraw_when_gone: bool,
}

/// A tool definition in a proposal. Unlike the definition in an event, it rejects unknown fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"description": "Runs a command", "inputSchema": {"type": "object"}, "needsApproval": true}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedDefinition {
    /// The tool's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub input_schema: Option<Json>,
    /// Whether the tool itself wants people to be asked about this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<bool>,
}

impl From<ProposedDefinition> for countersign_events::ToolDefinition {
    fn from(definition: ProposedDefinition) -> Self {
        let ProposedDefinition { description, input_schema, needs_approval } = definition;
        Self { description, input_schema, needs_approval }
    }
}

/// A call impact, as the agent claims it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"message": "deletes the cache", "riskLevel": "low", "reversible": true, "affectedResources": ["/tmp/cache"]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedImpact {
    /// The impact in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The level of risk.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub risk_level: Option<RiskLevel>,
    /// Whether the effect can be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// The resources that the call would affect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affected_resources: Vec<String>,
    /// The estimated extent of the impact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_impact: Option<String>,
}

// Omits arguments and agent content, because they may contain a secret.
impl fmt::Debug for ProposeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, expires_in_seconds, .. } = self;
        let mut shown = f.debug_struct("ProposeRequest");
        shown.field("id", id).field("name", name);
        shown.field("expires_in_seconds", expires_in_seconds).finish_non_exhaustive()
    }
}

impl ProposeRequest {
    /// Creates a proposal to call the tool `name` with these arguments, a JSON string. Fails if an argument is invalid;
    /// the error names the field.
    pub fn new(id: &str, name: &str, arguments: &str) -> Result<Self, GateError> {
        Ok(Self {
            id: crate::parse_call_id(id)?,
            name: ToolName::new(name).map_err(|why| GateError::invalid("name", &why))?,
            arguments: Json::parse(arguments).map_err(|why| GateError::invalid("arguments", &why))?,
            annotations: None,
            impact: None,
            description: None,
            place: None,
            definition: None,
            expires_in_seconds: None,
            replaces: None,
            withdraw_when_gone: false,
        })
    }
}

/// A decision on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decision": "allow_once", "comment": "fine"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionRequest {
    /// `allow_once`, `allow_session` or `deny`.
    #[serde(deserialize_with = "read_word")]
    pub decision: Decision,
    /// The reason. The log keeps it, and the model gets a denial's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments that run instead of the proposed ones; only with `allow_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The answers to the questions of a call that asks people something, one list for each question: the labels of the
    /// chosen options, and free text where the question takes it. They become a part of the arguments; only with
    /// `allow_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<Vec<String>>>,
    /// The hash of the arguments that the approver saw. The decision is refused if the arguments have another hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// The scope in which the decision is remembered in this thread: `"exact"`, `"tool"`, or a pattern such as
    /// `{"command": "git status **"}`. `allow_session` requires a scope. Without one, `deny` applies to this call.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The agents whose later calls `allow_session` answers: `proposer`, which is the default, or `any`.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// How long the decision is remembered, in seconds: up to 30 days. Absent for as long as its thread is open. Only for a decision
    /// with a scope.
    #[serde(default, deserialize_with = "read_grant_seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 2_592_000))]
    pub expires_in_seconds: Option<u32>,
    /// The number of later calls that the decision answers: up to 1,000. Absent for any number. Only for a decision with a scope.
    #[serde(default, deserialize_with = "read_uses", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000))]
    pub uses: Option<u32>,
    /// The level at which the approver decides; without it, the level that the request asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Whether the decision also decides the thread's waiting calls, as far as it would answer them if they were
    /// proposed now. Only for a decision with a scope. The scope preview counts these calls, and the answer names them
    /// in `alsoDecided`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub and_waiting: bool,
    /// The proof that the approver made the decision. A rule may ask for one; the error `proof_required` then has the
    /// statement to sign.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "read_optional_object")]
    pub proof: Option<ProofRequest>,
    /// The surface on which the person decides, if it shows only a part of the call. In a notification, `allow_once` is refused
    /// unless the policy lets notifications allow the call's risk. `argumentsHash` is then required.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub channel: Option<DecisionChannel>,
    /// The person in whose place the approver decides, such as `user:ada`. It takes an active delegation from that person to the
    /// caller, and what the decision takes from each of the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_behalf_of: Option<Principal>,
}

impl DecisionRequest {
    /// Creates a decision without further fields.
    #[must_use]
    pub fn plain(decision: Decision) -> Self {
        Self {
            decision,
            comment: None,
            arguments: None,
            answers: None,
            arguments_hash: None,
            scope: None,
            agents: None,
            expires_in_seconds: None,
            uses: None,
            level: None,
            and_waiting: false,
            proof: None,
            channel: None,
            on_behalf_of: None,
        }
    }

    /// An approval of this call, and of later calls in this scope by the same agent.
    #[must_use]
    pub fn for_session(scope: Json) -> Self {
        Self { scope: Some(scope), ..Self::plain(Decision::AllowSession) }
    }
}

/// A request to claim a call.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "executor": "worker-7",
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "leaseSeconds": 60
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimRequest {
    /// The executor's name. Use a new name for each attempt, so that an executor that lost the response can distinguish
    /// its own claim from another one.
    #[cfg_attr(
        feature = "openapi",
        schema(
            min_length = 1,
            max_length = 512,
            format = "visible-name",
            pattern = r"^(?! )[^\u0000-\u001F\u007F-\u00A0]+(?<! )$"
        )
    )]
    pub executor: String,
    /// The hash of the arguments that will run.
    pub arguments_hash: Sha256,
    /// The lease: the number of seconds after which the outcome is unknown without a result. The default is 900. An
    /// executor that runs longer renews its lease.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 86_400_u32))]
    pub lease_seconds: Option<u32>,
    /// The unmasked arguments. Needed only if the log has masked some of them and a newer policy depends on the masked
    /// values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The hash of the tool's current definition. The claim is refused if the approved definition had another hash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
}

// Omits the arguments, because they may contain a secret.
impl fmt::Debug for ClaimRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executor, arguments_hash, lease_seconds, .. } = self;
        let mut shown = f.debug_struct("ClaimRequest");
        shown.field("executor", executor).field("arguments_hash", arguments_hash);
        shown.field("lease_seconds", lease_seconds).finish_non_exhaustive()
    }
}

impl ClaimRequest {
    /// Creates a claim on the call with its current arguments and the default lease.
    #[must_use]
    pub fn for_call(call: &Call, executor: &str) -> Self {
        Self {
            executor: executor.to_owned(),
            arguments_hash: call.arguments_hash,
            lease_seconds: None,
            arguments: None,
            definition_hash: None,
        }
    }

    /// Creates a claim for the proposer of the call. The log masks secrets, and only the proposer has the real values, so
    /// the claim has them if the call has any.
    #[must_use]
    pub fn for_own_call(call: &Call, executor: &str, own: &Json) -> Self {
        let arguments = (!call.redacted.is_empty()).then(|| own.clone());
        Self { arguments, ..Self::for_call(call, executor) }
    }
}

/// An executor's message that it still runs the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"executor": "worker-7", "leaseSeconds": 60}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewRequest {
    /// The executor's name, as in its claim.
    pub executor: String,
    /// The lease from now on, in seconds; 900 without it. 0 ends the lease at once: the executor cannot know how the call ended, and
    /// its outcome is unknown.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 86_400_u32))]
    pub lease_seconds: Option<u32>,
}

/// A request to report a call result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"status": "success", "content": "README.md"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResultRequest {
    /// `success`, `error` or `cancelled`.
    #[serde(deserialize_with = "read_word")]
    #[cfg_attr(feature = "openapi", schema(schema_with = reported_statuses))]
    pub status: Status,
    /// The result's content: any JSON, kept byte for byte.
    pub content: Json,
    /// The executor's name. If present, it must be the executor that claimed the call. It is required for a call that
    /// another executor took over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
    /// The arguments that ran, if the executor knows them. If they are not the approved ones, the log records a mismatch.
    /// The proposer may also report a call that ran without a claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub ran_arguments: Option<Json>,
}

impl ResultRequest {
    /// Creates the result of a successful call, with this text.
    #[must_use]
    pub fn success(content: &str) -> Self {
        Self { status: Status::Success, content: Json::string(content), executor: None, ran_arguments: None }
    }

    /// Creates the result of a failed call, with this text.
    #[must_use]
    pub fn error(content: &str) -> Self {
        Self { status: Status::Error, content: Json::string(content), executor: None, ran_arguments: None }
    }
}

/// A request to withdraw a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"reason": "no longer wanted"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelRequest {
    /// The reason, for the log's readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Releases a call whose outcome is unknown. Another executor may then take over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"comment": "it never reached the mail server"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReleaseRequest {
    /// The reason, for the log's readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Takes back an approval that no executor has used. The call then does not run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"comment": "wrong cluster"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeBackRequest {
    /// The reason, for the log's readers and the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Erases the content of a call that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"reason": "the customer asked"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EraseRequest {
    /// The reason, for the log's readers.
    #[cfg_attr(feature = "openapi", schema(min_length = 1))]
    pub reason: String,
}

/// The outcome of an erasure. The database files may have remains of the content until they are rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "call": {
            "threadId": "t1",
            "id": "call_1",
            "name": "bash",
            "state": "finished",
            "arguments": null,
            "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
            "proposal": {"seq": 1, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
            "erased": {"seq": 9, "principal": "user:zoe", "at": "2026-01-31T12:10:00.000Z", "reason": "request 17"}
        }
    }))))]
#[serde(rename_all = "camelCase")]
pub struct ErasureReport {
    /// The call, without its content.
    pub call: Call,
}

/// Reads a whole number of seconds. Accepts `60.0` too, because JSON has only one kind of number.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else { return Ok(None) };
    let whole = number.as_u64().or_else(|| {
        // A whole number of this size is exact in a double, in both directions.
        let double = number.as_f64().filter(|double| double.fract() == 0.0)?;
        format!("{double:.0}").parse().ok()
    });
    let seconds = whole.and_then(|whole| u32::try_from(whole).ok());
    let why = || {
        de::Error::custom(format_args!("{number} is not a whole number of seconds from 0 to {}", u32::MAX))
    };
    seconds.map(Some).ok_or_else(why)
}

/// Creates the schema for the statuses that an executor may report. The gate writes the other statuses.
#[cfg(feature = "openapi")]
fn reported_statuses() -> utoipa::openapi::schema::Object {
    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::Type::String)
        .enum_values(Some([Status::Success, Status::Error, Status::Cancelled].map(Status::as_str)))
        .build()
}

/// Returns true if a flag is not set, so that it can be left out.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(super) const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// Reads an enumeration value. Unlike in a stored event, a value that this version does not know is an error.
pub(super) fn read_word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
}

pub(super) fn maybe_word<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: Display>,
{
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|text| text.parse().map_err(de::Error::custom)).transpose()
}
