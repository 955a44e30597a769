//! `GET /v1/threads` and `GET /v1/threads/{thread}`

use super::tag;
use crate::{
    App,
    extract::{IfNoneMatch, NoQuery, OfThread, PageOf},
    openapi::refusals,
    problem::Problem,
};
use axum::{extract::State, response::Response};
use countersign_gate::api;

refusals!(ListRefusals: READS ASKED, "bad_cursor");
refusals!(Refusals: READS ASKED, "unknown_thread");

/// The threads.
///
/// The one that something happened in last comes first.
#[utoipa::path(
    get,
    path = "/v1/threads",
    operation_id = "listThreads",
    tag = "log",
    params(PageOf, IfNoneMatch),
    responses(
        (status = 200, description = "The threads.", body = api::Threads, headers(
            ("etag" = String, description = "The tag of the list, for `If-None-Match`."),
        )),
        IfNoneMatch,
        ListRefusals
    )
)]
pub(super) async fn list(
    State(app): State<App>,
    query: PageOf,
    have: IfNoneMatch,
) -> Result<Response, Problem> {
    let tag = tag(&app, None).await?;
    have.unless(&tag, async { Ok(app.gate.threads(query.page).await?) }).await
}

/// A thread.
#[utoipa::path(
    get,
    path = "/v1/threads/{thread}",
    operation_id = "getThread",
    tag = "log",
    params(OfThread, IfNoneMatch),
    responses(
        (status = 200, description = "The thread.", body = api::Thread, headers(
            ("etag" = String, description = "Its tag, for `If-None-Match`."),
        )),
        IfNoneMatch,
        Refusals
    )
)]
pub(super) async fn show(
    State(app): State<App>,
    OfThread(thread): OfThread,
    have: IfNoneMatch,
    _: NoQuery,
) -> Result<Response, Problem> {
    let tag = tag(&app, Some(&thread)).await?;
    // A thread without events is none: nobody has it, whatever they say.
    let have = if tag == super::EMPTY { IfNoneMatch::nothing() } else { have };
    have.unless(&tag, async { Ok(app.gate.thread(&thread).await?) }).await
}
