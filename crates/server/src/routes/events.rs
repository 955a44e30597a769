//! `GET /v1/events` and `GET /v1/threads/{thread}/events`: a page of the log, or with
//! `Accept: text/event-stream` a stream that first brings what was missed and then what comes.

use crate::{
    App,
    extract::{OfThread, PageOf, cursor},
    problem::Problem,
};
use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse, Response},
};
use countersign_gate::{Clock, Event, Filter, api};
use futures_util::{Stream, StreamExt};
use std::{convert::Infallible, time::Duration};

/// How often an idle stream says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The log of all threads.
pub(super) async fn everywhere(
    State(app): State<App>,
    PageOf(page): PageOf,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(app, Filter::default(), page, &headers).await
}

/// The log of one thread.
pub(super) async fn of_thread(
    State(app): State<App>,
    OfThread(thread): OfThread,
    PageOf(page): PageOf,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    answer(app, Filter::of_thread(&thread), page, &headers).await
}

async fn answer(
    app: App,
    filter: Filter,
    page: api::PageOf,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if !text("accept").is_some_and(|accept| accept.contains("text/event-stream")) {
        return Ok(Json(app.gate.events(&filter, page).await?).into_response());
    }
    if app.stop.is_cancelled() {
        return Err(Problem::shutting_down());
    }
    // A browser that reconnects says how far it came; that is newer than what its address says.
    let after = text("last-event-id").filter(|id| !id.is_empty()).map_or(Ok(page.after), cursor)?;
    let stream = stream(app, filter, after).map(Ok::<_, Infallible>);
    let mut response = Body::from_stream(stream).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, const { HeaderValue::from_static("text/event-stream") });
    headers.insert(header::CACHE_CONTROL, const { HeaderValue::from_static("no-store") });
    // Proxies that would collect the stream before they pass it on are told not to.
    headers.insert("x-accel-buffering", const { HeaderValue::from_static("no") });
    Ok(response)
}

fn stream(app: App, filter: Filter, after: i64) -> impl Stream<Item = String> {
    async_stream::stream! {
        let mut events = app.gate.follow(filter, after);
        yield "retry: 1000\n\n".to_owned();
        loop {
            tokio::select! {
                () = app.stop.cancelled() => return,
                event = events.next() => match event {
                    Some(Ok(event)) => yield message(&event),
                    Some(Err(error)) => {
                        tracing::error!(%error, "a stream ends");
                        return;
                    }
                    None => return,
                },
                () = Clock::System.sleep(HEARTBEAT) => yield ":\n\n".to_owned(),
            }
        }
    }
}

/// One message. Its data is one line: a line break in JSON can only stand between tokens, where a space
/// means the same.
fn message(event: &Event) -> String {
    let data = serde_json::to_string(event).unwrap_or_default().replace(['\n', '\r'], " ");
    format!("id: {}\nevent: {}\ndata: {data}\n\n", event.seq, event.kind)
}
