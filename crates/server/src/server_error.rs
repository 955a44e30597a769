//! Errors that keep the server from starting.

use crate::ListenAddress;
use std::{io, net::SocketAddr};

/// The reason why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The server does not authenticate callers, so only users of this machine may reach it.
    #[error(
        "{0} is not a loopback address, and without authentication no other is served; use 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// The requested address.
        address: ListenAddress,
        /// The message of the system.
        why: io::Error,
    },
    /// The listener failed.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}
