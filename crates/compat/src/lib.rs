//! The interfaces of other systems, for clients and configurations that were written for them: Lace, Opey, Agent World and
//! Golem Forge. Nothing in Countersign depends on them: without this crate, the service has no routes of theirs.

mod agent_world;
mod call_moment;
mod dialect;
pub mod golem_forge;
mod lace;
mod opey;

use axum::Router;
use countersign_server::interface::AppState;
use utoipa::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Declares the codes that one operation can return, in addition to the common ones.
macro_rules! refusals {
    ($name:ident: $($code:ident),+ $(,)?) => {
        /// The refusals of this operation, in addition to the common ones.
        pub(super) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                countersign_server::interface::refusal_responses(&[$(countersign_api::ErrorCode::$code),+])
            }
        }
    };
}

use refusals;

/// The interface tags in the OpenAPI document.
#[derive(OpenApi)]
#[openapi(tags(
    (name = "lace", description = "The interface of Lace, for clients that were written for it."),
    (name = "opey", description = "The interface of Opey, for clients that were written for it."),
    (name = "agent-world", description = "The interface of Agent World, for clients that were written for it."),
))]
struct InterfaceDocument;

/// Creates the routes of all interfaces.
#[must_use]
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(InterfaceDocument::openapi())
        .routes(routes!(lace::list_pending))
        .routes(routes!(lace::list_pending_of_session))
        .routes(routes!(lace::decide))
        .routes(routes!(lace::decide_in_session))
        .routes(routes!(lace::follow_session))
        .routes(routes!(lace::follow))
        .merge(opey_routes())
        .merge(agent_world_routes())
        // The same routes, so the OpenAPI document has them once.
        .merge(Router::new().nest("/api", agent_world_routes().into()).into())
}

fn agent_world_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(agent_world::list_messages, agent_world::add_messages))
        .routes(routes!(agent_world::add_result))
        .routes(routes!(agent_world::check_tool))
}

/// Creates the routes of Opey, whose errors have the members that its client shows.
fn opey_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(opey::follow, opey::decide))
        .routes(routes!(opey::chat))
        .layer(axum::middleware::map_response(opey::add_shown_error))
}
