//! Proxy settings.

use std::{sync::Arc, time::Duration};

/// Proxy settings.
#[derive(Clone)]
pub struct ProxyTerms {
    /// The prefix of executor names.
    pub executor: &'static str,
    /// The claim lease, in seconds.
    pub lease_seconds: u32,
    /// How long a question for the client's user waits before it is in the inbox, too.
    pub questions_after: Duration,
    /// The agent's kind, if it is known.
    pub agent: Option<String>,
    /// The machine, if several share the log.
    pub host: Option<String>,
    /// Receives notes for the person who runs the proxy.
    pub note: Arc<dyn Fn(&str) + Send + Sync>,
}
