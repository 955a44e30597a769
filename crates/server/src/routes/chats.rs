//! `/chats/NAME`: to which a chat platform sends clicks. It is for everyone, because platforms have no credential: the platform's
//! signature is checked instead, and then the account that clicked.

use crate::{
    AppState,
    problem::{ProblemResponse, unknown_route},
};
use axum::{
    Json, Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    http::{HeaderMap, Uri},
    response::{IntoResponse, Response},
    routing::post,
};

/// The largest request, in bytes. A platform sends a whole message with each click.
const MAX_BODY: usize = 256 * 1024;

pub(super) fn routes() -> Router<AppState> {
    Router::new().route("/chats/{name}", post(receive)).layer(DefaultBodyLimit::max(MAX_BODY))
}

async fn receive(
    State(app): State<AppState>,
    Path(name): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let Some(chats) = &app.options.chats else {
        return unknown_route(uri).await.into_response();
    };
    match chats.receive(&name, &headers, &body).await {
        Ok(answer) => Json(answer).into_response(),
        Err(rejection) => ProblemResponse::from(rejection).into_response(),
    }
}
