//! The HTTP API over a gate: JSON under `/v1`, problem details (RFC 9457) for every error, and the log as a stream of
//! server-sent events. Each endpoint has its own file in `routes/`.
//!
//! The server listens on loopback addresses and socket files, or beyond them with TLS ([`tls`]) or behind a proxy. It
//! rejects requests that a browser sends on behalf of a foreign web page ([`guard`]).

mod address;
mod app_state;
mod chat_receiver;
mod checkpoint_monitor;
mod codes;
mod connected_clients;
mod connection;
mod extract;
mod full;
mod guard;
mod identity;
pub mod interface;
mod limits;
mod listen;
mod metrics;
mod openapi;
mod problem;
mod public_paths;
mod request_id;
mod request_log;
mod routes;
mod server_error;
mod socket_file;
mod stream;
mod tls;

pub use address::{BadAddress, ListenAddress};
pub use app_state::ServerOptions;
pub(crate) use app_state::{AppState, InterfaceRoutes, ServerState};
pub use chat_receiver::{ChatReceiver, ChatRejection};
pub use checkpoint_monitor::CheckpointMonitor;
pub use connection::{ConnectionTimeouts, DescriptorLimit, PeerAddress};
pub use guard::{BadOrigin, BadProxy, NetworkAccess, TrustedProxy, WebOrigin, guard_router};
pub use identity::IdentityHeader;
pub use limits::RequestLimits;
pub use listen::{BoundListener, ListenOptions};
pub use server_error::ServerError;
pub use tls::{CertificateError, CertificateReport, ServerCertificate};

use app_state::DocumentBuilder;
use axum::{Router, middleware};
use connected_clients::ConnectedClients;
use connection::{ConnectionSet, accept_connections};
use countersign_gate::EmbeddedGate;
use countersign_store::Clock;
use futures_util::future::{BoxFuture, join_all};
use guard::RequestGuard;
use limits::CallerLimiter;
use listen::ListenSocket;
use metrics::ServerMetrics;
use openapi::DocumentText;
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::sync::OnceCell;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

/// The time that a client has, once the server is stopping, to send the rest of its request and to read the response.
/// Without this limit, a client that sends or reads nothing would keep the server running.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// The size in bytes from which responses are compressed. A shorter response fits into one packet anyway.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// Serves the API until `stop` is cancelled. Then ends streams and waits, answers the requests in progress, for five
/// seconds at most, and returns. A connection that cannot be accepted does not stop the server.
///
/// The future hides its type, because crates that await it would otherwise compile the whole server again.
#[must_use]
#[inline(never)]
pub fn serve(
    listeners: Vec<BoundListener>,
    gate: EmbeddedGate,
    options: ServerOptions,
    stop: CancellationToken,
) -> BoxFuture<'static, Result<(), ServerError>> {
    Box::pin(serve_until_stopped(listeners, gate, options, stop))
}

async fn serve_until_stopped(
    listeners: Vec<BoundListener>,
    gate: EmbeddedGate,
    options: ServerOptions,
    stop: CancellationToken,
) -> Result<(), ServerError> {
    let (routes, document) = routes::router(options.interfaces);
    let metrics = Arc::new(ServerMetrics::new(&gate, options.checkpoints.as_ref(), &document));
    // It takes megabytes, and most servers are never asked for it.
    drop(document);
    let app = Arc::new(ServerState {
        gate,
        stop: stop.clone(),
        options: options.clone(),
        metrics: Arc::clone(&metrics),
        replay: Arc::default(),
        document: build_document_later(options.interfaces),
        guard: RequestGuard::new(options.access.clone(), page_origins(&listeners)),
        limiter: CallerLimiter::new(options.limits),
        clients: ConnectedClients::new(options.clock.clone()),
        sign_in_secret: OnceCell::new(),
    });
    app.gate.set_web_origins(app.guard.own.texts());
    let max_connections = max_connections(&options);
    let service = router(routes, app);
    let full_router = full::full_router(service.clone(), max_connections);
    let timeouts = options.timeouts;
    let connections =
        ConnectionSet::new(service, full_router, metrics, max_connections, timeouts, stop.clone());
    let listening: Vec<_> =
        listeners.into_iter().map(|listener| listen(listener, connections.clone())).collect();
    let serving = async {
        join_all(listening).await;
        connections.tasks.close();
        connections.tasks.wait().await;
    };
    let grace_over = async {
        stop.cancelled().await;
        Clock::System.sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        () = serving => {}
        () = grace_over => tracing::info!("some clients did not finish in time; their connections are dropped"),
    }
    connections.abort.cancel();
    Ok(())
}

/// The page origins on this machine, each once.
fn page_origins(listeners: &[BoundListener]) -> Vec<WebOrigin> {
    let mut origins = Vec::new();
    for origin in listeners.iter().filter_map(BoundListener::page_origin) {
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    origins
}

/// Returns the most connections: as set, but not more than the limit of open files allows.
fn max_connections(options: &ServerOptions) -> usize {
    let allowed = DescriptorLimit::current().max_connections();
    let wanted = options.max_connections.unwrap_or(allowed);
    if wanted > allowed {
        tracing::warn!(wanted, allowed, "the limit of open files allows fewer connections; raise it");
    }
    tracing::debug!(connections = wanted.min(allowed), "the most connections");
    wanted.min(allowed)
}

/// Accepts connections on one socket until the server stops.
async fn listen(listener: BoundListener, connections: ConnectionSet) {
    // Remove the socket file when the server stops accepting, and before the socket closes. The last connections end
    // seconds later, and by then the next server may have created its own file under this path.
    let BoundListener { file, socket, tls, .. } = listener;
    let tls = tls.map(TlsAcceptor::from);
    match &socket {
        ListenSocket::Tcp(socket) => accept_connections(connections, socket, tls.as_ref()).await,
        ListenSocket::Unix(socket) => accept_connections(connections, socket, None).await,
    }
    drop(file);
}

/// Returns the OpenAPI document as indented JSON.
#[must_use]
pub fn document(interfaces: Option<InterfaceRoutes>) -> String {
    DocumentText::new(&routes::document(interfaces)).text
}

fn build_document_later(interfaces: Option<InterfaceRoutes>) -> LazyLock<DocumentText, DocumentBuilder> {
    LazyLock::new(Box::new(move || DocumentText::new(&routes::document(interfaces))))
}

fn router(routes: Router<AppState>, app: AppState) -> Router {
    let compressible = SizeAbove::new(MIN_COMPRESSED_BYTES).and(NotForContentType::SSE);
    let catch_panic =
        CatchPanicLayer::custom(|panic: Box<dyn std::any::Any + Send>| problem::panic_response(&*panic));
    // In one call, the outermost layer first: each call of `layer` adds an allocation to every request.
    let layers = (
        middleware::from_fn_with_state(app.clone(), request_log::log_request),
        catch_panic,
        CompressionLayer::new().compress_when(compressible),
    );
    routes
        .fallback(routes::app_page::send_unknown)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(layers)
        .with_state(app)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::routing::get;
    use std::error::Error as Failure;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    /// The response to a request whose route panics.
    async fn answer(request: &str) -> Result<String, Box<dyn Failure>> {
        let folder = tempfile::tempdir()?;
        let gate = EmbeddedGate::open(folder.path().join("log.db")).await?;
        let (routes, document) = routes::router(None);
        let (stop, metrics) =
            (CancellationToken::new(), Arc::new(ServerMetrics::new(&gate, None, &document)));
        let app = Arc::new(ServerState {
            gate,
            stop: stop.clone(),
            options: ServerOptions::default(),
            metrics,
            replay: Arc::default(),
            document: build_document_later(None),
            guard: RequestGuard::new(NetworkAccess::default(), Vec::new()),
            limiter: CallerLimiter::new(RequestLimits::default()),
            clients: ConnectedClients::new(Clock::System),
            sign_in_secret: OnceCell::new(),
        });
        let routes = routes.route("/panic", get(async || -> String { panic!("secret {}", 7) }));
        let socket = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let mut stream = tokio::net::TcpStream::connect(socket.local_addr()?).await?;
        let service = router(routes, app).into_make_service();
        let serving = axum::serve(socket, service).with_graceful_shutdown(stop.clone().cancelled_owned());
        let serving = tokio::spawn(serving.into_future());
        stream.write_all(request.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        stop.cancel();
        serving.await??;
        Ok(answer)
    }

    #[tokio::test]
    async fn panic_becomes_a_problem_without_details() {
        let request =
            "GET /panic HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r-1\r\nConnection: close\r\n\r\n";
        let answer = answer(request).await.expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 500 "), "{answer}");
        assert!(answer.contains("content-type: application/problem+json"), "{answer}");
        assert!(answer.contains(r#""code":"internal""#), "{answer}");
        assert!(answer.contains(r#""requestId":"r-1""#), "{answer}");
        assert!(!answer.contains("secret"), "{answer}");
    }
}
