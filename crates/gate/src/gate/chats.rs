//! Operations for chats that decide: the accounts that stand for people, and what a message may offer.

use super::EmbeddedGate;
use crate::{CheckedChatAccount, GateFailure};
use countersign_api as api;
use countersign_events::Principal;

impl EmbeddedGate {
    /// Lists the chat accounts of a person; those of every person for `None`.
    pub async fn list_chat_accounts(
        &self,
        person: Option<&Principal>,
    ) -> Result<api::ChatAccountList, GateFailure> {
        self.service.chat_accounts(person).await
    }

    /// Links the chat account in a code to this gate's principal, under its session or token.
    pub async fn link_chat_account(
        &self,
        request: &api::LinkChatAccountRequest,
        token: Option<&str>,
    ) -> Result<api::ChatAccount, GateFailure> {
        self.service.link_chat_account(&self.by, self.webhooks.as_deref(), request, token).await
    }

    /// The person for whom the event with this `seq` linked a chat account; `None` if it links none any more.
    #[must_use]
    pub fn owner_of_chat_account(&self, seq: i64) -> Option<Principal> {
        self.service.tokens.with(|directory| {
            let mut records = directory.chat_accounts().records();
            records.find(|record| record.seq == seq).map(|record| record.person.clone())
        })
    }

    /// Who stands behind an account of a chat now; `None` if it is linked to nobody. `webhook` is the `seq` of the event that
    /// added the chat.
    #[must_use]
    pub fn check_chat_account(
        &self,
        webhook: i64,
        account: &str,
        is_solo: bool,
    ) -> Option<CheckedChatAccount> {
        self.service.check_chat_account(webhook, account, is_solo)
    }
}
