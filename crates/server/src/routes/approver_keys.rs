//! `POST /v1/approver-keys` and `POST /v1/approver-keys/{id}/remove`

use super::RouteAnswer;
use crate::{
    AppState,
    extract::{OperationGate, PasskeySite, ReceivedOperation},
    problem::ProblemResponse,
};
use axum::{Json, extract::State, http::StatusCode};
use countersign_api::{
    self as api, CallGate, ErrorCode, SendOperation,
    operations::{AddApproverKey, RemoveApproverKey},
};
use countersign_approvals::access::Right;
use countersign_events::ProofKind;
use countersign_gate::KeyRegistration;
use countersign_proofs::{
    BadProof,
    passkey::{PasskeyRegistration, read_origin},
};

/// Adds a key, with what the passkey registration and the caller's session say about it.
pub(super) async fn add(
    State(app): State<AppState>,
    gate: OperationGate<AddApproverKey>,
    site: PasskeySite,
    ReceivedOperation(AddApproverKey { body: mut request }): ReceivedOperation<AddApproverKey>,
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
    // A passkey that a person registers for themselves signs in with the rights of the token from which the session
    // comes.
    let is_own = request.approver.as_ref().is_none_or(|approver| approver == gate.principal());
    let signs_in = is_own && request.kind == ProofKind::Passkey && gate.identity().holder.may(Right::Decide);
    let record = gate.identity().record.as_deref().filter(|_| signs_in);
    let token = record.and_then(|record| gate.find_origin(record));
    let added = gate.add_approver_key_as(&request, KeyRegistration { as_admin, token, web_origin }).await?;
    Ok((StatusCode::CREATED, Json(added)))
}

/// Removes a key, if it is the caller's own or the caller is an admin.
pub(super) async fn remove(
    gate: OperationGate<RemoveApproverKey>,
    ReceivedOperation(operation): ReceivedOperation<RemoveApproverKey>,
) -> RouteAnswer<api::ApproverKey> {
    let holder = &gate.identity().holder;
    let is_own = gate.owner_of_key(&operation.id).is_none_or(|owner| owner == *gate.principal());
    if !is_own && !holder.may(Right::Administer) {
        let why = "this is the key of another person, which only an admin removes";
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, why));
    }
    Ok(Json(gate.send(operation).await?))
}
