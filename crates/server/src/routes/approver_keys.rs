//! `GET` and `POST /v1/approver-keys`, `POST /v1/approver-keys/{id}/remove`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{ApproverKeyPath, JsonBody, ManageKeysGate, NoQuery, PasskeySite, ReadPolicyGate, TokenQuery},
    openapi::refusals,
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode};
use countersign_api::{self as api, ApprovalGate, ErrorCode};
use countersign_gate::{
    KeyRegistration,
    access::Right,
    event::ProofKind,
    proofs::{
        BadProof,
        passkey::{PasskeyRegistration, read_origin},
    },
};

refusals!(AddKeyRefusals: NotAnApprover, ProofRequired, ProofInvalid);
refusals!(RemoveKeyRefusals: UnknownKey);

/// Lists the keys of approvers, the oldest first.
///
/// The list has the keys that prove decisions; with `all=true` also those that were removed. `log` identifies the log, and
/// each statement that a person signs names it.
#[utoipa::path(
    get,
    path = "/v1/approver-keys",
    operation_id = "listApproverKeys",
    tag = "access",
    params(TokenQuery),
    responses((status = 200, description = "The keys.", body = api::ApproverKeyPage))
)]
pub(super) async fn list(gate: ReadPolicyGate, query: TokenQuery) -> RouteAnswer<api::ApproverKeyPage> {
    let selection =
        if query.all { api::ApproverKeySelection::All } else { api::ApproverKeySelection::Active };
    Ok(Json(gate.approver_keys(selection, query.page).await?))
}

/// Adds a key of an approver.
///
/// An approver adds its own keys. The first one needs no proof, unless the policy lets only admins add keys; each further
/// one needs a proof by an earlier key, and the error `proof_required` has the statement to sign. An admin adds keys of
/// every person. Repeating it succeeds.
#[utoipa::path(
    post,
    path = "/v1/approver-keys",
    operation_id = "addApproverKey",
    tag = "access",
    request_body(content = api::ApproverKeyRequest),
    responses((status = 201, description = "The key.", body = api::ApproverKey), AddKeyRefusals)
)]
pub(super) async fn add(
    State(app): State<AppState>,
    gate: ManageKeysGate,
    site: PasskeySite,
    _: NoQuery,
    JsonBody(mut request): JsonBody<api::ApproverKeyRequest>,
) -> Result<(StatusCode, Json<api::ApproverKey>), ProblemResponse> {
    let as_admin = gate.identity().holder.may(Right::Administer);
    let mut web_origin = None;
    if let Some(created) = request.passkey.take() {
        let registration =
            PasskeyRegistration { client_data: &created.client_data, attestation: &created.attestation };
        let refuse = |why: BadProof| ProblemResponse::new(ErrorCode::ProofInvalid, why.to_string());
        let key =
            registration.check(gate.log_id().await?, gate.principal(), &site.name()?).map_err(refuse)?;
        let (origin, _) = read_origin(registration.client_data).map_err(refuse)?;
        app.guard.own.check_page(&origin)?;
        web_origin = Some(origin);
        (request.kind, request.public_key) = (ProofKind::Passkey, Some(key.to_string()));
    }
    // A passkey that a person registers for itself signs in with the rights of the token at the beginning of the session.
    let is_own = request.approver.as_ref().is_none_or(|approver| approver == gate.principal());
    let signs_in = is_own && request.kind == ProofKind::Passkey && gate.identity().holder.may(Right::Decide);
    let record = gate.identity().record.as_deref().filter(|_| signs_in);
    let token = record.and_then(|record| gate.find_origin(record));
    let added = gate.add_approver_key_as(&request, KeyRegistration { as_admin, token, web_origin }).await?;
    Ok((StatusCode::CREATED, Json(added)))
}

/// Removes a key of an approver, whose proofs are not accepted from then on.
///
/// An approver removes its own keys, an admin those of every person. Proofs in the log stay valid. Repeating it succeeds.
#[utoipa::path(
    post,
    path = "/v1/approver-keys/{id}/remove",
    operation_id = "removeApproverKey",
    tag = "access",
    params(ApproverKeyPath),
    request_body(content = api::RemoveKeyRequest),
    responses((status = 200, description = "The key, removed.", body = api::ApproverKey), RemoveKeyRefusals)
)]
pub(super) async fn remove(
    gate: ManageKeysGate,
    ApproverKeyPath(id): ApproverKeyPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::RemoveKeyRequest>,
) -> RouteAnswer<api::ApproverKey> {
    let holder = &gate.identity().holder;
    let is_own = gate.owner_of_key(&id).is_none_or(|owner| owner == *gate.principal());
    if !is_own && !holder.may(Right::Administer) {
        let why = "this is the key of another person, which only an admin removes";
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, why));
    }
    Ok(Json(gate.remove_approver_key(&id, &request).await?))
}
