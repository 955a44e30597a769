//! The sockets that a server listens on: its own, and those that it inherits.

use crate::{
    ListenAddress, ServerError,
    socket_file::{BACKLOG, SocketFile},
};
use std::{io, net::SocketAddr, path::Path};
use tokio::net::{TcpListener, TcpSocket, UnixListener};

/// A socket that is listened on.
#[derive(Debug)]
pub struct BoundListener {
    /// Removed in the end, where this process made it. It stands first to go before the socket does.
    pub(crate) file: Option<SocketFile>,
    pub(crate) socket: ListenSocket,
    address: ListenAddress,
}

#[derive(Debug)]
pub(crate) enum ListenSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl BoundListener {
    /// Listens on an address of this machine. With `shared`, other processes that say so too may listen on
    /// the same port, and the system deals out connections between them.
    pub fn bind(address: &ListenAddress, shared: bool) -> Result<Self, ServerError> {
        let failed = |why| ServerError::Bind { address: address.clone(), why };
        match address {
            ListenAddress::Tcp(address) => {
                require_loopback(*address)?;
                Self::from_tcp(listen_on_port(*address, shared).map_err(failed)?).map_err(failed)
            }
            ListenAddress::Unix(path) => {
                let (socket, file) = SocketFile::listen(path).map_err(failed)?;
                Ok(Self { file: Some(file), socket: ListenSocket::Unix(socket), address: address.clone() })
            }
        }
    }

    /// Takes over a port on which another process listens for this one.
    pub fn inherited_tcp(socket: std::net::TcpListener) -> Result<Self, ServerError> {
        require_loopback(socket.local_addr()?)?;
        socket.set_nonblocking(true)?;
        Ok(Self::from_tcp(TcpListener::from_std(socket)?)?)
    }

    /// Takes over a socket file on which another process listens for this one. The file stays at the end.
    pub fn inherited_unix(socket: std::os::unix::net::UnixListener) -> Result<Self, ServerError> {
        socket.set_nonblocking(true)?;
        let path = socket.local_addr()?.as_pathname().map(Path::to_path_buf).unwrap_or_default();
        let socket = ListenSocket::Unix(UnixListener::from_std(socket)?);
        Ok(Self { socket, address: ListenAddress::Unix(path), file: None })
    }

    fn from_tcp(socket: TcpListener) -> io::Result<Self> {
        let address = ListenAddress::Tcp(socket.local_addr()?);
        Ok(Self { socket: ListenSocket::Tcp(socket), address, file: None })
    }

    /// Where it listens, with the port that it was given.
    #[must_use]
    pub fn address(&self) -> &ListenAddress {
        &self.address
    }
}

fn require_loopback(address: SocketAddr) -> Result<(), ServerError> {
    if address.ip().is_loopback() { Ok(()) } else { Err(ServerError::NotLoopback(address)) }
}

fn listen_on_port(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(shared)?;
    socket.bind(address)?;
    socket.listen(BACKLOG.unsigned_abs())
}
