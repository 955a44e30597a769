//! Server connections: their number is limited by the file descriptors of the process, and a client that sends or reads
//! nothing is disconnected after a time limit.

mod accept;
mod activity;
mod bodies;
mod limits;
mod peer;
mod serve;
mod timed_io;

pub(crate) use accept::{ConnectionSet, accept_connections};
pub(crate) use activity::ConnectionStep;
pub(crate) use bodies::BodyTimeout;
pub use limits::{ConnectionTimeouts, DescriptorLimit};
pub(crate) use peer::ConnectionOrigin;
pub use peer::PeerAddress;
