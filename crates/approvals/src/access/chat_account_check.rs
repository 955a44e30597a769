//! For whom a chat account decides now, and the credential with which a link ends.

use super::{ChatAccountRecord, DeviceRejection, TokenDirectory, TokenHolder};
use countersign_events::{ChatAccountLinked, ProviderAccount, Timestamp, TokenKind};
use std::sync::Arc;

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
