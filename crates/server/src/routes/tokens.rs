//! `GET` and `POST /v1/tokens`, `POST /v1/tokens/{id}/revoke`

use super::RouteAnswer;
use crate::{
    extract::{AdminGate, JsonBody, NoQuery, TokenPath, TokenQuery},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, http::StatusCode};
use countersign_api::{self as api, ApprovalGate};

refusals!(RevokeRefusals: UnknownToken);

/// Lists the tokens, the oldest first.
///
/// The list has the tokens and links that are accepted; with `all=true` also sessions, and those that are not accepted any
/// more. It never has a secret.
#[utoipa::path(
    get,
    path = "/v1/tokens",
    operation_id = "listTokens",
    tag = "access",
    params(TokenQuery),
    responses((status = 200, description = "The tokens.", body = api::TokenPage))
)]
pub(super) async fn list(gate: AdminGate, query: TokenQuery) -> RouteAnswer<api::TokenPage> {
    let selection = if query.all { api::TokenSelection::All } else { api::TokenSelection::Active };
    Ok(Json(gate.tokens(selection, query.page).await?))
}

/// Creates a token, or a link that signs a person in once.
///
/// The response alone contains the secret; the log keeps its hash.
#[utoipa::path(
    post,
    path = "/v1/tokens",
    operation_id = "createToken",
    tag = "access",
    request_body(content = api::TokenRequest),
    responses((status = 201, description = "The token with its secret.", body = api::NewToken))
)]
pub(super) async fn create(
    gate: AdminGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::TokenRequest>,
) -> Result<(StatusCode, Json<api::NewToken>), ProblemResponse> {
    Ok((StatusCode::CREATED, Json(gate.create_token(&request).await?)))
}

/// Revokes a token, with every session that was made from it.
///
/// Revoking it again succeeds.
#[utoipa::path(
    post,
    path = "/v1/tokens/{id}/revoke",
    operation_id = "revokeToken",
    tag = "access",
    params(TokenPath),
    request_body(content = api::RevokeTokenRequest),
    responses((status = 200, description = "The token, revoked.", body = api::Token), RevokeRefusals)
)]
pub(super) async fn revoke(
    gate: AdminGate,
    TokenPath(id): TokenPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::RevokeTokenRequest>,
) -> RouteAnswer<api::Token> {
    Ok(Json(gate.revoke_token(&id, &request).await?))
}
