//! The state of the log as a whole: its tokens, its webhooks and the facts about its advisors.

use crate::{
    access::TokenDirectory, advisor_directory::AdvisorDirectory, webhook_directory::WebhookDirectory,
};
use countersign_events::{Body, Event};

/// The directories of a log. A command about one of them reads the events about all, because they are few.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogDirectories {
    pub(crate) tokens: TokenDirectory,
    pub(crate) webhooks: WebhookDirectory,
    pub(crate) advisors: AdvisorDirectory,
}

impl LogDirectories {
    /// Applies an event of the log as a whole.
    pub(crate) fn evolve(&mut self, event: &Event, body: &Body) {
        self.tokens.evolve(event, body);
        self.webhooks.evolve(event, body);
        self.advisors.evolve(event, body);
    }
}
