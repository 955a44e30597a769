//! The sockets that a server listens on: its own, and those that it inherits.

use crate::{Address, Error};
use socket2::{Domain, SockAddr, Socket as Raw, Type};
use std::{
    fs, io,
    net::SocketAddr,
    os::unix::{fs::FileTypeExt, fs::PermissionsExt, net::UnixStream},
    path::{Path, PathBuf},
};
use tokio::net::{TcpListener, TcpSocket, UnixListener};

/// How many connections may wait to be taken.
const BACKLOG: i32 = 1024;

/// A socket that is listened on.
#[derive(Debug)]
pub struct Listener {
    pub(crate) socket: Socket,
    address: Address,
    /// Removed in the end, where this process made it.
    pub(crate) file: Option<SocketFile>,
}

#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A file that goes when its listener does.
#[derive(Debug)]
pub(crate) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.0) {
            tracing::debug!(%error, path = %self.0.display(), "the socket's file is gone already");
        }
    }
}

impl Listener {
    /// Listens on an address of this machine. With `shared`, other processes that say so too may listen on
    /// the same port, and the system deals out connections between them.
    pub fn bind(address: &Address, shared: bool) -> Result<Self, Error> {
        let failed = |why| Error::Bind { address: address.clone(), why };
        match address {
            Address::Tcp(address) => {
                loopback(*address)?;
                Self::tcp(on_port(*address, shared).map_err(failed)?).map_err(failed)
            }
            Address::Unix(path) => {
                let socket = on_file(path).map_err(failed)?;
                let file = Some(SocketFile(path.clone()));
                Ok(Self { socket: Socket::Unix(socket), address: address.clone(), file })
            }
        }
    }

    /// Takes over a port that somebody else listens on for this process.
    pub fn inherited_tcp(socket: std::net::TcpListener) -> Result<Self, Error> {
        loopback(socket.local_addr()?)?;
        socket.set_nonblocking(true)?;
        Ok(Self::tcp(TcpListener::from_std(socket)?)?)
    }

    /// Takes over a socket file that somebody else listens on for this process; it stays in the end.
    pub fn inherited_unix(socket: std::os::unix::net::UnixListener) -> Result<Self, Error> {
        socket.set_nonblocking(true)?;
        let path = socket.local_addr()?.as_pathname().map(Path::to_path_buf).unwrap_or_default();
        let socket = Socket::Unix(UnixListener::from_std(socket)?);
        Ok(Self { socket, address: Address::Unix(path), file: None })
    }

    fn tcp(socket: TcpListener) -> io::Result<Self> {
        let address = Address::Tcp(socket.local_addr()?);
        Ok(Self { socket: Socket::Tcp(socket), address, file: None })
    }

    /// Where it listens, with the port that it was given.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }
}

fn loopback(address: SocketAddr) -> Result<(), Error> {
    if address.ip().is_loopback() { Ok(()) } else { Err(Error::NotLoopback(address)) }
}

fn on_port(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(shared)?;
    socket.bind(address)?;
    socket.listen(BACKLOG.unsigned_abs())
}

/// Only this user gets to the socket: its mode is set before anybody can connect to it.
fn on_file(path: &Path) -> io::Result<UnixListener> {
    remove_stale(path)?;
    let socket = Raw::new(Domain::UNIX, Type::STREAM, None)?;
    socket.bind(&SockAddr::unix(path)?)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    UnixListener::from_std(socket.into())
}

/// A process that was killed leaves its socket behind, and nobody answers on it. What somebody answers on,
/// or is no socket, stays.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a file that is no socket stands there"));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) => Err(error),
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another process answers there")),
    }
}
