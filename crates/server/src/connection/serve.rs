//! One connection: it answers requests until the client closes it, takes too long, or the server stops.

use super::{
    ConnectionOrigin, ConnectionTimeouts,
    activity::{ConnectionActivity, ConnectionStep},
    bodies::{SharedBody, TrackedBody, sleep_until},
    timed_io::TimedSocket,
};
use crate::limits::MAX_HEADERS;
use axum::{
    Router,
    body::Body,
    http::{Request, header::EXPECT},
};
use hyper::{Response, body::Incoming, server::conn::http1, service::Service};
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use std::{
    convert::Infallible,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Sleep,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// The most bytes of a head, and of a response that waits in memory until the client reads it.
const BUFFER_BYTES: usize = 128 * 1024;

/// The reason why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// The client closed the connection, or the server did after its last response.
    Closed,
    /// The client took too long for this step.
    TimedOut(ConnectionStep),
    /// The client and the server did not agree on TLS.
    FailedHandshake,
}

/// How a connection is served.
pub(super) struct ServedConnection {
    /// Answers the requests.
    pub(super) router: Router,
    pub(super) timeouts: ConnectionTimeouts,
    pub(super) origin: ConnectionOrigin,
}

/// Answers the requests of one connection. When `stop` is cancelled, finishes the request in progress.
pub(super) async fn serve_connection<S: AsyncRead + AsyncWrite + Unpin>(
    socket: S,
    connection: ServedConnection,
    stop: &CancellationToken,
) -> ConnectionEnd {
    let activity = Arc::new(ConnectionActivity::new(connection.timeouts));
    let socket = TimedSocket { socket, activity: Arc::clone(&activity) };
    answer_requests(socket, connection, DeadlineTimer { activity, sleep: None }, stop).await
}

/// Answers the requests of one connection with TLS. The time limits include the handshake bytes: the first byte ends
/// the step `connect`, and the step `head` lasts until the first request head is complete.
pub(super) async fn serve_encrypted<S: AsyncRead + AsyncWrite + Unpin>(
    socket: S,
    tls: &TlsAcceptor,
    connection: ServedConnection,
    stop: &CancellationToken,
) -> ConnectionEnd {
    let activity = Arc::new(ConnectionActivity::new(connection.timeouts));
    let mut timer = DeadlineTimer { activity: Arc::clone(&activity), sleep: None };
    let shaken = tokio::select! {
        shaken = tls.accept(TimedSocket { socket, activity }) => shaken,
        late = poll_fn(|context| timer.poll(context)) => return ConnectionEnd::TimedOut(late),
        () = stop.cancelled() => return ConnectionEnd::Closed,
    };
    match shaken {
        Ok(stream) => answer_requests(stream, connection, timer, stop).await,
        Err(error) => {
            tracing::debug!(%error, peer = %connection.origin.peer, "a TLS handshake failed");
            ConnectionEnd::FailedHandshake
        }
    }
}

async fn answer_requests<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    ServedConnection { router, origin, .. }: ServedConnection,
    mut timer: DeadlineTimer,
    stop: &CancellationToken,
) -> ConnectionEnd {
    let activity = Arc::clone(&timer.activity);
    let service = RequestService { router: TowerToHyperService::new(router), activity, origin };
    let mut builder = http1::Builder::new();
    let protocol = builder
        .max_buf_size(BUFFER_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut protocol = std::pin::pin!(protocol);
    let mut stopping = false;
    loop {
        let ended = poll_fn(|context| match protocol.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(ConnectionEnd::Closed),
            Poll::Pending => timer.poll(context).map(ConnectionEnd::TimedOut),
        });
        tokio::select! {
            end = ended => return end,
            () = stop.cancelled(), if !stopping => stopping = true,
        }
        protocol.as_mut().graceful_shutdown();
    }
}

/// A connection timer. It is set after each step, because all steps happen while the connection is polled.
struct DeadlineTimer {
    activity: Arc<ConnectionActivity>,
    sleep: Option<Pin<Box<Sleep>>>,
}

impl DeadlineTimer {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<ConnectionStep> {
        let Some((deadline, step)) = self.activity.next_deadline() else { return Poll::Pending };
        let sleep = self.sleep.get_or_insert_with(|| sleep_until(deadline));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(context).map(|()| step)
    }
}

/// Answers requests, and reports when they start and end.
struct RequestService {
    router: TowerToHyperService<Router>,
    activity: Arc<ConnectionActivity>,
    origin: ConnectionOrigin,
}

impl Service<Request<Incoming>> for RequestService {
    type Response = Response<TrackedBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.origin);
        let (begun, limit) = (self.activity.begin_request(), self.activity.body_timeout());
        // A client that waits for `100 Continue` sends no body before it, and reading would ask for the body.
        let waits = request.headers().contains_key(EXPECT);
        let (parts, body) = request.into_parts();
        let body = SharedBody::new(body, limit);
        let unread = (!waits).then(|| body.clone());
        let responding = self.router.call(Request::from_parts(parts, Body::new(body)));
        Box::pin(async move {
            let response = responding.await?;
            if let Some(unread) = unread {
                unread.discard_rest().await;
            }
            Ok(response.map(|body| TrackedBody { body, _request: begun }))
        })
    }
}
