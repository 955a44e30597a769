//! The extractors of the ids in a path.

use crate::{openapi, problem::ProblemResponse};
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use countersign_gate::{CallId, ThreadId, ToolName};
use utoipa::{
    IntoParams, PartialSchema,
    openapi::{
        RefOr,
        path::{Parameter, ParameterIn},
        schema::{ObjectBuilder, Schema, Type},
    },
};

/// Returns the decoded value of a path parameter.
async fn decode_part<S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    name: &str,
) -> Result<String, ProblemResponse> {
    let all = RawPathParams::from_request_parts(parts, state).await;
    let all = all.map_err(|why| ProblemResponse::invalid(why.body_text()))?;
    let found = all.iter().find_map(|(key, value)| (key == name).then(|| value.to_owned()));
    Ok(found.unwrap_or_default())
}

/// The thread in the path.
pub(crate) struct ThreadPath(pub(crate) ThreadId);

impl<S: Send + Sync> FromRequestParts<S> for ThreadPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        Ok(Self(countersign_api::parse_thread_id(&decode_part(parts, state, "thread").await?)?))
    }
}

/// The call in the path.
pub(crate) struct CallPath(pub(crate) ThreadId, pub(crate) CallId);

impl<S: Send + Sync> FromRequestParts<S> for CallPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        let ThreadPath(thread) = ThreadPath::from_request_parts(parts, state).await?;
        Ok(Self(thread, countersign_api::parse_call_id(&decode_part(parts, state, "id").await?)?))
    }
}

/// The grant in the path.
pub(crate) struct GrantPath(pub(crate) ThreadId, pub(crate) i64);

impl<S: Send + Sync> FromRequestParts<S> for GrantPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        let ThreadPath(thread) = ThreadPath::from_request_parts(parts, state).await?;
        let seq = decode_part(parts, state, "seq").await?.parse().ok().filter(|seq| *seq >= 1);
        let why = "grant: must be the seq of the event that gave it";
        Ok(Self(thread, seq.ok_or_else(|| ProblemResponse::invalid(why))?))
    }
}

/// The token in the path.
pub(crate) struct TokenPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for TokenPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        decode_part(parts, state, "id").await.map(Self)
    }
}

/// The key of an approver in the path.
pub(crate) struct ApproverKeyPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for ApproverKeyPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        decode_part(parts, state, "id").await.map(Self)
    }
}

/// The webhook in the path.
pub(crate) struct WebhookPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for WebhookPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        decode_part(parts, state, "name").await.map(Self)
    }
}

/// The advisor in the path.
pub(crate) struct AdvisorPath(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for AdvisorPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        decode_part(parts, state, "name").await.map(Self)
    }
}

/// The tool in the path.
pub(crate) struct ToolPath(pub(crate) ToolName);

impl<S: Send + Sync> FromRequestParts<S> for ToolPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        Ok(Self(countersign_api::parse_tool_name(&decode_part(parts, state, "tool").await?)?))
    }
}

fn path_parameter(name: &str, description: &str, schema: impl Into<RefOr<Schema>>) -> Parameter {
    openapi::parameter(name, ParameterIn::Path, description, schema)
}

impl IntoParams for ThreadPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter("thread", "The id of the thread.", ThreadId::schema())]
    }
}

impl IntoParams for CallPath {
    fn into_params(within: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut all = ThreadPath::into_params(within);
        all.push(path_parameter("id", "The id of the call, unique in its thread.", CallId::schema()));
        all
    }
}

impl IntoParams for GrantPath {
    fn into_params(within: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let seq = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .minimum(Some(1))
            .maximum(Some(i64::MAX))
            .examples([3]);
        let mut all = ThreadPath::into_params(within);
        all.push(path_parameter("seq", "The grant: the `seq` of the response that created it.", seq));
        all
    }
}

impl IntoParams for ApproverKeyPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter("id", "The id of the key.", openapi::text("0123456789abcdef"))]
    }
}

impl IntoParams for WebhookPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter("name", "The name of the webhook.", openapi::text("ops"))]
    }
}

impl IntoParams for AdvisorPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter("name", "The name of the advisor.", openapi::text("reviewer"))]
    }
}

impl IntoParams for ToolPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter("tool", "The name of the tool.", ToolName::schema())]
    }
}

impl IntoParams for TokenPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let id = openapi::text("0123456789ab");
        vec![path_parameter("id", "The id of the token: the part between the first two `_`.", id)]
    }
}
