//! Errors of starting and running the server.

use crate::{CertificateError, ListenAddress};
use std::{io, net::SocketAddr};

/// Why the server does not start, or why it stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is not a loopback address, and nothing protects its traffic.
    #[error(
        "{0} is not a loopback address, and its traffic would not be encrypted; set --tls-certificate and --tls-key, or \
         --behind-proxy if a proxy in front of the server provides TLS, or listen on 127.0.0.1 or [::1]"
    )]
    Unprotected(SocketAddr),
    /// The certificate cannot be used.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// The requested address.
        address: ListenAddress,
        /// The system's error.
        why: io::Error,
    },
    /// The listener failed.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}
