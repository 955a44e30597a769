//! The answers to connections beyond the maximum: only the liveness check works, so that a supervisor does not restart
//! a server that is merely full.

use crate::problem::ProblemResponse;
use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use countersign_api::ErrorCode;

/// Returns a router that answers `/healthz` like `router` and refuses every other request. Each answer ends its
/// connection.
pub(crate) fn full_router(router: Router, max_connections: usize) -> Router {
    router.layer(middleware::from_fn_with_state(max_connections, answer_when_full))
}

async fn answer_when_full(State(max_connections): State<usize>, request: Request, next: Next) -> Response {
    let mut response = if request.uri().path() == "/healthz" {
        next.run(request).await
    } else {
        let detail = format!(
            "the server has {max_connections} connections, the maximum; close some, or try again later"
        );
        ProblemResponse::new(ErrorCode::TooManyConnections, detail).into_response()
    };
    response.headers_mut().insert(header::CONNECTION, const { HeaderValue::from_static("close") });
    response
}
