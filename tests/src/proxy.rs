//! A proxy between a program and PostgreSQL that cuts, stalls and refuses connections on command. It parses the
//! protocol, so that it can cut a connection before, during and after a COMMIT.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream, UnixStream},
    sync::{oneshot, watch},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

/// When the proxy cuts the connection of the next COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionCut {
    /// The server does not receive the COMMIT.
    BeforeCommit,
    /// The server receives the COMMIT, and the connection is cut before its answer.
    DuringCommit,
    /// The server has executed the COMMIT, and its answer does not reach the client.
    AfterCommit,
}

/// A proxy that listens on 127.0.0.1 and connects to a server's socket. Dropping it cuts all connections.
pub struct Proxy {
    address: SocketAddr,
    network: Arc<SimulatedNetwork>,
    /// The task that accepts connections as long as the proxy exists.
    _accept_task: AbortOnDropHandle<()>,
}

struct SimulatedNetwork {
    to: Mutex<PathBuf>,
    condition: watch::Sender<NetworkCondition>,
    armed_cut: Mutex<Option<(ConnectionCut, oneshot::Sender<()>)>>,
    taken: AtomicUsize,
    open: AtomicUsize,
    trips: AtomicUsize,
}

#[derive(Clone, Default)]
struct NetworkCondition {
    refuses: bool,
    stalls: bool,
    /// Cancelled when all connections are cut.
    connections: CancellationToken,
}

impl Proxy {
    /// Starts a proxy in front of the server with this socket. At first it forwards everything.
    pub async fn before(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let network = Arc::new(SimulatedNetwork {
            to: Mutex::new(socket.to_path_buf()),
            condition: watch::Sender::new(NetworkCondition::default()),
            armed_cut: Mutex::default(),
            taken: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            trips: AtomicUsize::new(0),
        });
        let accept_task = tokio::spawn(accept(listener, Arc::clone(&network)));
        Self { address, network, _accept_task: AbortOnDropHandle::new(accept_task) }
    }

    /// Returns the URL for the database `name` through the proxy, as `role`.
    #[must_use]
    pub fn url_as(&self, role: &str, name: &str) -> String {
        format!("postgres://{role}@{}/{name}", self.address)
    }

    /// Forwards new connections to the server with this socket.
    pub fn redirect_to(&self, socket: &Path) {
        *self.network.to.lock().expect("the mutex is not poisoned") = socket.to_path_buf();
    }

    /// Cuts all current connections.
    pub fn cut(&self) {
        let connections = CancellationToken::new();
        self.network.condition.send_modify(|condition| {
            std::mem::replace(&mut condition.connections, connections).cancel();
        });
    }

    /// Closes each new connection at once, from now on.
    pub fn refuse(&self) {
        self.network.condition.send_modify(|condition| condition.refuses = true);
    }

    /// Holds back all bytes in both directions, from now on, without an error.
    pub fn stall(&self) {
        self.network.condition.send_modify(|condition| condition.stalls = true);
    }

    /// Forwards everything again, including the bytes that it held back.
    pub fn heal(&self) {
        self.network
            .condition
            .send_modify(|condition| (condition.refuses, condition.stalls) = (false, false));
    }

    /// Cuts the connection that commits next. The returned future completes after the cut.
    pub fn cut_at_commit(&self, cut: ConnectionCut) -> impl Future<Output = ()> + use<> {
        let (done, cut_done) = oneshot::channel();
        *self.network.armed_cut.lock().expect("the mutex is not poisoned") = Some((cut, done));
        async { cut_done.await.expect("a COMMIT arrives before another cut is armed") }
    }

    /// Returns the number of accepted connections.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.network.taken.load(Ordering::Relaxed)
    }

    /// Returns the number of open connections.
    #[must_use]
    pub fn open(&self) -> usize {
        self.network.open.load(Ordering::Relaxed)
    }

    /// Returns the number of round trips of the last transaction that sent its COMMIT, with the COMMIT and with
    /// everything that its connection did since the COMMIT before.
    #[must_use]
    pub fn trips(&self) -> usize {
        self.network.trips.load(Ordering::Relaxed)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.cut();
    }
}

async fn accept(listener: TcpListener, network: Arc<SimulatedNetwork>) {
    while let Ok((client, _)) = listener.accept().await {
        network.taken.fetch_add(1, Ordering::Relaxed);
        let condition = network.condition.borrow().clone();
        if !condition.refuses {
            tokio::spawn(run_connection(client, Arc::clone(&network), condition.connections));
        }
    }
}

/// Runs one connection to its end. An error ends only this connection.
async fn run_connection(client: TcpStream, network: Arc<SimulatedNetwork>, cut: CancellationToken) {
    network.open.fetch_add(1, Ordering::Relaxed);
    tokio::select! {
        () = cut.cancelled() => {}
        _ = forward_connection(client, &network) => {}
    }
    network.open.fetch_sub(1, Ordering::Relaxed);
}

async fn forward_connection(mut client: TcpStream, network: &SimulatedNetwork) -> io::Result<()> {
    client.set_nodelay(true)?;
    network.wait_while_stalled().await;
    let to = network.to.lock().expect("the mutex is not poisoned").clone();
    let mut server = UnixStream::connect(to).await?;
    forward_startup(&mut client, &mut server, network).await?;
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let withheld = Mutex::new(None);
    tokio::select! {
        ended = forward_client_messages(from_client, to_server, network, &withheld) => ended,
        ended = forward_server_messages(from_server, to_client, network, &withheld) => ended,
    }
}

/// The sender to notify when the proxy withholds the answer to a COMMIT from the client.
type WithheldBytes = Mutex<Option<oneshot::Sender<()>>>;

/// Forwards the client's messages, up to a COMMIT that is cut.
async fn forward_client_messages(
    mut client: impl AsyncRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    network: &SimulatedNetwork,
    withheld: &WithheldBytes,
) -> io::Result<()> {
    let mut trips = 0;
    loop {
        let message = read_message(&mut client).await?;
        network.wait_while_stalled().await;
        trips += usize::from(awaits_answer(&message));
        if is_commit(&message) {
            network.trips.store(std::mem::take(&mut trips), Ordering::Relaxed);
        }
        let armed = if is_commit(&message) { network.disarm_cut() } else { None };
        let Some((cut, done)) = armed else {
            server.write_all(&message).await?;
            continue;
        };
        match cut {
            ConnectionCut::BeforeCommit => {}
            ConnectionCut::DuringCommit => server.write_all(&message).await?,
            ConnectionCut::AfterCommit => {
                // This precedes the write, so that the answer to the COMMIT cannot be forwarded before.
                *withheld.lock().expect("the mutex is not poisoned") = Some(done);
                server.write_all(&message).await?;
                continue;
            }
        }
        let _ = done.send(());
        return Ok(());
    }
}

/// Forwards the server's messages, up to an answer that is withheld.
async fn forward_server_messages(
    mut server: impl AsyncRead + Unpin,
    mut client: impl AsyncWrite + Unpin,
    network: &SimulatedNetwork,
    withheld: &WithheldBytes,
) -> io::Result<()> {
    loop {
        let message = read_message(&mut server).await?;
        network.wait_while_stalled().await;
        let done = if is_committed(&message) {
            withheld.lock().expect("the mutex is not poisoned").take()
        } else {
            None
        };
        if let Some(done) = done {
            let _ = done.send(());
            return Ok(());
        }
        client.write_all(&message).await?;
    }
}

impl SimulatedNetwork {
    /// Waits until the proxy forwards bytes.
    async fn wait_while_stalled(&self) {
        let mut condition = self.condition.subscribe();
        condition.wait_for(|condition| !condition.stalls).await.expect("the network owns the sender");
    }

    fn disarm_cut(&self) -> Option<(ConnectionCut, oneshot::Sender<()>)> {
        self.armed_cut.lock().expect("the mutex is not poisoned").take()
    }
}

/// Forwards the messages without a type byte: the requests for TLS or GSS, which the server refuses on a socket, and
/// the startup message. See <https://www.postgresql.org/docs/current/protocol-message-formats.html>.
async fn forward_startup(
    client: &mut TcpStream,
    server: &mut UnixStream,
    network: &SimulatedNetwork,
) -> io::Result<()> {
    const TLS_AND_GSS_REQUESTS: [u32; 2] = [80_877_103, 80_877_104];
    loop {
        let mut request = client.read_u32().await?.to_be_bytes().to_vec();
        read_rest(client, &mut request, 0).await?;
        network.wait_while_stalled().await;
        server.write_all(&request).await?;
        let code = request.get(4..8).map(|code| u32::from_be_bytes([code[0], code[1], code[2], code[3]]));
        if !code.is_some_and(|code| TLS_AND_GSS_REQUESTS.contains(&code)) {
            return Ok(());
        }
        client.write_u8(server.read_u8().await?).await?;
    }
}

/// Reads one message, including its type byte and its length.
async fn read_message(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message).await?;
    read_rest(from, &mut message, 1).await?;
    Ok(message)
}

/// Reads the remaining message. `message` ends with the length field, which starts at byte `at` and includes itself.
async fn read_rest(from: &mut (impl AsyncRead + Unpin), message: &mut Vec<u8>, at: usize) -> io::Result<()> {
    let length = [message[at], message[at + 1], message[at + 2], message[at + 3]];
    let whole = at + usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?;
    let head = message.len();
    message.resize(whole.max(head), 0);
    from.read_exact(&mut message[head..]).await?;
    Ok(())
}

/// Returns true for the last message before the client waits: a simple query, or the Sync after prepared statements.
fn awaits_answer(message: &[u8]) -> bool {
    matches!(message.first(), Some(b'Q' | b'S'))
}

/// Returns true for a COMMIT in the simple query protocol.
fn is_commit(message: &[u8]) -> bool {
    message.first() == Some(&b'Q')
        && message[5..].trim_ascii_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"COMMIT"))
}

/// Returns true for the server's confirmation of a COMMIT.
fn is_committed(message: &[u8]) -> bool {
    message.first() == Some(&b'C') && message[5..].starts_with(b"COMMIT")
}
