//! Errors of starting and running the server.

use crate::ListenAddress;
use std::{io, net::SocketAddr};

/// The reason why the server does not start, or why it stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is not a loopback address. The server does not authenticate callers, so only users of this machine
    /// may reach it.
    #[error(
        "{0} is not a loopback address; the server does not authenticate callers, so use 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// The requested address.
        address: ListenAddress,
        /// The error of the system.
        why: io::Error,
    },
    /// The listener failed.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}
