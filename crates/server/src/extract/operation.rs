//! Extracts a table operation: its path, query parameters and body, in this order.

use super::{
    body::{JsonBody, parse_json},
    query::{AcceptedParameters, QueryParameters},
};
use crate::{AppState, problem::ProblemResponse};
use axum::{
    RequestExt, RequestPartsExt,
    extract::{FromRequest, RawPathParams, Request},
};
use countersign_api::operations::{Operation, OperationQuery, OperationRequest, QueryValues};
use std::marker::PhantomData;

/// The operation that a request describes.
pub(crate) struct ReceivedOperation<O>(pub(crate) O);

/// The query parameters of an operation.
struct OperationParameters<O>(PhantomData<O>);

impl<O: Operation> AcceptedParameters for OperationParameters<O> {
    const NAMES: &[&str] = O::Query::NAMES;
}

impl<O: Operation> FromRequest<AppState> for ReceivedOperation<O> {
    type Rejection = ProblemResponse;

    async fn from_request(request: Request, app: &AppState) -> Result<Self, ProblemResponse> {
        let (mut parts, body) = request.into_parts();
        let parameters: RawPathParams =
            parts.extract().await.map_err(|why| ProblemResponse::invalid(format!("{why}")))?;
        let path = |name: &str| {
            let found = parameters.iter().find_map(|(part, value)| (part == name).then(|| value.to_owned()));
            found.unwrap_or_default()
        };
        O::check_path(&path)?;
        let query: QueryParameters<OperationParameters<O>> = parts.extract().await?;
        let body = if O::ROW.method.has_body() {
            let request = Request::from_parts(parts, body);
            let JsonBody(body) = request.extract_with_state(app).await?;
            body
        } else {
            parse_json(&[])?
        };
        let QueryParameters { page, all, touched, days_at, day, filter, .. } = query;
        let query =
            QueryValues { page, all, touched, since: filter.since, until: filter.until, days_at, day };
        let query = O::Query::from_values(query);
        Ok(Self(O::from_request(OperationRequest { path: &path, query, body })?))
    }
}
