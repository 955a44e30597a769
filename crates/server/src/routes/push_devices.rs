//! `/v1/push/devices`: with the caller's session, and only the caller's devices unless it is an admin.

use super::RouteAnswer;
use crate::{
    extract::{OperationGate, ReceivedOperation},
    problem::ProblemResponse,
};
use axum::{Json, http::StatusCode};
use countersign_api::{
    self as api, CallGate, ErrorCode, SendOperation,
    operations::{ListPushDevices, RemovePushDevice, SetPushDevice},
};
use countersign_approvals::access::Right;

/// Lists the caller's devices; for an admin those of every person.
pub(super) async fn list(
    gate: OperationGate<ListPushDevices>,
    _: ReceivedOperation<ListPushDevices>,
) -> RouteAnswer<api::PushDeviceList> {
    let is_own = !gate.identity().holder.may(Right::Administer);
    Ok(Json(gate.list_push_devices(is_own.then(|| gate.principal()))?))
}

/// Registers a device under the caller's session or token, with which its notifications end.
pub(super) async fn set(
    gate: OperationGate<SetPushDevice>,
    ReceivedOperation(operation): ReceivedOperation<SetPushDevice>,
) -> Result<(StatusCode, Json<api::PushDevice>), ProblemResponse> {
    let token = gate.identity().record.as_ref().map(|record| record.created.id.clone());
    Ok((StatusCode::CREATED, Json(gate.set_push_device(&operation.body, token).await?)))
}

/// Removes a device, if it is the caller's own or the caller is an admin.
pub(super) async fn remove(
    gate: OperationGate<RemovePushDevice>,
    ReceivedOperation(operation): ReceivedOperation<RemovePushDevice>,
) -> RouteAnswer<api::PushDevice> {
    let is_own = gate.owner_of_device(&operation.id).is_none_or(|owner| owner == *gate.principal());
    if !is_own && !gate.identity().holder.may(Right::Administer) {
        let why = "this is the device of another person, which only an admin removes";
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, why));
    }
    Ok(Json(gate.send(operation).await?))
}
