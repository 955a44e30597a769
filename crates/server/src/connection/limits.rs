//! Connection limits: the number of connections, and the times that a client may take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::time::Duration;

/// The most file descriptors that are kept free for the database, its files, logs and [`SPARE_CONNECTIONS`].
const RESERVED_DESCRIPTORS: u64 = 128;

/// The number of connections beyond the maximum that are open to get an answer. A further one ends the oldest.
pub(super) const SPARE_CONNECTIONS: usize = 16;

/// The longest time that a connection beyond the maximum has for each step.
const SPARE_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limits of a connection. A client that exceeds one is disconnected. A request that waits for a decision, and
/// a stream without new events, have no time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionTimeouts {
    /// From the connection to the first byte. 10 seconds by default.
    pub connect: Duration,
    /// From the first byte of a request to the end of its head. 10 seconds by default.
    pub head: Duration,
    /// From the end of a request head to the end of the body. 30 seconds by default.
    pub body: Duration,
    /// From the end of a response to the next request. 2 minutes by default, so that clients close first.
    pub idle: Duration,
    /// The time for which a client may read nothing while the server has something to send. 30 seconds by default.
    pub write: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_mins(2),
            write: Duration::from_secs(30),
        }
    }
}

impl ConnectionTimeouts {
    /// The time limits of a connection beyond the maximum.
    pub(super) fn of_spare(self) -> Self {
        let Self { connect, head, body, idle, write } = self;
        let [connect, head, body, idle, write] =
            [connect, head, body, idle, write].map(|limit| limit.min(SPARE_TIMEOUT));
        Self { connect, head, body, idle, write }
    }
}

/// How many files and connections this process may have open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DescriptorLimit(u64);

impl DescriptorLimit {
    /// Raises this process's limit as high as the system allows without privileges, and returns it. A shell or a
    /// service manager usually starts processes with 1,024 or 256, although they may have many more.
    #[must_use]
    pub fn raise() -> Self {
        let limit = getrlimit(Resource::Nofile);
        if limit.current != limit.maximum {
            let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
            if let Err(error) = setrlimit(Resource::Nofile, raised) {
                tracing::warn!(%error, "the limit of open files cannot be raised");
            }
        }
        Self::current()
    }

    /// Returns the current limit.
    #[must_use]
    pub fn current() -> Self {
        Self(getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX))
    }

    /// Returns the most connections that leave enough descriptors for the database and the log.
    #[must_use]
    pub fn max_connections(self) -> usize {
        let connections = self.0 - RESERVED_DESCRIPTORS.min(self.0 / 2);
        usize::try_from(connections).unwrap_or(usize::MAX).min(tokio::sync::Semaphore::MAX_PERMITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_connections_leaves_descriptors_for_the_database() {
        for (limit, connections) in [(64, 32), (256, 128), (1_024, 896), (65_536, 65_408)] {
            assert_eq!(DescriptorLimit(limit).max_connections(), connections, "{limit}");
        }
        assert!(DescriptorLimit(u64::MAX).max_connections() > 1_000_000);
    }
}
