//! The endpoints, each in its own file, and the parts that they share.

mod answer;
pub(crate) mod app_page;
mod approver_keys;
mod calls;
mod chat_accounts;
mod chats;
mod decide_all;
mod decide_pending;
mod delegations;
mod document;
mod events;
mod health;
mod log_tag;
pub(crate) mod message_answer;
mod messages;
mod metrics;
mod oidc;
mod oidc_sign_out;
mod operations;
mod outcome_page;
mod passkey_sessions;
mod pending;
mod policy_tools;
mod propose;
mod push_devices;
mod sessions;
mod show;
mod sign_in_page;
mod status;

use crate::{
    AppState, InterfaceRoutes,
    openapi::{self, ApiDocument},
};
use answer::{RouteAnswer, begin_wait, describe_wait, wait_for_decision, with_preference_applied};
use axum::Router;
use countersign_api::operations::{
    AddApproverKey, EndDelegation, LinkChatAccount, ListChatAccounts, ListPushDevices, ProposeCall,
    RemoveApproverKey, RemovePushDevice, SetPushDevice, ShowCall, ShowStatus, UnlinkChatAccount,
};
use operations::OperationRoutes;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Creates the OpenAPI document of all endpoints.
pub(crate) fn document(interfaces: Option<InterfaceRoutes>) -> utoipa::openapi::OpenApi {
    let (_, mut document) = router(interfaces);
    openapi::complete(&mut document);
    document
}

/// Creates the router of all endpoints, and the part of the OpenAPI document that is about each of them alone.
pub(crate) fn router(interfaces: Option<InterfaceRoutes>) -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let router = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .routes(routes!(health::welcome))
        .routes(routes!(health::liveness))
        .routes(routes!(health::readiness))
        .routes(routes!(metrics::metrics))
        .routes(routes!(document::document))
        .routes(routes!(pending::list_all))
        .routes(routes!(decide_all::decide_all))
        .routes(routes!(events::list_all))
        .routes(routes!(sessions::show_caller))
        .routes(routes!(sessions::sign_in, sessions::sign_out_everywhere))
        .routes(routes!(passkey_sessions::begin))
        .routes(routes!(passkey_sessions::sign_in))
        .routes(routes!(sessions::sign_out))
        .merge(interface_routes(interfaces))
        .routes(routes!(policy_tools::replay))
        .routes(routes!(policy_tools::suggest))
        .routes(routes!(calls::list_all))
        .routes(routes!(calls::list_in_thread))
        .routes(routes!(pending::list_in_thread, decide_pending::decide_pending))
        .routes(routes!(events::list_in_thread))
        .routes(routes!(messages::list));
    let (router, document) = OperationRoutes::new(router)
        .with_own::<ProposeCall, _>(propose::propose, describe_wait)
        .with_own::<ShowCall, _>(show::show, show::describe)
        .with_own::<ShowStatus, _>(status::show, |_| {})
        .with_own::<AddApproverKey, _>(approver_keys::add, |_| {})
        .with_own::<RemoveApproverKey, _>(approver_keys::remove, |_| {})
        .with_own::<ListPushDevices, _>(push_devices::list, |_| {})
        .with_own::<SetPushDevice, _>(push_devices::set, |_| {})
        .with_own::<RemovePushDevice, _>(push_devices::remove, |_| {})
        .with_own::<ListChatAccounts, _>(chat_accounts::list, |_| {})
        .with_own::<LinkChatAccount, _>(chat_accounts::link, |_| {})
        .with_own::<UnlinkChatAccount, _>(chat_accounts::unlink, |_| {})
        .with_own::<EndDelegation, _>(delegations::end, |_| {})
        .with_all_others()
        .split_for_parts();
    let pages = document::pages()
        .merge(sign_in_page::routes())
        .merge(app_page::files())
        .merge(app_page::pages())
        .merge(chats::routes())
        .merge(oidc::routes())
        .merge(oidc_sign_out::routes());
    (router.merge(pages), document)
}

/// The interfaces of other systems. Their tags follow those of `/v1`.
fn interface_routes(interfaces: Option<InterfaceRoutes>) -> OpenApiRouter<AppState> {
    interfaces.map_or_else(OpenApiRouter::new, |routes| routes())
}
