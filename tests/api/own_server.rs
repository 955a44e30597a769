//! A server with options of its own, in the test's own process. It listens on a port with these options, and on a
//! port without TLS.

use countersign_api::ApprovalGate;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_server::{
    BoundListener, ListenAddress, ListenOptions, ServerCertificate, ServerError, ServerOptions,
};
use countersign_store::{Clock, DatabaseUrl, StoreOptions};
use countersign_tests::{CertificatePair, HttpAnswer, new_client, trusting_options};
use reqwest::{Method, RequestBuilder};
use std::{net::SocketAddr, path::Path};
use tempfile::TempDir;
use tokio::{net::TcpStream, task::JoinHandle};
use tokio_util::sync::CancellationToken;

/// A server with options of its own.
pub(crate) struct OwnServer {
    pub(crate) gate: EmbeddedGate,
    pub(crate) address: SocketAddr,
    pub(crate) url: String,
    plain_url: String,
    stop: CancellationToken,
    served: JoinHandle<Result<(), ServerError>>,
    _folder: TempDir,
}

impl OwnServer {
    /// Starts a server over a new log. Both use the options' clock.
    pub(crate) async fn start(options: ServerOptions) -> Self {
        Self::start_with(options, |gate, _| gate).await
    }

    /// Starts a server over a new log, whose gate is completed with what is in the folder of the log.
    pub(crate) async fn start_with(
        options: ServerOptions,
        complete: impl FnOnce(EmbeddedGate, &Path) -> EmbeddedGate,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = StoreOptions { clock: options.clock.clone(), ..StoreOptions::default() };
        let address = DatabaseUrl::File(folder.path().join("log.db"));
        let gate = EmbeddedGate::open_with(address, store, Policy::shipped()).await.expect("a new log");
        let gate = complete(gate, folder.path());
        let certificate = options.certificate.clone();
        let listen = ListenOptions { certificate, ..ListenOptions::default() };
        let free = "127.0.0.1:0".parse().expect("an address");
        let listener = BoundListener::bind_with(&free, &listen).expect("a port");
        let ListenAddress::Tcp(address) = *listener.address() else { panic!("a port") };
        let plain = BoundListener::bind(&free, false).expect("a port");
        let (url, plain_url, stop) = (listener.url(), plain.url(), CancellationToken::new());
        let served = countersign_server::serve(vec![listener, plain], gate.clone(), options, stop.clone());
        Self { gate, address, url, plain_url, stop, served: tokio::spawn(served), _folder: folder }
    }

    /// Starts a server with this certificate.
    pub(crate) async fn with_certificate(pair: &CertificatePair) -> (Self, ServerCertificate) {
        let certificate = ServerCertificate::read(&pair.certificate, &pair.key).expect("a certificate");
        let options =
            ServerOptions { certificate: Some(certificate.clone()), ..trusting_options(Clock::System) };
        (Self::start(options).await, certificate)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("it listens")
    }

    /// Returns the port without TLS.
    pub(crate) fn port(&self) -> &str {
        self.plain_url.rsplit_once(':').map_or("", |(_, port)| port)
    }

    /// Begins a request without TLS.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        new_client().request(method, format!("{}{path}", self.plain_url))
    }

    /// Returns the metrics.
    pub(crate) async fn metrics(&self) -> String {
        HttpAnswer::to(self.request(Method::GET, "/metrics")).await.body
    }

    /// Stops the server, which must not fail.
    pub(crate) async fn end(self) {
        self.stop.cancel();
        self.served.await.expect("no panic").expect("no error");
        self.gate.shut_down().await;
    }
}
