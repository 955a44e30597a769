//! A bad network between a program and its PostgreSQL: a proxy that cuts, stalls and refuses on command. It
//! parses the protocol, so that it can cut a COMMIT before, during and after its execution.

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

/// The moment at which the proxy cuts the next COMMIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionCut {
    /// The server does not receive it.
    BeforeCommit,
    /// The server received it, and its answer has no receiver.
    DuringCommit,
    /// The server executed it, and its answer does not arrive.
    AfterCommit,
}

/// Listens on 127.0.0.1, and connects to a server's socket. Dropping it cuts all connections.
pub struct Proxy {
    address: SocketAddr,
    network: Arc<SimulatedNetwork>,
    /// Accepts connections as long as the proxy exists.
    _listens: AbortOnDropHandle<()>,
}

struct SimulatedNetwork {
    to: Mutex<PathBuf>,
    weather: watch::Sender<NetworkCondition>,
    armed: Mutex<Option<(ConnectionCut, oneshot::Sender<()>)>>,
    taken: AtomicUsize,
    open: AtomicUsize,
}

#[derive(Clone, Default)]
struct NetworkCondition {
    refuses: bool,
    stalls: bool,
    /// Cancelled when all connections are cut.
    connections: CancellationToken,
}

impl Proxy {
    /// A proxy before the server with that socket, which passes everything on.
    pub async fn before(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let network = Arc::new(SimulatedNetwork {
            to: Mutex::new(socket.to_path_buf()),
            weather: watch::Sender::new(NetworkCondition::default()),
            armed: Mutex::default(),
            taken: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
        });
        let listens = tokio::spawn(accept(listener, Arc::clone(&network)));
        Self { address, network, _listens: AbortOnDropHandle::new(listens) }
    }

    /// The URL of the database `name` behind it, as `role` sees it.
    #[must_use]
    pub fn url_as(&self, role: &str, name: &str) -> String {
        format!("postgres://{role}@{}/{name}", self.address)
    }

    /// Connects new connections to another server.
    pub fn redirect_to(&self, socket: &Path) {
        *self.network.to.lock().expect("the mutex is not poisoned") = socket.to_path_buf();
    }

    /// Cuts all current connections.
    pub fn cut(&self) {
        let connections = CancellationToken::new();
        self.network.weather.send_modify(|weather| {
            std::mem::replace(&mut weather.connections, connections).cancel();
        });
    }

    /// Ends new connections at once, from now on.
    pub fn refuse(&self) {
        self.network.weather.send_modify(|weather| weather.refuses = true);
    }

    /// Holds back all bytes in both directions, from now on, without an error.
    pub fn stall(&self) {
        self.network.weather.send_modify(|weather| weather.stalls = true);
    }

    /// Passes everything on again, including the bytes that it held back.
    pub fn heal(&self) {
        self.network.weather.send_modify(|weather| (weather.refuses, weather.stalls) = (false, false));
    }

    /// Cuts the connection that commits next. The returned future completes after the cut.
    pub fn cut_at_commit(&self, cut: ConnectionCut) -> impl Future<Output = ()> + use<> {
        let (done, struck) = oneshot::channel();
        *self.network.armed.lock().expect("the mutex is not poisoned") = Some((cut, done));
        async { struck.await.expect("a COMMIT comes, and no other cut is asked for before") }
    }

    /// The number of connections that it has accepted.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.network.taken.load(Ordering::Relaxed)
    }

    /// The number of connections that are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.network.open.load(Ordering::Relaxed)
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
        let weather = network.weather.borrow().clone();
        if !weather.refuses {
            tokio::spawn(run_connection(client, Arc::clone(&network), weather.connections));
        }
    }
}

/// One connection, from its start to its end; an error only ends it.
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

/// The sender to notify once the answer to a COMMIT was withheld from the client.
type WithheldBytes = Mutex<Option<oneshot::Sender<()>>>;

/// Passes on the client's messages, up to a COMMIT to be cut.
async fn forward_client_messages(
    mut client: impl AsyncRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    network: &SimulatedNetwork,
    withheld: &WithheldBytes,
) -> io::Result<()> {
    loop {
        let message = read_message(&mut client).await?;
        network.wait_while_stalled().await;
        let strike = if is_commit(&message) { network.disarm_cut() } else { None };
        let Some((cut, done)) = strike else {
            server.write_all(&message).await?;
            continue;
        };
        match cut {
            ConnectionCut::BeforeCommit => {}
            ConnectionCut::DuringCommit => server.write_all(&message).await?,
            ConnectionCut::AfterCommit => {
                // Before the COMMIT is sent, so that its answer cannot slip through.
                *withheld.lock().expect("the mutex is not poisoned") = Some(done);
                server.write_all(&message).await?;
                continue;
            }
        }
        let _ = done.send(());
        return Ok(());
    }
}

/// Passes on the server's messages, up to an answer to be withheld.
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
    /// Waits until the proxy does not stall.
    async fn wait_while_stalled(&self) {
        let mut weather = self.weather.subscribe();
        weather.wait_for(|weather| !weather.stalls).await.expect("it is ours");
    }

    fn disarm_cut(&self) -> Option<(ConnectionCut, oneshot::Sender<()>)> {
        self.armed.lock().expect("the mutex is not poisoned").take()
    }
}

/// The messages before the first one with a kind: the request for TLS, which a socket does not have, and the
/// startup message. See <https://www.postgresql.org/docs/current/protocol-message-formats.html>.
async fn forward_startup(
    client: &mut TcpStream,
    server: &mut UnixStream,
    network: &SimulatedNetwork,
) -> io::Result<()> {
    const ASKS_FOR_TLS_OR_GSS: [u32; 2] = [80_877_103, 80_877_104];
    loop {
        let mut asked = client.read_u32().await?.to_be_bytes().to_vec();
        read_rest(client, &mut asked, 0).await?;
        network.wait_while_stalled().await;
        server.write_all(&asked).await?;
        let code = asked.get(4..8).map(|code| u32::from_be_bytes([code[0], code[1], code[2], code[3]]));
        if !code.is_some_and(|code| ASKS_FOR_TLS_OR_GSS.contains(&code)) {
            return Ok(());
        }
        client.write_u8(server.read_u8().await?).await?;
    }
}

/// One message, including its kind and its length.
async fn read_message(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut message = vec![0; 5];
    from.read_exact(&mut message).await?;
    read_rest(from, &mut message, 1).await?;
    Ok(message)
}

/// Reads the rest of a message that ends with its length, which includes the length itself and begins `at` this byte.
async fn read_rest(from: &mut (impl AsyncRead + Unpin), message: &mut Vec<u8>, at: usize) -> io::Result<()> {
    let length = [message[at], message[at + 1], message[at + 2], message[at + 3]];
    let whole = at + usize::try_from(u32::from_be_bytes(length)).map_err(io::Error::other)?;
    let head = message.len();
    message.resize(whole.max(head), 0);
    from.read_exact(&mut message[head..]).await?;
    Ok(())
}

/// Detects a COMMIT of the simple protocol.
fn is_commit(message: &[u8]) -> bool {
    message.first() == Some(&b'Q')
        && message[5..].trim_ascii_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case(b"COMMIT"))
}

/// Detects the server's confirmation of a COMMIT.
fn is_committed(message: &[u8]) -> bool {
    message.first() == Some(&b'C') && message[5..].starts_with(b"COMMIT")
}
