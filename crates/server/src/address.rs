//! The addresses that a server listens on.

use std::{fmt, net::SocketAddr, path::PathBuf, str::FromStr};

/// An address to listen on: an IP address and a port (`127.0.0.1:7878`, `[::1]:0`), or a socket file
/// (`unix:/run/countersign.sock`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenAddress {
    /// An IP address and a port; with port 0, the system chooses a free one.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// The error for a string that is not a [`ListenAddress`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an address is an IP address and a port, such as 127.0.0.1:7878, or unix: and the path of a socket")]
pub struct BadAddress;

impl FromStr for ListenAddress {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        match text.strip_prefix("unix:") {
            Some("") => Err(BadAddress),
            Some(path) => Ok(Self::Unix(path.into())),
            None => text.parse().map(Self::Tcp).map_err(|_| BadAddress),
        }
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => fmt::Display::fmt(address, f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for text in ["127.0.0.1:7878", "[::1]:0", "unix:/run/countersign.sock", "unix:here.sock"] {
            assert_eq!(text.parse::<ListenAddress>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn refuses_what_names_nothing() {
        for text in ["", "localhost:7878", "7878", "127.0.0.1", "unix:", "/run/countersign.sock"] {
            assert_eq!(text.parse::<ListenAddress>(), Err(BadAddress), "{text:?}");
        }
    }
}
