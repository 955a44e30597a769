//! Errors that keep the server from starting.

use crate::ListenAddress;
use std::{io, net::SocketAddr};

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Nobody is authenticated, so nobody but this machine's own users may reach it.
    #[error(
        "{0} is no loopback address, and without authentication nothing else is served; use 127.0.0.1 or [::1]"
    )]
    NotLoopback(SocketAddr),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {why}")]
    Bind {
        /// What was asked for.
        address: ListenAddress,
        /// What the system says.
        why: io::Error,
    },
    /// The listener failed.
    #[error("the server stopped: {0}")]
    Io(#[from] io::Error),
}
