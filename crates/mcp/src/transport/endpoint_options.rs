//! HTTP endpoint settings for clients, and the gateways that the endpoint starts.

use crate::gateway::{ClientReader, ClientWriter};
use countersign_events::{Sha256, Timestamp};
use std::{pin::Pin, sync::Arc, time::Duration};

/// The gateway streams, from the client side.
pub struct ClientSessionStreams {
    /// From the gateway.
    pub output: ClientReader,
    /// To the gateway.
    pub input: ClientWriter,
}

/// A gateway that is being started. The error tells why it cannot be.
pub type StartingSession = Pin<Box<dyn Future<Output = Result<ClientSessionStreams, String>> + Send>>;

/// Starts a gateway with servers of its own.
pub type SessionStarter = Arc<dyn Fn() -> StartingSession + Send + Sync>;

/// HTTP endpoint settings for clients.
#[derive(Clone)]
pub struct EndpointOptions {
    /// The token that each request must carry.
    pub token: BearerToken,
    /// The most sessions at a time.
    pub max_sessions: usize,
    /// The time after which a session that is not used makes room for others.
    pub idle_limit: Duration,
    /// Returns the current time.
    pub now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Starts the gateway for a session.
    pub start: SessionStarter,
}

/// A token hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BearerToken(Sha256);

impl BearerToken {
    /// The token with this text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()))
    }

    /// Returns true if this `Authorization` header value contains the token. Hashes are compared, so the comparison
    /// time tells nothing about the token.
    pub(crate) fn is_in(&self, authorization: &str) -> bool {
        let token = authorization.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        token.is_some_and(|(_, token)| Self::new(token.trim()) == *self)
    }
}
