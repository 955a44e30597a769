//! The requests to the gate.

use crate::{Call, CallId, GateError, Json, Sha256, ToolName};
use countersign_events::event::{self, Decision, GrantAgents, RiskLevel, Status};
use serde::{Deserialize, Deserializer, Serialize, de};
use std::{
    fmt::{self, Display},
    str::FromStr,
};

/// Put a call before the policy.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"id": "call_1", "name": "bash", "arguments": {"command": "ls"}, "description": "see what is there"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposeRequest {
    /// The call's id, unique in its thread; the model's own is a good one.
    pub id: CallId,
    /// The tool.
    pub name: ToolName,
    /// The arguments: any JSON, kept byte for byte.
    pub arguments: Json,
    /// Hints as MCP defines them (`readOnlyHint`, `destructiveHint`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub annotations: Option<Json>,
    /// The impact that the agent claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<ProposedImpact>,
    /// The agent's description of its purpose, for the approvers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What the tool says of itself. The policy may look at it, changed arguments must satisfy its schema, and
    /// a claim may say by its hash that it is still the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<ProposedDefinition>,
    /// How long people may take, in seconds. The policy may allow less, and then less it is.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, minimum = 1, maximum = 4_294_967_295_u32))]
    pub expires_in_seconds: Option<u32>,
    /// An earlier call of the same agent that this one replaces. If that call is allowed and has not started, and both
    /// are alike, its approval moves here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaces: Option<CallId>,
}

/// What a tool says of itself. The document names it apart from what an event has of it, which is not strict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"description": "Runs a command", "inputSchema": {"type": "object"}, "needsApproval": true}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedDefinition {
    /// The description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub input_schema: Option<Json>,
    /// True if the tool itself wants people to be asked about this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs_approval: Option<bool>,
}

impl From<ProposedDefinition> for event::ToolDefinition {
    fn from(given: ProposedDefinition) -> Self {
        let ProposedDefinition { description, input_schema, needs_approval } = given;
        Self { description, input_schema, needs_approval }
    }
}

/// The impact of the call, as the agent claims it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"message": "deletes the cache", "riskLevel": "low", "reversible": true, "affectedResources": ["/tmp/cache"]}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProposedImpact {
    /// In a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How bad it would be.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub risk_level: Option<RiskLevel>,
    /// True if it can be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reversible: Option<bool>,
    /// The resources that it would affect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub affected_resources: Vec<String>,
    /// How far it would reach.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_impact: Option<String>,
}

// The agent's texts may contain a secret.
impl fmt::Debug for ProposeRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, name, expires_in_seconds, .. } = self;
        let mut shown = f.debug_struct("ProposeRequest");
        shown.field("id", id).field("name", name);
        shown.field("expires_in_seconds", expires_in_seconds).finish_non_exhaustive()
    }
}

impl ProposeRequest {
    /// A call of the tool `name` with those arguments, a JSON text.
    pub fn new(id: &str, name: &str, arguments: &str) -> Result<Self, GateError> {
        Ok(Self {
            id: crate::parse_call_id(id)?,
            name: ToolName::new(name).map_err(|why| GateError::invalid("name", &why))?,
            arguments: Json::parse(arguments).map_err(|why| GateError::invalid("arguments", &why))?,
            annotations: None,
            impact: None,
            description: None,
            definition: None,
            expires_in_seconds: None,
            replaces: None,
        })
    }
}

/// Decide on a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"decision": "allow_once", "comment": "fine"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DecisionRequest {
    /// `allow_once`, `allow_session` or `deny`.
    #[serde(deserialize_with = "word")]
    pub decision: Decision,
    /// And why: the log keeps it, and a denial tells the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// The arguments that run instead of the proposed ones; only with `allow_once`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The hash of the arguments that were looked at: a decision on others is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_hash: Option<Sha256>,
    /// How wide it is remembered in this thread: `"exact"`, `"tool"`, or a pattern such as
    /// `{"command": "git status *"}`. `allow_session` needs one; `deny` without it is for this call.
    #[serde(default, rename = "scope", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub scope: Option<Json>,
    /// The agents whose later calls `allow_session` answers: `proposer`, which is the default, or `any`.
    #[serde(default, deserialize_with = "maybe_word", skip_serializing_if = "Option::is_none")]
    pub agents: Option<GrantAgents>,
    /// At which level; the one that the request asks for, if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

impl DecisionRequest {
    /// A decision and nothing else.
    #[must_use]
    pub fn plain(decision: Decision) -> Self {
        let (comment, arguments, arguments_hash) = (None, None, None);
        Self { decision, comment, arguments, arguments_hash, scope: None, agents: None, level: None }
    }

    /// An approval of this call, and of later calls in this scope by the same agent.
    #[must_use]
    pub fn for_session(scope: Json) -> Self {
        Self { scope: Some(scope), ..Self::plain(Decision::AllowSession) }
    }
}

/// Start a call.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "executor": "worker-7",
        "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
        "leaseSeconds": 60
    }))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClaimRequest {
    /// Who runs it: best a name that is new for each attempt, so that an executor that lost the answer
    /// can tell its own claim from another's.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 512, pattern = r"^[^\u0000-\u001F\u007F-\u009F]+$")
    )]
    pub executor: String,
    /// The hash of the arguments that will run.
    pub arguments_hash: Sha256,
    /// After how many seconds without a result the outcome counts as unknown; never, if not said.
    #[serde(default, deserialize_with = "seconds", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4_294_967_295_u32))]
    pub lease_seconds: Option<u32>,
    /// The arguments themselves: only needed where the log has them masked, and a policy that came since wants
    /// to see them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Json, required = false))]
    pub arguments: Option<Json>,
    /// The hash of the tool's definition as it is now: if it is not what was approved, nothing runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition_hash: Option<Sha256>,
}

// The arguments may hold a secret.
impl fmt::Debug for ClaimRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { executor, arguments_hash, lease_seconds, .. } = self;
        let mut shown = f.debug_struct("ClaimRequest");
        shown.field("executor", executor).field("arguments_hash", arguments_hash);
        shown.field("lease_seconds", lease_seconds).finish_non_exhaustive()
    }
}

impl ClaimRequest {
    /// A claim of that call as it stands, without a lease.
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
}

/// Say what came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"status": "success", "content": "README.md"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ResultRequest {
    /// `success`, `error` or `cancelled`.
    #[serde(deserialize_with = "word")]
    #[cfg_attr(feature = "openapi", schema(schema_with = reported))]
    pub status: Status,
    /// Any JSON, kept to the byte.
    pub content: Json,
    /// Who ran it; if it is said, it must be the executor that claimed the call. A call that was taken over needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<String>,
}

impl ResultRequest {
    /// It ran, and this is what it said.
    #[must_use]
    pub fn success(content: &str) -> Self {
        Self { status: Status::Success, content: Json::string(content), executor: None }
    }

    /// It ran and failed, and this is how.
    #[must_use]
    pub fn error(content: &str) -> Self {
        Self { status: Status::Error, content: Json::string(content), executor: None }
    }
}

/// Withdraw a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"reason": "no longer wanted"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CancelRequest {
    /// The reason, for the readers of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Let another executor take over a call whose outcome is unknown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"comment": "it never reached the mail server"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReleaseRequest {
    /// The reason, for the readers of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// Reads a whole number of seconds; `60.0` is one, too, as JSON knows but one kind of number.
fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(given) = Option::<serde_json::Number>::deserialize(deserializer)? else { return Ok(None) };
    let whole = given.as_u64().or_else(|| {
        // A whole number of this size is exact in a double, in both directions.
        let number = given.as_f64().filter(|number| number.fract() == 0.0)?;
        format!("{number:.0}").parse().ok()
    });
    let seconds = whole.and_then(|whole| u32::try_from(whole).ok());
    let why =
        || de::Error::custom(format_args!("{given} is not a whole number of seconds from 0 to {}", u32::MAX));
    seconds.map(Some).ok_or_else(why)
}

/// The statuses that an executor may report; the gate writes the others.
#[cfg(feature = "openapi")]
fn reported() -> utoipa::openapi::schema::Object {
    utoipa::openapi::ObjectBuilder::new()
        .schema_type(utoipa::openapi::Type::String)
        .enum_values(Some([Status::Success, Status::Error, Status::Cancelled].map(Status::as_str)))
        .build()
}

/// Reads a word that must be known: in a request, one of a newer version is as wrong as a slip.
pub(super) fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
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
    let given = Option::<String>::deserialize(deserializer)?;
    given.map(|text| text.parse().map_err(de::Error::custom)).transpose()
}
