//! The state of the log as a whole: its tokens and its webhooks.

use crate::{access::TokenDirectory, webhook_directory::WebhookDirectory};
use countersign_events::{Body, Event};

/// The tokens and the webhooks of a log. A command about either reads the events about both, because they are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogDirectories {
    pub(crate) tokens: TokenDirectory,
    pub(crate) webhooks: WebhookDirectory,
}

impl LogDirectories {
    /// Applies an event of the log as a whole.
    pub(crate) fn evolve(&mut self, event: &Event, body: &Body) {
        self.tokens.evolve(event, body);
        self.webhooks.evolve(event, body);
    }
}
