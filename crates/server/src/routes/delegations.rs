//! `POST /v1/delegations/{seq}/end`: with the rights of the caller's credential.

use super::RouteAnswer;
use crate::extract::{OperationGate, ReceivedOperation};
use axum::Json;
use countersign_api::{self as api, operations::EndDelegation};
use countersign_approvals::access::Right;

/// Ends a delegation, if the caller is one of its two people or an admin.
pub(super) async fn end(
    gate: OperationGate<EndDelegation>,
    ReceivedOperation(operation): ReceivedOperation<EndDelegation>,
) -> RouteAnswer<api::Delegation> {
    let as_admin = gate.identity().holder.may(Right::Administer);
    Ok(Json(gate.end_delegation(operation.seq, &operation.body, as_admin).await?))
}
