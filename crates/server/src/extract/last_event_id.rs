//! `Last-Event-ID`: how far a reader of the stream came, which browsers say by themselves.

use super::{header, parse_cursor};
use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

/// The `seq` of the last event that the reader has, if it has any.
pub(crate) struct LastEventId(pub(crate) Option<i64>);

impl<S: Sync> FromRequestParts<S> for LastEventId {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let given = header(&parts.headers, "last-event-id")?.filter(|id| !id.is_empty());
        let seq = given.map(parse_cursor).transpose();
        Ok(Self(seq.map_err(|problem| problem.with_parameter("last-event-id"))?))
    }
}

impl IntoParams for LastEventId {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "How far the reader of a stream came: the `id` of its last message. It says that the reader was here \
             before and comes back; who reads for the first time begins with `after`. Stronger than `after`.";
        let schema = openapi::text("5").pattern(Some("^[0-9]{0,18}$"));
        vec![openapi::parameter("Last-Event-ID", ParameterIn::Header, what, schema)]
    }
}
