//! The HTTP API over a gate: JSON under `/v1`, problem details (RFC 9457) for every error, and the log
//! as a stream of server-sent events. One endpoint, one file, in `routes/`.
//!
//! There is no authentication yet, so only loopback addresses and socket files are served, and a request
//! that a browser sends on behalf of some web page is turned away ([`guard`]).

mod address;
mod app_state;
mod codes;
mod extract;
mod guard;
mod listen;
mod metrics;
mod openapi;
mod problem;
mod request_id;
mod request_log;
mod routes;
mod server_error;
mod socket_file;
mod stream;

pub use address::{BadAddress, ListenAddress};
pub(crate) use app_state::AppState;
pub use app_state::ServerOptions;
pub use listen::BoundListener;
pub use server_error::ServerError;

use axum::{Router, middleware, routing::IntoMakeService, serve::ListenerExt};
use countersign_gate::{Clock, EmbeddedGate};
use futures_util::future::try_join_all;
use listen::ListenSocket;
use metrics::ServerMetrics;
use std::{io, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{NotForContentType, Predicate, SizeAbove},
    },
};

/// How long a client may take, once the server is told to stop, to send the rest of its request and to
/// read the answer. One that says nothing more, or reads nothing, would otherwise keep the server running.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(5);

/// Shorter answers than this, in bytes, are sent as they are: compressed they would save no packet.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// Serves until told to stop, then ends streams and waits, answers what is under way, and returns.
pub async fn serve(
    listeners: Vec<BoundListener>,
    gate: EmbeddedGate,
    options: ServerOptions,
    stop: CancellationToken,
) -> Result<(), ServerError> {
    let metrics = Arc::new(ServerMetrics::new(&gate));
    let (routes, document) = routes::router();
    let app = AppState {
        gate,
        stop: stop.clone(),
        options,
        metrics,
        document: Arc::new(openapi::DocumentText::new(&document)),
    };
    // Without `into_make_service` the router is rebuilt for every connection, 15 KiB each.
    let service = router(routes, app).into_make_service();
    let serving = try_join_all(
        listeners.into_iter().map(|listener| serve_listener(listener, service.clone(), stop.clone())),
    );
    let grace_over = async {
        stop.cancelled().await;
        Clock::System.sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        served = serving => drop(served?),
        () = grace_over => tracing::info!("some clients did not finish in time; their connections are dropped"),
    }
    Ok(())
}

/// Serves on one socket.
async fn serve_listener(
    listener: BoundListener,
    service: IntoMakeService<Router>,
    stop: CancellationToken,
) -> io::Result<()> {
    let file = listener.file;
    // The socket is closed when this is over, and others are answered for seconds yet. Its file goes before:
    // afterwards, the one that stands there may be the next server's.
    let stopped = async move {
        stop.cancelled().await;
        drop(file);
    };
    match listener.socket {
        ListenSocket::Tcp(socket) => {
            // Disable Nagle: answers and messages are small and complete.
            let socket = socket.tap_io(|stream| {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection keeps its delay");
                }
            });
            axum::serve(socket, service).with_graceful_shutdown(stopped).await
        }
        ListenSocket::Unix(socket) => axum::serve(socket, service).with_graceful_shutdown(stopped).await,
    }
}

/// The document that describes the API, laid out for people.
#[must_use]
pub fn document() -> String {
    let (_, document) = routes::router();
    openapi::DocumentText::new(&document).text
}

fn router(routes: Router<AppState>, app: AppState) -> Router {
    let compressible = SizeAbove::new(MIN_COMPRESSED_BYTES).and(NotForContentType::SSE);
    routes
        .fallback(problem::unknown_route)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(middleware::from_fn(guard::reject_foreign_pages))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .layer(CompressionLayer::new().compress_when(compressible))
        .layer(CatchPanicLayer::custom(|panic: Box<dyn std::any::Any + Send>| {
            problem::panic_response(&*panic)
        }))
        .layer(middleware::from_fn_with_state(app.clone(), request_log::log_request))
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
        let (stop, metrics) = (CancellationToken::new(), Arc::new(ServerMetrics::new(&gate)));
        let (routes, document) = routes::router();
        let document = Arc::new(openapi::DocumentText::new(&document));
        let app = AppState { gate, stop: stop.clone(), options: ServerOptions::default(), metrics, document };
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
