//! Extractors for the ids in a path.

use crate::{openapi, problem::ProblemResponse};
use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use countersign_api::operations::{CallPart, PathPart, ThreadPart};
use countersign_events::{CallId, ThreadId};
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
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
pub struct ThreadPath(pub ThreadId);

impl<S: Send + Sync> FromRequestParts<S> for ThreadPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        Ok(Self(countersign_api::parse_thread_id(&decode_part(parts, state, "thread").await?)?))
    }
}

/// The call in the path.
pub struct CallPath(pub ThreadId, pub CallId);

impl<S: Send + Sync> FromRequestParts<S> for CallPath {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ProblemResponse> {
        let ThreadPath(thread) = ThreadPath::from_request_parts(parts, state).await?;
        Ok(Self(thread, countersign_api::parse_call_id(&decode_part(parts, state, "id").await?)?))
    }
}

fn path_parameter<P: PathPart>(name: &str) -> Parameter {
    openapi::parameter(name, ParameterIn::Path, P::DESCRIPTION, P::schema())
}

impl IntoParams for ThreadPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter::<ThreadPart>("thread")]
    }
}

impl IntoParams for CallPath {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        vec![path_parameter::<ThreadPart>("thread"), path_parameter::<CallPart>("id")]
    }
}
