//! The sockets that a server listens on: those that it opens, and those that it inherits.

use crate::{
    ListenAddress, ServerCertificate, ServerError, WebOrigin,
    socket_file::{BACKLOG, SocketFile},
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    path::Path,
    sync::Arc,
};
use tokio::net::{TcpListener, TcpSocket, UnixListener};
use tokio_rustls::rustls::ServerConfig;

/// A socket that the server listens on.
#[derive(Debug)]
pub struct BoundListener {
    /// The socket file, if this process created it; removed when dropped. It is declared before `socket`, because
    /// fields drop in order and the file must be removed while the socket still listens.
    pub(crate) file: Option<SocketFile>,
    pub(crate) socket: ListenSocket,
    /// TLS port settings.
    pub(crate) tls: Option<Arc<ServerConfig>>,
    address: ListenAddress,
}

/// How a server listens on its addresses.
#[derive(Debug, Clone, Default)]
pub struct ListenOptions {
    /// Other processes that also set this may listen on the same port. The system distributes connections among them.
    pub shared: bool,
    /// The server's certificate: its ports speak TLS. Socket files never do.
    pub certificate: Option<ServerCertificate>,
    /// A proxy in front of this server provides TLS, so the server may listen beyond loopback without it.
    pub behind_proxy: bool,
}

#[derive(Debug)]
pub(crate) enum ListenSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl BoundListener {
    /// Listens on an address of this machine, without TLS. With `shared`, other processes that also set it may listen
    /// on the same port. Fails if the address is not a loopback address or cannot be bound.
    pub fn bind(address: &ListenAddress, shared: bool) -> Result<Self, ServerError> {
        Self::bind_with(address, &ListenOptions { shared, ..ListenOptions::default() })
    }

    /// Listens on an address of this machine. Fails if the address cannot be bound, or if it is not a loopback address
    /// and the options name neither a certificate nor a proxy.
    pub fn bind_with(address: &ListenAddress, options: &ListenOptions) -> Result<Self, ServerError> {
        let failed = |why| ServerError::Bind { address: address.clone(), why };
        match address {
            ListenAddress::Tcp(address) => {
                require_protection(*address, options)?;
                Self::from_tcp(listen_on_port(*address, options.shared).map_err(failed)?, options)
            }
            ListenAddress::Unix(path) => {
                let (socket, file) = SocketFile::listen(path).map_err(failed)?;
                let socket = ListenSocket::Unix(socket);
                Ok(Self { file: Some(file), socket, tls: None, address: address.clone() })
            }
        }
    }

    /// Returns the other address that browsers try for the page host: the same port of the other loopback address.
    #[must_use]
    pub fn twin_address(&self) -> Option<ListenAddress> {
        let ListenAddress::Tcp(address) = self.address else { return None };
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip == Ipv4Addr::LOCALHOST || ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            IpAddr::V6(Ipv6Addr::LOCALHOST) => Ipv4Addr::LOCALHOST.into(),
            _ => return None,
        };
        Some(ListenAddress::Tcp(SocketAddr::new(ip, address.port())))
    }

    /// Listens on the [twin address](Self::twin_address), where another program could pass for this server. Fails if the port
    /// is taken; returns `None` if there is no such address.
    pub fn bind_twin(&self, options: &ListenOptions) -> Result<Option<Self>, ServerError> {
        let Some(twin) = self.twin_address() else { return Ok(None) };
        match Self::bind_with(&twin, options) {
            Ok(listener) => Ok(Some(listener)),
            Err(ServerError::Bind { why, .. }) if is_missing_address(&why) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes over a TCP socket that another process opened for this one. Fails if its address is not a loopback
    /// address and the options name neither a certificate nor a proxy.
    pub fn inherited_tcp(
        socket: std::net::TcpListener,
        options: &ListenOptions,
    ) -> Result<Self, ServerError> {
        require_protection(socket.local_addr()?, options)?;
        socket.set_nonblocking(true)?;
        Self::from_tcp(TcpListener::from_std(socket)?, options)
    }

    /// Takes over a Unix socket that another process opened for this one. Its file is not removed at the end.
    pub fn inherited_unix(socket: std::os::unix::net::UnixListener) -> Result<Self, ServerError> {
        socket.set_nonblocking(true)?;
        let path = socket.local_addr()?.as_pathname().map(Path::to_path_buf).unwrap_or_default();
        let socket = ListenSocket::Unix(UnixListener::from_std(socket)?);
        Ok(Self { socket, tls: None, address: ListenAddress::Unix(path), file: None })
    }

    fn from_tcp(socket: TcpListener, options: &ListenOptions) -> Result<Self, ServerError> {
        let address = ListenAddress::Tcp(socket.local_addr()?);
        let tls = options.certificate.as_ref().map(ServerCertificate::config).transpose()?;
        Ok(Self { socket: ListenSocket::Tcp(socket), tls, address, file: None })
    }

    /// Returns the socket's address, with the port that the system chose if port 0 was requested.
    #[must_use]
    pub fn address(&self) -> &ListenAddress {
        &self.address
    }

    /// Returns the page origin for browsers on this machine; `None` if they do not reach this socket.
    #[must_use]
    pub fn page_origin(&self) -> Option<WebOrigin> {
        WebOrigin::of_listener(&self.url())
    }

    /// Returns the address as a client takes it: an `http://` or `https://` URL, or `unix:` and the path.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.address {
            ListenAddress::Tcp(address) if self.tls.is_some() => format!("https://{address}"),
            ListenAddress::Tcp(address) => format!("http://{address}"),
            address @ ListenAddress::Unix(_) => address.to_string(),
        }
    }
}

/// Whether a bind failed because the machine has no addresses of this kind.
fn is_missing_address(why: &io::Error) -> bool {
    let is_unknown_family = why.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error());
    is_unknown_family || why.kind() == io::ErrorKind::AddrNotAvailable
}

/// Requires TLS, here or in a proxy, on an address that other machines can reach.
fn require_protection(address: SocketAddr, options: &ListenOptions) -> Result<(), ServerError> {
    let protected = options.certificate.is_some() || options.behind_proxy;
    if protected || address.ip().is_loopback() { Ok(()) } else { Err(ServerError::Unprotected(address)) }
}

fn listen_on_port(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(shared)?;
    socket.bind(address)?;
    socket.listen(BACKLOG.unsigned_abs())
}
