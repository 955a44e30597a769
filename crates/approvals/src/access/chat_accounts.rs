//! The chat accounts that stand for people, built from the log's events.

use countersign_events::{Body, ChatAccountLinked, ChatAccountUnlinked, Event, Principal, Timestamp};
use std::{collections::BTreeMap, sync::Arc};

/// The chat accounts in a log that are linked to people.
#[derive(Debug, Clone, Default)]
pub struct ChatAccountDirectory {
    /// By the `seq` of the chat's webhook, and the account. Shared, because readers keep copies of the directory.
    accounts: BTreeMap<(i64, String), Arc<ChatAccountRecord>>,
}

/// A chat account that stands for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatAccountRecord {
    /// The `seq` of the event that linked it, which identifies the link.
    pub seq: i64,
    /// The time of that event.
    pub at: Timestamp,
    /// The person.
    pub person: Principal,
    /// What the event says.
    pub linked: ChatAccountLinked,
}

impl ChatAccountDirectory {
    /// Applies an event. Events about other things change nothing.
    pub(super) fn evolve(&mut self, event: &Event, body: &Body) {
        match body {
            Body::ChatAccountLinked(linked) => {
                let (seq, at, person) = (event.seq, event.timestamp, event.principal.clone());
                let record = ChatAccountRecord { seq, at, person, linked: linked.clone() };
                self.accounts.insert((linked.webhook, linked.account.clone()), Arc::new(record));
            }
            Body::ChatAccountUnlinked(ChatAccountUnlinked { webhook, account }) => {
                self.accounts.remove(&(*webhook, account.clone()));
            }
            _ => {}
        }
    }

    /// The link of an account of this chat.
    #[must_use]
    pub fn find(&self, webhook: i64, account: &str) -> Option<&Arc<ChatAccountRecord>> {
        self.accounts.get(&(webhook, account.to_owned()))
    }

    /// All links, by chat and account.
    pub fn records(&self) -> impl Iterator<Item = &Arc<ChatAccountRecord>> {
        self.accounts.values()
    }
}
