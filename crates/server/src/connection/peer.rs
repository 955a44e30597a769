//! The other end of a connection.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
};

/// The client address of a request: the connection's address, or the one that a trusted proxy reports. Each request has
/// it as an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PeerAddress {
    /// An IP address; never an IPv4-mapped IPv6 address.
    Ip(IpAddr),
    /// A process of this machine, over a socket file.
    SocketFile,
}

impl PeerAddress {
    /// The peer at an IP address.
    #[must_use]
    pub fn from_ip(address: IpAddr) -> Self {
        Self::Ip(address.to_canonical())
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => fmt::Display::fmt(address, f),
            Self::SocketFile => f.write_str("unix"),
        }
    }
}

/// The origin of a connection, an extension of each of its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionOrigin {
    /// The other end of the connection, which may be a proxy.
    pub(crate) peer: PeerAddress,
    /// Whether the connection uses TLS.
    pub(crate) is_encrypted: bool,
}

impl ConnectionOrigin {
    /// The origin for a request that did not come over a connection to this server.
    pub(crate) const UNKNOWN: Self =
        Self { peer: PeerAddress::Ip(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), is_encrypted: false };
}
