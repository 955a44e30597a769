//! The HTTP API over a gate: JSON under `/v1`, problem details (RFC 9457) for every error, and the log
//! as a stream of server-sent events. One endpoint, one file, in `routes/`.
//!
//! Nobody is authenticated yet, so only loopback addresses are served, and a request that a browser
//! sends on behalf of some web page is turned away ([`guard`]).

mod extract;
mod guard;
mod problem;
mod routes;

use axum::{Router, serve::ListenerExt};
use countersign_gate::{Clock, Gate};
use std::{io, net::SocketAddr, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What every endpoint has at hand.
#[derive(Clone)]
pub(crate) struct App {
    gate: Gate,
    /// Ends streams and waits when the server is told to stop.
    stop: CancellationToken,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody is authenticated, so nobody but this machine's own users may reach it.
    #[error(
        "{0} is no loopback address, and without authentication nothing else is served; use 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// What was asked for.
        address: SocketAddr,
        /// What the system says.
        why: io::Error,
    },
    /// The listener failed.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}

/// Listens on a loopback address; port 0 takes a free one.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    if !address.ip().is_loopback() {
        return Err(Error::NotLoopback(address));
    }
    TcpListener::bind(address).await.map_err(|why| Error::Bind { address, why })
}

/// How long a client may take, once the server is told to stop, to send the rest of its request and to
/// read the answer. One that says nothing more, or reads nothing, would otherwise keep the server for ever.
const GRACE: Duration = Duration::from_secs(5);

/// Serves until told to stop, then ends streams and waits, answers what is under way, and returns.
pub async fn serve(listener: TcpListener, gate: Gate, stop: CancellationToken) -> Result<(), Error> {
    let app = App { gate, stop: stop.clone() };
    // Handed over as it is, the router would be built anew for every connection, 15 KiB each.
    let service = router(app).into_make_service();
    // Answers and messages are small and written whole: none is to wait for what comes after it, as it
    // would for the reader's acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps its delay");
        }
    });
    let serving = axum::serve(listener, service).with_graceful_shutdown(stop.clone().cancelled_owned());
    let over = async {
        stop.cancelled().await;
        Clock::System.sleep(GRACE).await;
    };
    tokio::select! {
        served = serving.into_future() => served?,
        () = over => tracing::info!("some clients neither go on nor leave; they are left behind"),
    }
    Ok(())
}

fn router(app: App) -> Router {
    routes::router()
        .fallback(problem::unknown_route)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(axum::middleware::from_fn(guard::turn_away_pages))
        .layer(axum::extract::DefaultBodyLimit::disable())
        .with_state(app)
}
