//! `Last-Event-ID`: the last event that a stream reader has. Browsers send it when they reconnect.

use super::{header, parse_cursor};
use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use countersign_api::LogCursor;
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

/// The last event that the reader has; `None` if it reads for the first time.
pub struct LastEventId(pub Option<LogCursor>);

impl<S: Sync> FromRequestParts<S> for LastEventId {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let value = header(&parts.headers, "last-event-id")?.filter(|id| !id.is_empty());
        let cursor = value.map(parse_cursor).transpose();
        Ok(Self(cursor.map_err(|problem| problem.with_parameter("last-event-id"))?))
    }
}

impl IntoParams for LastEventId {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The `id` of the last message that the reader of a stream has. It marks the reader as \
                           returning, so use `after` for the first connection. It takes precedence over `after`.";
        let schema = openapi::text("5").pattern(Some("^([0-9]{1,18}(-[0-9a-f]{16})?)?$"));
        vec![openapi::parameter("Last-Event-ID", ParameterIn::Header, description, schema)]
    }
}
