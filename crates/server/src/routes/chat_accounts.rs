//! `/v1/chat-accounts`: only the caller's accounts unless it is an admin.

use super::RouteAnswer;
use crate::{
    extract::{OperationGate, ReceivedOperation},
    problem::ProblemResponse,
};
use axum::{Json, http::StatusCode};
use countersign_api::{
    self as api, CallGate, ErrorCode, SendOperation,
    operations::{LinkChatAccount, ListChatAccounts, UnlinkChatAccount},
};
use countersign_approvals::access::Right;

/// Lists the caller's accounts; for an admin those of every person.
pub(super) async fn list(
    gate: OperationGate<ListChatAccounts>,
    _: ReceivedOperation<ListChatAccounts>,
) -> RouteAnswer<api::ChatAccountList> {
    let is_own = !gate.identity().holder.may(Right::Administer);
    Ok(Json(gate.list_chat_accounts(is_own.then(|| gate.principal())).await?))
}

/// Links an account under the caller's session or token.
pub(super) async fn link(
    gate: OperationGate<LinkChatAccount>,
    ReceivedOperation(operation): ReceivedOperation<LinkChatAccount>,
) -> Result<(StatusCode, Json<api::ChatAccount>), ProblemResponse> {
    let token = gate.identity().record.as_ref().map(|record| record.created.id.clone());
    Ok((StatusCode::CREATED, Json(gate.link_chat_account(&operation.body, token.as_deref()).await?)))
}

/// Unlinks an account, if it is the caller's own or the caller is an admin.
pub(super) async fn unlink(
    gate: OperationGate<UnlinkChatAccount>,
    ReceivedOperation(operation): ReceivedOperation<UnlinkChatAccount>,
) -> RouteAnswer<api::ChatAccount> {
    let is_own = gate.owner_of_chat_account(operation.seq).is_none_or(|owner| owner == *gate.principal());
    if !is_own && !gate.identity().holder.may(Right::Administer) {
        let why = "this is the account of another person, which only an admin unlinks";
        return Err(ProblemResponse::new(ErrorCode::NotPermitted, why));
    }
    Ok(Json(gate.send(operation).await?))
}
