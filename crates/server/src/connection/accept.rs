//! Accepts connections. Up to a maximum they are served; a few more get the answer that the server is full.

use super::{
    ConnectionOrigin, ConnectionTimeouts, PeerAddress,
    limits::SPARE_CONNECTIONS,
    serve::{ConnectionEnd, ServedConnection, serve_connection, serve_encrypted},
};
use crate::metrics::ServerMetrics;
use axum::Router;
use countersign_store::Clock;
use std::{
    collections::VecDeque,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream, UnixListener, UnixStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// The pause after the system cannot accept a connection, for example because the process has too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The newest connections beyond the maximum, the oldest first. A new one ends the oldest, so that clients that hold such
/// connections and send nothing do not keep a supervisor from the liveness check.
#[derive(Default)]
struct SpareConnections {
    ends: Mutex<VecDeque<CancellationToken>>,
}

impl SpareConnections {
    /// Adds a connection, and returns what ends it.
    fn add(&self, abort: &CancellationToken) -> CancellationToken {
        let end = abort.child_token();
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.push_back(end.clone());
        if ends.len() > SPARE_CONNECTIONS
            && let Some(oldest) = ends.pop_front()
        {
            oldest.cancel();
        }
        end
    }
}

/// The connections of all listeners of a server. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ConnectionSet {
    /// Answers the requests of connections up to the maximum.
    pub(crate) router: Router,
    /// Answers the requests of connections beyond the maximum.
    pub(crate) full_router: Router,
    pub(crate) metrics: Arc<ServerMetrics>,
    pub(crate) timeouts: ConnectionTimeouts,
    /// Cancelled when connections must finish their request and close.
    pub(crate) stop: CancellationToken,
    /// Cancelled when connections must close at once.
    pub(crate) abort: CancellationToken,
    pub(crate) tasks: TaskTracker,
    places: Arc<Semaphore>,
    spare: Arc<SpareConnections>,
}

impl ConnectionSet {
    pub(crate) fn new(
        router: Router,
        full_router: Router,
        metrics: Arc<ServerMetrics>,
        max_connections: usize,
        timeouts: ConnectionTimeouts,
        stop: CancellationToken,
    ) -> Self {
        Self {
            router,
            full_router,
            metrics,
            timeouts,
            stop,
            abort: CancellationToken::new(),
            tasks: TaskTracker::new(),
            places: Arc::new(Semaphore::new(max_connections)),
            spare: Arc::default(),
        }
    }

    /// Serves a connection in its own task. Beyond the maximum, the full-server router answers the newest few
    /// connections.
    fn admit<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        socket: S,
        peer: PeerAddress,
        tls: Option<&TlsAcceptor>,
    ) {
        let origin = ConnectionOrigin { peer, is_encrypted: tls.is_some() };
        if let Ok(place) = Arc::clone(&self.places).try_acquire_owned() {
            let (router, timeouts) = (self.router.clone(), self.timeouts);
            let lifetime = ConnectionLifetime { _place: Some(place), end: self.abort.clone() };
            self.spawn(socket, lifetime, ServedConnection { router, timeouts, origin }, tls);
            return;
        }
        self.metrics.refused_connections.inc();
        let (router, timeouts) = (self.full_router.clone(), self.timeouts.of_spare());
        let lifetime = ConnectionLifetime { _place: None, end: self.spare.add(&self.abort) };
        self.spawn(socket, lifetime, ServedConnection { router, timeouts, origin }, tls);
    }

    fn spawn<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
        &self,
        socket: S,
        lifetime: ConnectionLifetime,
        connection: ServedConnection,
        tls: Option<&TlsAcceptor>,
    ) {
        let stop = self.stop.clone();
        // Two tasks of different size: a connection without TLS must not take the memory of one with it.
        if let Some(tls) = tls.cloned() {
            self.track(lifetime, async move { serve_encrypted(socket, &tls, connection, &stop).await });
        } else {
            self.track(lifetime, async move { serve_connection(socket, connection, &stop).await });
        }
    }

    /// Runs a connection in its own task until it ends, and counts it.
    fn track(
        &self,
        lifetime: ConnectionLifetime,
        serving: impl Future<Output = ConnectionEnd> + Send + 'static,
    ) {
        let metrics = Arc::clone(&self.metrics);
        self.tasks.spawn(async move {
            let _counted = metrics.count_connection();
            let end = tokio::select! {
                end = serving => end,
                () = lifetime.end.cancelled() => return,
            };
            match end {
                ConnectionEnd::Closed => {}
                ConnectionEnd::TimedOut(step) => metrics.record_timeout(step),
                ConnectionEnd::FailedHandshake => {
                    metrics.failed_handshakes.inc();
                }
            }
            drop(lifetime);
        });
    }
}

/// A connection slot, which becomes free when it is dropped, and what ends the connection at once.
struct ConnectionLifetime {
    _place: Option<OwnedSemaphorePermit>,
    end: CancellationToken,
}

/// A socket that accepts connections.
pub(crate) trait ConnectionSource: Sync {
    type Socket: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next connection.
    fn accept_one(&self) -> impl Future<Output = io::Result<(Self::Socket, PeerAddress)>> + Send;
}

impl ConnectionSource for TcpListener {
    type Socket = TcpStream;

    async fn accept_one(&self) -> io::Result<(TcpStream, PeerAddress)> {
        let (stream, address) = self.accept().await?;
        // Disable Nagle: responses and messages are small and complete.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot disable the delay of small packets on a connection");
        }
        Ok((stream, PeerAddress::from_ip(address.ip())))
    }
}

impl ConnectionSource for UnixListener {
    type Socket = UnixStream;

    async fn accept_one(&self) -> io::Result<(UnixStream, PeerAddress)> {
        Ok((self.accept().await?.0, PeerAddress::SocketFile))
    }
}

/// Accepts connections until the server stops. A system error ends neither the listener nor the connections.
pub(crate) async fn accept_connections(
    connections: ConnectionSet,
    listener: &impl ConnectionSource,
    tls: Option<&TlsAcceptor>,
) {
    let mut failing = false;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept_one() => accepted,
            () = connections.stop.cancelled() => return,
        };
        match accepted {
            Ok((socket, peer)) => {
                failing = false;
                connections.admit(socket, peer, tls);
                // A burst of new connections must not delay the open ones.
                tokio::task::yield_now().await;
            }
            // The client closed the connection before it was accepted.
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                if !failing {
                    tracing::error!(%error, "the server cannot accept connections; trying again");
                }
                failing = true;
                connections.metrics.failed_accepts.inc();
                // The connection stays in the system's queue, so an immediate attempt would fail again.
                Clock::System.sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A listener in a process with too many open files. It stops the server at the fourth attempt.
    struct ExhaustedListener {
        attempts: AtomicUsize,
        stop: CancellationToken,
    }

    impl ConnectionSource for ExhaustedListener {
        type Socket = tokio::io::DuplexStream;

        async fn accept_one(&self) -> io::Result<(Self::Socket, PeerAddress)> {
            if self.attempts.fetch_add(1, Ordering::Relaxed) == 3 {
                self.stop.cancel();
                std::future::pending::<()>().await;
            }
            Err(io::Error::from_raw_os_error(24))
        }
    }

    #[test]
    fn exhausted_descriptors_are_no_error_of_one_connection() {
        // EMFILE and ENFILE.
        for code in [24, 23] {
            assert!(!is_of_one_connection(&io::Error::from_raw_os_error(code)), "{code}");
        }
        assert!(is_of_one_connection(&io::ErrorKind::ConnectionAborted.into()));
    }

    #[tokio::test]
    async fn accept_error_pauses_and_keeps_the_listener() {
        let folder = tempfile::tempdir().expect("a folder");
        let gate = countersign_gate::EmbeddedGate::open(folder.path().join("log.db")).await.expect("a gate");
        let (_, document) = crate::routes::router(None);
        let metrics = Arc::new(ServerMetrics::new(&gate, None, &document));
        let stop = CancellationToken::new();
        let (router, timeouts) = (Router::new(), ConnectionTimeouts::default());
        let set = ConnectionSet::new(router.clone(), router, Arc::clone(&metrics), 1, timeouts, stop.clone());
        let listener = ExhaustedListener { attempts: AtomicUsize::new(0), stop };
        accept_connections(set, &listener, None).await;
        assert_eq!(metrics.failed_accepts.get(), 3, "each failed attempt is followed by a pause");
    }
}
