//! The service behind a server in the test's own process, with a clock that the test moves.

mod answer;
mod caller;
mod redact;
mod stream;

pub use answer::HttpAnswer;
pub(crate) use caller::IDENTITY_HEADER;
pub use caller::ToServer;
pub use redact::{name_hash, name_hashes};
pub use stream::EventStreamReader;

use super::{Database, Persona, Service, World, WorldGround, in_time, new_clock};
use countersign_api::{ApprovalGate, PolicyRequest, SendOperation, TokenRequest, operations};
use countersign_client::HttpGate;
use countersign_events::{Principal, Role, TokenKind};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_server::{
    BoundListener, IdentityHeader, ListenAddress, NetworkAccess, RequestLimits, ServerOptions, TrustedProxy,
};
use countersign_store::{Clock, ManualClock, StoreOptions};
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use reqwest::Client;
use std::{net::SocketAddr, path::Path, sync::Arc};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A server in the test's own process.
pub struct Http {
    /// The server's own gate.
    pub gate: EmbeddedGate,
    /// The address that the server listens on.
    pub address: SocketAddr,
    /// Cancelling it stops the server.
    pub stop: CancellationToken,
    client: Client,
    server: JoinHandle<Result<(), countersign_server::ServerError>>,
}

/// A world whose service agents and people reach over HTTP.
pub type HttpWorld = World<Http>;

/// Runs a story over HTTP under this policy. Afterwards the server must shut down without an error, and the log must
/// verify.
pub async fn over_http(policy: &str, story: impl AsyncFnOnce(&HttpWorld)) {
    // Boxed, because otherwise the future of every test would contain this one.
    let test = Box::pin(async {
        let world = HttpWorld::over_http(policy).await;
        story(&world).await;
        world.end().await;
    });
    in_time(test).await;
}

/// Options for a server that believes the [`ToServer`] header in which this machine's callers say who they are, and
/// that runs in solo mode for those who send none. Tests of credentials start servers with other options.
#[must_use]
pub fn trusting_options(clock: Clock) -> ServerOptions {
    let proxy = "127.0.0.1".parse().expect("an address");
    let access = NetworkAccess { proxies: vec![proxy, TrustedProxy::SocketFile], ..NetworkAccess::default() };
    let roles = vec![Role::Approver, Role::Admin];
    let identity = IdentityHeader { name: IDENTITY_HEADER.parse().expect("a header"), roles };
    let identity_header = Some(identity);
    ServerOptions { access, identity_header, solo: true, ..server_options(clock) }
}

/// Returns the default options of a server with this clock, and the interfaces of other systems.
#[must_use]
pub fn server_options(clock: Clock) -> ServerOptions {
    ServerOptions { interfaces: Some(countersign_compat::routes), ..ServerOptions::by(clock) }
}

/// Returns a gate over HTTP for this principal, as the proxy that test servers trust would name it.
#[must_use]
pub fn gate_of(url: &str, principal: &Principal) -> HttpGate {
    let encode = |byte: u8| match byte {
        b'!'..=b'$' | b'&'..=b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let name: String = principal.as_str().bytes().map(encode).collect();
    let gate = HttpGate::connect(url).expect("an address").with_header(IDENTITY_HEADER, &name);
    gate.expect("a header").known_as(principal.clone())
}

/// Opens a gate over a new file, with a clock that the test moves.
pub async fn new_gate(policy: &str) -> (EmbeddedGate, Arc<ManualClock>, TempDir) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (clock, manual_clock) = new_clock();
    let gate = open_gate(&folder.path().join("log.db"), clock, policy).await;
    (gate, manual_clock, folder)
}

async fn open_gate(file: &Path, clock: Clock, policy: &str) -> EmbeddedGate {
    let policy = Policy::read(policy).expect("a valid policy");
    let gate = EmbeddedGate::open_with(file, StoreOptions { clock, ..StoreOptions::default() }, policy);
    let key = WebhookKeyFile::new(file.with_file_name("webhook.key"));
    let sender = HttpWebhooks::new(key, "https://approvals.example");
    gate.await.expect("a new log opens").with_webhooks(Arc::new(sender))
}

impl World<Http> {
    async fn over_http(policy: &str) -> Self {
        let (ground, (clock, manual_clock)) = (WorldGround::new(Database::Sqlite).await, new_clock());
        let gate = open_gate(&ground.file(), clock.clone(), policy).await;
        let policy = Policy::read(policy).expect("a valid policy");
        name_hash("policy", &policy.hash().to_string());
        let listener =
            BoundListener::bind(&ListenAddress::Tcp(([127, 0, 0, 1], 0).into()), false).expect("a free port");
        let ListenAddress::Tcp(address) = *listener.address() else { panic!("the server listens on a port") };
        let stop = CancellationToken::new();
        // The limits of JSON values are tested too, which are above the default limit of a body.
        let limits = RequestLimits { body: RequestLimits::MAX_BODY, ..RequestLimits::default() };
        let options = ServerOptions { limits, ..trusting_options(clock.clone()) };
        let server = countersign_server::serve(vec![listener], gate.clone(), options, stop.clone());
        let http = Http { gate, address, stop, client: new_client(), server: tokio::spawn(server) };
        Self::new(http, policy, (clock, manual_clock), ground)
    }

    async fn end(self) {
        let Http { gate, stop, client, server, .. } = self.service;
        stop.cancel();
        drop(client);
        server.await.expect("the server must not panic").expect("the server must not fail");
        let report = gate.verify(|_| ()).await.expect("the log reads");
        assert!(report.holds(), "the story left a log that does not verify: {report:?}");
        gate.shut_down().await;
    }

    /// Puts an active policy, as a person.
    pub async fn apply_policy(&self, text: &str) {
        let gate = self.service.gate.acting_as(Principal::user("operator"));
        let replaces = gate.send(operations::ShowPolicy {}).await.expect("the log has a policy").hash;
        let (text, source) = (text.to_owned(), "a test".to_owned());
        let request = PolicyRequest { text, layers: Vec::new(), source, replaces };
        gate.send(operations::ApplyPolicy { body: request }).await.expect("the policy is valid");
    }

    /// Returns the server's URL.
    #[must_use]
    pub fn server_url(&self) -> String {
        format!("http://{}", self.service.address)
    }

    /// Creates a token with this role, for threads that match one of the globs.
    pub async fn creates_token_of(&self, name: &str, role: Role, threads: &[&str]) -> String {
        let request = TokenRequest {
            name: name.to_owned(),
            role,
            kind: TokenKind::Token,
            level: None,
            groups: Vec::new(),
            threads: threads.iter().map(|glob| (*glob).to_owned()).collect(),
            expires_in_seconds: None,
        };
        let root = self.service.gate.acting_as(Principal::user("root"));
        root.send(operations::CreateToken { body: request }).await.expect("a valid token").secret
    }

    /// Returns a gate over HTTP for this principal, as the proxy that the server trusts would name it.
    #[must_use]
    pub fn http_gate(&self, principal: &Principal) -> HttpGate {
        gate_of(&self.server_url(), principal)
    }

    /// Returns a caller who does not state a name.
    #[must_use]
    pub fn anonymous(&self) -> Persona<ToServer> {
        Persona::new(Http::transport(self), None)
    }

    /// Sends the exact bytes of a request, for requests that an HTTP client refuses to send.
    pub async fn sends_raw(&self, head: &str) -> HttpAnswer {
        HttpAnswer::to_raw(self.service.address, head).await
    }
}

impl Service for Http {
    type Transport = ToServer;

    fn transport(world: &World<Self>) -> ToServer {
        ToServer::new(world.service.client.clone(), &world.server_url())
    }
}

/// Creates an HTTP client that ignores the proxy settings of the environment.
#[must_use]
pub fn new_client() -> Client {
    countersign_client::new_http_client().expect("a client")
}
