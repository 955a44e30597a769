//! `GET` and `POST /v1/webhooks`, `DELETE /v1/webhooks/{name}`, `POST …/test`, `POST …/retry`

use super::{RouteAnswer, close::EmptyBody};
use crate::{
    extract::{AdminGate, JsonBody, NoQuery, WebhookPath},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, http::StatusCode};
use countersign_api::{self as api, ApprovalGate};

refusals!(NameRefusals: UnknownWebhook);

/// Lists the webhooks, the oldest first, with the messages that are not delivered.
///
/// The list never has an address beyond its host, and never a secret.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "listWebhooks",
    tag = "webhooks",
    responses((status = 200, description = "The webhooks.", body = api::WebhookList))
)]
pub(super) async fn list(gate: AdminGate, _: NoQuery) -> RouteAnswer<api::WebhookList> {
    Ok(Json(gate.webhooks().await?))
}

/// Adds a webhook: messages about later events are sent to its target.
///
/// The response alone contains the signing secret. A target with a private address is refused, unless the request allows
/// it.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "addWebhook",
    tag = "webhooks",
    request_body(content = api::WebhookRequest),
    responses((status = 201, description = "The webhook with its secret.", body = api::NewWebhook))
)]
pub(super) async fn add(
    gate: AdminGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::WebhookRequest>,
) -> Result<(StatusCode, Json<api::NewWebhook>), ProblemResponse> {
    Ok((StatusCode::CREATED, Json(gate.add_webhook(&request).await?)))
}

/// Removes a webhook. Messages that are not delivered are not sent any more.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{name}",
    operation_id = "removeWebhook",
    tag = "webhooks",
    params(WebhookPath),
    responses((status = 200, description = "The webhook, as it was.", body = api::Webhook), NameRefusals)
)]
pub(super) async fn remove(
    gate: AdminGate,
    WebhookPath(name): WebhookPath,
    _: NoQuery,
) -> RouteAnswer<api::Webhook> {
    Ok(Json(gate.remove_webhook(&name).await?))
}

/// Sends a test message to the target of a webhook, once, and reports the outcome.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{name}/test",
    operation_id = "testWebhook",
    tag = "webhooks",
    params(WebhookPath),
    request_body(content = EmptyBody),
    responses((status = 200, description = "The outcome.", body = api::WebhookTestReport), NameRefusals)
)]
pub(super) async fn test(
    gate: AdminGate,
    WebhookPath(name): WebhookPath,
    _: NoQuery,
    JsonBody(EmptyBody {}): JsonBody<EmptyBody>,
) -> RouteAnswer<api::WebhookTestReport> {
    Ok(Json(gate.test_webhook(&name).await?))
}

/// Sends parked messages of a webhook again.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{name}/retry",
    operation_id = "retryWebhook",
    tag = "webhooks",
    params(WebhookPath),
    request_body(content = api::RetryWebhookRequest),
    responses((status = 200, description = "The webhook.", body = api::Webhook), NameRefusals)
)]
pub(super) async fn retry(
    gate: AdminGate,
    WebhookPath(name): WebhookPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::RetryWebhookRequest>,
) -> RouteAnswer<api::Webhook> {
    Ok(Json(gate.retry_webhook(&name, &request).await?))
}
