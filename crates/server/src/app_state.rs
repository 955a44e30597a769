//! The state that all endpoints share.

use crate::{
    ChatReceiver, CheckpointMonitor, ConnectionTimeouts, IdentityHeader, NetworkAccess, RequestLimits,
    ServerCertificate, connected_clients::ConnectedClients, guard::RequestGuard, limits::CallerLimiter,
    metrics::ServerMetrics, openapi::DocumentText, stream::ReplayQueue,
};
use countersign_gate::EmbeddedGate;
use countersign_proofs::passkey::SignInSecret;
use countersign_store::Clock;
use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use utoipa_axum::router::OpenApiRouter;

/// The state that all endpoints share. One pointer, because each request clones it several times.
pub type AppState = Arc<ServerState>;

/// The state that all endpoints share.
pub struct ServerState {
    pub(crate) gate: EmbeddedGate,
    /// Cancelled when the server is told to stop; it ends streams and waits.
    pub(crate) stop: CancellationToken,
    pub(crate) options: ServerOptions,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) replay: Arc<ReplayQueue>,
    /// The OpenAPI document, which is built when somebody asks for it.
    pub(crate) document: LazyLock<DocumentText, DocumentBuilder>,
    pub(crate) guard: RequestGuard,
    pub(crate) limiter: CallerLimiter,
    pub(crate) clients: ConnectedClients,
    pub(crate) sign_in_secret: OnceCell<SignInSecret>,
}

/// Builds the OpenAPI document.
pub(crate) type DocumentBuilder = Box<dyn FnOnce() -> DocumentText + Send + Sync>;

/// Creates routes for the interfaces of other systems, with their part of the OpenAPI document.
pub type InterfaceRoutes = fn() -> OpenApiRouter<AppState>;

/// Server options.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The gate's clock. It times the heartbeats of streams and the age of open requests.
    pub clock: Clock,
    /// The interval at which an idle stream sends a heartbeat.
    pub heartbeat: Duration,
    /// The most connections. By default, as many as the limit of open files allows.
    pub max_connections: Option<usize>,
    /// The header in which a trusted proxy names the caller, if one does.
    pub identity_header: Option<IdentityHeader>,
    /// The identity provider at which people sign in, if there is one.
    pub oidc: Option<Arc<countersign_oidc::OidcProvider>>,
    /// Whether a caller without a credential may both propose and decide.
    pub solo: bool,
    /// The time limits of connections.
    pub timeouts: ConnectionTimeouts,
    /// The limits of requests.
    pub limits: RequestLimits,
    /// The receiver of clicks in chats.
    pub chats: Option<Arc<dyn ChatReceiver>>,
    /// The interfaces of other systems.
    pub interfaces: Option<InterfaceRoutes>,
    /// The ways in which browsers and proxies may reach the server.
    pub access: NetworkAccess,
    /// The server certificate, which the readiness check reports.
    pub certificate: Option<ServerCertificate>,
    /// The server's checkpoint state, if it signs checkpoints.
    pub checkpoints: Option<CheckpointMonitor>,
}

impl ServerOptions {
    /// Returns the default options with this clock.
    #[must_use]
    pub fn by(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            clock: Clock::System,
            heartbeat: Duration::from_secs(15),
            max_connections: None,
            identity_header: None,
            oidc: None,
            solo: false,
            timeouts: ConnectionTimeouts::default(),
            limits: RequestLimits::default(),
            chats: None,
            interfaces: None,
            access: NetworkAccess::default(),
            certificate: None,
            checkpoints: None,
        }
    }
}
