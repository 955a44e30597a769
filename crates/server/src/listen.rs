//! The sockets that a server listens on: those that it opens, and those that it inherits.

use crate::{
    ListenAddress, ServerError,
    socket_file::{BACKLOG, SocketFile},
};
use std::{io, net::SocketAddr, path::Path};
use tokio::net::{TcpListener, TcpSocket, UnixListener};

/// A socket that the server listens on.
#[derive(Debug)]
pub struct BoundListener {
    /// The socket file, if this process created it; removed when dropped. It is declared before `socket`, because
    /// fields drop in order and the file must be removed while the socket still listens.
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
    /// Listens on an address of this machine. With `shared`, other processes that also set it may listen on the same
    /// port, and the system distributes connections among them. Fails if the address is not a loopback address or
    /// cannot be bound.
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

    /// Takes over a TCP socket that another process opened for this one. Fails if its address is not a loopback
    /// address.
    pub fn inherited_tcp(socket: std::net::TcpListener) -> Result<Self, ServerError> {
        require_loopback(socket.local_addr()?)?;
        socket.set_nonblocking(true)?;
        Ok(Self::from_tcp(TcpListener::from_std(socket)?)?)
    }

    /// Takes over a Unix socket that another process opened for this one. Its file is not removed at the end.
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

    /// Returns the address of the socket, with the port that the system chose if port 0 was requested.
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
