//! The log-wide registries.

use super::{ActivePolicyHash, LogRegistry};
use crate::{
    access::TokenDirectory, advisor_directory::AdvisorDirectory, pinned_tools::PinnedTools,
    webhook_directory::WebhookDirectory,
};
use countersign_events::{Body, Event, EventGroup};

/// The log-wide registries, as far as they have been read. The events about access, webhooks and advisors are read
/// together, because they are few. Tool definitions are read tool by tool.
#[derive(Debug, Default)]
pub(crate) struct LogRegistries {
    pub(crate) policy: ActivePolicyHash,
    pub(crate) tools: PinnedTools,
    /// Whether access, webhooks and advisors were read.
    pub(crate) are_directories_read: bool,
    pub(crate) tokens: TokenDirectory,
    pub(crate) webhooks: WebhookDirectory,
    pub(crate) advisors: AdvisorDirectory,
}

impl LogRegistries {
    /// The registries for a log that is read from its start.
    pub(crate) fn of_new_log() -> Self {
        Self { tools: PinnedTools::of_new_log(), are_directories_read: true, ..Self::default() }
    }

    /// Prepares for the events about access, webhooks and advisors.
    pub(crate) fn begin_directories(&mut self) {
        self.are_directories_read = true;
        self.tokens = TokenDirectory::default();
        self.webhooks = WebhookDirectory::default();
        self.advisors = AdvisorDirectory::default();
    }

    /// The registry for an event group; `None` for events that belong to a thread.
    pub(crate) fn get(&self, group: EventGroup) -> Option<&dyn LogRegistry> {
        match group {
            EventGroup::Policy => Some(&self.policy),
            EventGroup::Access => Some(&self.tokens),
            EventGroup::Webhook => Some(&self.webhooks),
            EventGroup::Definition => Some(&self.tools),
            EventGroup::Advisor => Some(&self.advisors),
            EventGroup::Call | EventGroup::Thread | EventGroup::Conversation => None,
        }
    }

    /// Returns true if the state depends on events in this group.
    pub(crate) const fn follows(&self, group: EventGroup) -> bool {
        match group {
            EventGroup::Policy | EventGroup::Definition => true,
            EventGroup::Access | EventGroup::Webhook | EventGroup::Advisor => self.are_directories_read,
            EventGroup::Call | EventGroup::Thread | EventGroup::Conversation => false,
        }
    }

    /// Applies a log-wide event.
    pub(crate) fn evolve(&mut self, event: &Event, body: &Body) {
        let registry: &mut dyn LogRegistry = match event.kind.group().filter(|group| self.follows(*group)) {
            Some(EventGroup::Policy) => &mut self.policy,
            Some(EventGroup::Access) => &mut self.tokens,
            Some(EventGroup::Webhook) => &mut self.webhooks,
            Some(EventGroup::Definition) => &mut self.tools,
            Some(EventGroup::Advisor) => &mut self.advisors,
            Some(EventGroup::Call | EventGroup::Thread | EventGroup::Conversation) | None => return,
        };
        registry.evolve(event, body);
    }
}
