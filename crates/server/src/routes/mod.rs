//! The endpoints, each in a file of its own, and the parts that they share.

mod advisors;
mod agent_world;
mod answer;
mod app_page;
mod approver_keys;
mod calls;
mod cancel;
mod claim;
mod close;
mod decide;
mod decide_all;
mod document;
mod erase;
mod events;
mod finish;
mod flag;
mod grants;
mod health;
mod heartbeat;
mod lace;
mod log_policy;
mod log_tag;
mod managed_rules;
pub(crate) mod message_answer;
mod messages;
mod metrics;
mod mode;
#[cfg(feature = "oidc")]
mod oidc;
mod opey;
#[cfg(feature = "oidc")]
mod outcome_page;
mod passkey_sessions;
mod pending;
mod policy;
mod policy_tools;
mod propose;
mod release;
mod renew;
mod scope;
mod sessions;
mod show;
mod sign_in_page;
mod stats;
mod status;
mod stop;
mod threads;
mod tokens;
mod tools;
mod webhooks;

use crate::{
    AppState,
    openapi::{self, ApiDocument},
};
use answer::{EMPTY, RouteAnswer, begin_wait, wait_for_decision, with_preference_applied};
use axum::Router;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Creates the router of all endpoints, and the OpenAPI document that describes them.
pub(crate) fn router() -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let (router, mut document) = OpenApiRouter::with_openapi(ApiDocument::openapi())
        .routes(routes!(health::welcome))
        .routes(routes!(health::liveness))
        .routes(routes!(health::readiness))
        .routes(routes!(metrics::metrics))
        .routes(routes!(document::document))
        .routes(routes!(pending::list_all))
        .routes(routes!(decide_all::decide_all))
        .routes(routes!(stop::stop_all))
        .routes(routes!(events::list_all))
        .routes(routes!(stats::stats))
        .routes(routes!(status::show))
        .routes(routes!(sessions::show_caller))
        .routes(routes!(sessions::sign_in, sessions::sign_out_everywhere))
        .routes(routes!(passkey_sessions::begin))
        .routes(routes!(passkey_sessions::sign_in))
        .routes(routes!(sessions::sign_out))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(approver_keys::list, approver_keys::add))
        .routes(routes!(approver_keys::remove))
        .routes(routes!(webhooks::list, webhooks::add))
        .routes(routes!(webhooks::remove))
        .routes(routes!(webhooks::test))
        .routes(routes!(webhooks::retry))
        .merge(advisor_routes())
        .merge(interface_routes())
        .routes(routes!(tools::list, tools::define))
        .routes(routes!(tools::show))
        .routes(routes!(tools::accept))
        .routes(routes!(log_policy::show, log_policy::apply))
        .routes(routes!(log_policy::history))
        .routes(routes!(policy_tools::list_rules))
        .routes(routes!(policy_tools::check))
        .routes(routes!(policy_tools::replay))
        .routes(routes!(policy_tools::suggest))
        .routes(routes!(managed_rules::add))
        .routes(routes!(managed_rules::remove))
        .routes(routes!(calls::list_all))
        .routes(routes!(threads::list))
        .routes(routes!(threads::show))
        .routes(routes!(propose::propose, calls::list_in_thread))
        .routes(routes!(show::show))
        .routes(routes!(heartbeat::heartbeat))
        .routes(routes!(claim::claim))
        .routes(routes!(renew::renew))
        .routes(routes!(finish::finish))
        .routes(routes!(cancel::cancel))
        .routes(routes!(release::release))
        .routes(routes!(flag::flag))
        .routes(routes!(erase::erase))
        .routes(routes!(scope::preview_scope))
        .routes(routes!(pending::list_in_thread, decide::decide_pending))
        .routes(routes!(decide::decide))
        .routes(routes!(events::list_in_thread))
        .routes(routes!(grants::list))
        .routes(routes!(grants::revoke))
        .routes(routes!(messages::list, messages::add))
        .routes(routes!(mode::show, mode::set))
        .routes(routes!(policy::show, policy::set))
        .routes(routes!(stop::stop_thread))
        .routes(routes!(close::close))
        .split_for_parts();
    openapi::complete(&mut document);
    let pages =
        document::page().merge(sign_in_page::routes()).merge(app_page::files()).merge(app_page::pages());
    #[cfg(feature = "oidc")]
    let pages = pages.merge(oidc::routes());
    (router.merge(pages), document)
}

/// The advisors of the policy.
fn advisor_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(advisors::list))
        .routes(routes!(advisors::report))
        .routes(routes!(advisors::set_mode))
}

/// The interfaces of other systems.
fn interface_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(lace::list_pending))
        .routes(routes!(lace::decide))
        .routes(routes!(opey::follow, opey::decide))
        .routes(routes!(agent_world::list_messages, agent_world::add_messages))
        .routes(routes!(agent_world::check_tool))
}
