//! The chat accounts that stand for people, built from the log's events.

use super::{DeviceRejection, TokenDirectory, TokenHolder};
use countersign_events::{
    Body, ChatAccountLinked, ChatAccountUnlinked, Event, Principal, ProviderAccount, Timestamp, TokenKind,
};
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

impl TokenDirectory {
    /// Returns the holder for whom a chat account decides now. `is_solo` is true on a server that asks for no credential.
    pub fn check_chat_account(
        &self,
        record: &ChatAccountRecord,
        is_solo: bool,
        now: Timestamp,
    ) -> Result<Arc<TokenHolder>, DeviceRejection> {
        let ChatAccountLinked { token, signed_in_as, .. } = &record.linked;
        let session = signed_in_as
            .as_ref()
            .map(|account| self.last_session_of(account).ok_or(DeviceRejection::SessionOver));
        let token = session.transpose()?.or(token.as_deref());
        self.check_standing(&record.person, token, is_solo, now)
    }

    /// The last session of an account at an identity provider.
    fn last_session_of(&self, account: &ProviderAccount) -> Option<&str> {
        let own = self.records().filter(|record| record.created.account.as_ref() == Some(account));
        own.max_by_key(|record| record.seq).map(|record| record.created.id.as_str())
    }

    /// The credential with which a link ends that a person makes under this one: the token from which the session was made, or
    /// the account at an identity provider, whose next session continues the link. A session that a sign-in link began is its
    /// own.
    #[must_use]
    pub fn credential_of_link(&self, token: &str) -> (Option<String>, Option<ProviderAccount>) {
        let Some(record) = self.find(token) else { return (Some(token.to_owned()), None) };
        if let Some(account) = &record.created.account {
            return (None, Some(account.clone()));
        }
        let origin = self.find_origin(record);
        let is_token =
            |id: &String| self.find(id).is_some_and(|origin| origin.created.kind == TokenKind::Token);
        (Some(origin.filter(is_token).unwrap_or_else(|| token.to_owned())), None)
    }
}
