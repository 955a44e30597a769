//! The HTTP endpoint for clients (streamable HTTP): a gateway for each session of the protocols up to 2025-11-25, and one that
//! all clients without sessions share (2026-07-28).

use super::{
    client_session::ClientSession,
    endpoint_options::EndpointOptions,
    frame_post::{FramePost, PostKind, PostRefusal},
};
use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};
use countersign_api::random_id;
use futures_util::stream;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{net::TcpListener, sync::mpsc};

/// The most bytes of a client message.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// The time after which a stream without messages gets a comment, so that nothing between counts it as dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The number of frames that wait for a client.
const QUEUED_FRAMES: usize = 64;

/// The session's header.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The HTTP endpoint for clients.
pub struct ClientEndpoint {
    options: EndpointOptions,
    sessions: Mutex<HashMap<String, Arc<ClientSession>>>,
    /// The gateway of all clients without sessions.
    shared: tokio::sync::Mutex<Option<Arc<ClientSession>>>,
    marks: AtomicU64,
}

/// Creates the endpoint's routes: `/mcp`.
pub fn client_router(endpoint: Arc<ClientEndpoint>) -> Router {
    let methods = post(take_post).get(open_stream).delete(end_session);
    Router::new().route("/mcp", methods).layer(DefaultBodyLimit::max(MAX_BODY_BYTES)).with_state(endpoint)
}

/// Serves routes on a socket, until the future is dropped.
pub async fn serve_endpoint(listener: TcpListener, router: Router) -> std::io::Result<()> {
    axum::serve(listener, router).await
}

impl ClientEndpoint {
    /// Creates an endpoint without sessions.
    #[must_use]
    pub fn new(options: EndpointOptions) -> Arc<Self> {
        let (sessions, shared) = (Mutex::default(), tokio::sync::Mutex::default());
        Arc::new(Self { options, sessions, shared, marks: AtomicU64::new(1) })
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<ClientSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all sessions.
    pub async fn close(&self) {
        for (_, session) in self.sessions().drain() {
            session.close();
        }
        if let Some(session) = self.shared.lock().await.take() {
            session.close();
        }
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), PostRefusal> {
        let value =
            headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if self.options.token.is_in(value) { Ok(()) } else { Err(PostRefusal::Unauthorized) }
    }

    /// The session that a request names.
    fn find_session(&self, headers: &HeaderMap) -> Result<(String, Arc<ClientSession>), PostRefusal> {
        let id = headers.get(SESSION).ok_or(PostRefusal::NoSession)?;
        let id = id.to_str().map_err(|_| PostRefusal::UnknownSession)?;
        let session = self.sessions().get(id).cloned().filter(|session| !session.is_ended());
        let session = session.ok_or(PostRefusal::UnknownSession)?;
        session.touch((self.options.now)());
        Ok((id.to_owned(), session))
    }

    /// Begins a session.
    async fn begin_session(&self) -> Result<(String, Arc<ClientSession>), PostRefusal> {
        let now = (self.options.now)();
        {
            let mut sessions = self.sessions();
            sessions.retain(|_, session| {
                let is_kept = !session.is_ended() && !session.is_idle(now, self.options.idle_limit);
                if !is_kept {
                    session.close();
                }
                is_kept
            });
            if sessions.len() >= self.options.max_sessions {
                return Err(PostRefusal::TooManySessions(self.options.max_sessions));
            }
        }
        let streams = (self.options.start)().await.map_err(PostRefusal::Start)?;
        let session = ClientSession::start(streams, false, now);
        let id = random_id("");
        self.sessions().insert(id.clone(), Arc::clone(&session));
        Ok((id, session))
    }

    /// The gateway of clients without sessions, which is started for the first of them.
    async fn shared_session(&self) -> Result<Arc<ClientSession>, PostRefusal> {
        let mut shared = self.shared.lock().await;
        if let Some(session) = shared.as_ref().filter(|session| !session.is_ended()) {
            return Ok(Arc::clone(session));
        }
        let streams = (self.options.start)().await.map_err(PostRefusal::Start)?;
        let session = ClientSession::start(streams, true, (self.options.now)());
        *shared = Some(Arc::clone(&session));
        Ok(session)
    }

    async fn answer_post(&self, headers: &HeaderMap, body: String) -> Result<Response, PostRefusal> {
        self.check_token(headers)?;
        let frames = FramePost::read(&body, headers)?;
        if frames.kind == PostKind::Stateless {
            return self.answer_stateless(frames).await;
        }
        let begins = frames.kind == PostKind::Initialize && !headers.contains_key(SESSION);
        let (id, session) = if begins { self.begin_session().await? } else { self.find_session(headers)? };
        let (sender, receiver) = mpsc::channel(QUEUED_FRAMES);
        for request in &frames.requests {
            if !session.open_response(&request.key, request.progress.clone(), sender.clone()) {
                frames.requests.iter().for_each(|request| _ = session.close_response(&request.key));
                return Err(PostRefusal::UsedId);
            }
        }
        drop(sender);
        for text in &frames.texts {
            if !session.send(text).await {
                return Err(PostRefusal::UnknownSession);
            }
        }
        if frames.requests.is_empty() {
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        let mut response = frames.respond(receiver).await?;
        if begins && let Ok(id) = HeaderValue::from_str(&id) {
            response.headers_mut().insert(SESSION, id);
        }
        Ok(response)
    }

    /// Ids and tokens get a mark, because several clients may use the same. A client that closes its response cancels the request.
    async fn answer_stateless(&self, frames: FramePost) -> Result<Response, PostRefusal> {
        let session = self.shared_session().await?;
        let Some(request) = frames.requests.first() else {
            // This version has no notifications from clients over HTTP.
            return Ok(StatusCode::ACCEPTED.into_response());
        };
        let mark = format!("http{}", self.marks.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = mpsc::channel(QUEUED_FRAMES);
        if !session.open_response(&mark, None, sender) {
            return Err(PostRefusal::UsedId);
        }
        let cancellation = CancelOnDrop {
            session: Arc::clone(&session),
            cancelled: request.cancellation(&mark),
            mark: mark.clone(),
        };
        if !session.send(&request.marked(&mark)).await {
            return Err(PostRefusal::Start("the gateway has ended; repeat the request".to_owned()));
        }
        frames.respond_holding(receiver, cancellation).await
    }
}

/// Cancels a request without a session when its response is dropped.
struct CancelOnDrop {
    session: Arc<ClientSession>,
    mark: String,
    cancelled: String,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if self.session.close_response(&self.mark) {
            let (session, cancelled) = (Arc::clone(&self.session), std::mem::take(&mut self.cancelled));
            tokio::spawn(async move { session.send(&cancelled).await });
        }
    }
}

impl FramePost {
    async fn respond(&self, frames: mpsc::Receiver<String>) -> Result<Response, PostRefusal> {
        self.respond_holding(frames, ()).await
    }

    /// Answers with a stream of events, or with the answer alone if the client reads no events. `held` lives as long.
    async fn respond_holding<T: Send + 'static>(
        &self,
        mut frames: mpsc::Receiver<String>,
        held: T,
    ) -> Result<Response, PostRefusal> {
        if self.accepts_events {
            return Ok(event_stream(frames, held));
        }
        let mut answers = Vec::new();
        while let Some(frame) = frames.recv().await {
            if self.is_answer(&frame) {
                answers.push(frame);
            }
        }
        drop(held);
        let body = match (&answers[..], self.kind == PostKind::Batch) {
            ([], _) => return Err(PostRefusal::Start("the gateway ended before it answered".to_owned())),
            ([only], false) => only.clone(),
            (all, _) => format!("[{}]", all.join(",")),
        };
        Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
    }
}

/// A response with one event for each frame, until all senders are gone.
fn event_stream<T: Send + 'static>(frames: mpsc::Receiver<String>, held: T) -> Response {
    let events = stream::unfold((frames, held), async |(mut frames, held)| {
        let event = match tokio::time::timeout(KEEP_ALIVE, frames.recv()).await {
            Ok(Some(frame)) => format!("event: message\ndata: {frame}\n\n"),
            Ok(None) => return None,
            Err(_) => ":\n\n".to_owned(),
        };
        Some((Ok::<_, std::convert::Infallible>(event), (frames, held)))
    });
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(events)).into_response()
}

async fn take_post(
    State(endpoint): State<Arc<ClientEndpoint>>,
    headers: HeaderMap,
    body: String,
) -> Response {
    endpoint.answer_post(&headers, body).await.unwrap_or_else(IntoResponse::into_response)
}

/// Opens the stream on which a session gets requests and notifications.
async fn open_stream(State(endpoint): State<Arc<ClientEndpoint>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = endpoint.check_token(&headers) {
        return refusal.into_response();
    }
    if !headers.contains_key(SESSION) {
        return PostRefusal::NoStream.into_response();
    }
    match endpoint.find_session(&headers) {
        Ok((_, session)) => {
            let (sender, receiver) = mpsc::channel(QUEUED_FRAMES);
            let waiting = session.open_stream(sender.clone());
            tokio::spawn(async move {
                for frame in waiting {
                    // A client that has closed the stream reads nothing.
                    let _ = sender.send(frame).await;
                }
            });
            event_stream(receiver, ())
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn end_session(State(endpoint): State<Arc<ClientEndpoint>>, headers: HeaderMap) -> Response {
    if let Err(refusal) = endpoint.check_token(&headers) {
        return refusal.into_response();
    }
    match endpoint.find_session(&headers) {
        Ok((id, session)) => {
            endpoint.sessions().remove(&id);
            session.close();
            StatusCode::NO_CONTENT.into_response()
        }
        Err(refusal) => refusal.into_response(),
    }
}
