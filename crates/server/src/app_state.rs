//! The state that all endpoints share.

use crate::{metrics::ServerMetrics, openapi::DocumentText};
use countersign_gate::{Clock, EmbeddedGate};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The state that all endpoints share.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(crate) gate: EmbeddedGate,
    /// Ends streams and waits when the server is told to stop.
    pub(crate) stop: CancellationToken,
    pub(crate) options: ServerOptions,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) document: Arc<DocumentText>,
}

/// How a server behaves.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The gate's own clock: by it streams beat, and requests grow old.
    pub clock: Clock,
    /// How often an idle stream says that it is alive.
    pub heartbeat: Duration,
}

impl ServerOptions {
    /// The usual, by that clock.
    #[must_use]
    pub fn by(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { clock: Clock::System, heartbeat: Duration::from_secs(15) }
    }
}
