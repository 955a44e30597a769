//! The chat accounts that stand for people: list, link and unlink.

use super::EmbeddedService;
use crate::{CheckedChatAccount, GateFailure, WebhookTransport, view::view_chat_account};
use countersign_api as api;
use countersign_approvals::{CommandCaller, LogCommand, Refused, access::ChatAccountRecord};
use countersign_events::{Body, ChatAccountLinked, ChatAccountUnlinked, Principal};
use std::sync::Arc;

impl EmbeddedService {
    /// Who stands behind an account of a chat now; `None` if it is linked to nobody.
    pub(crate) fn check_chat_account(
        &self,
        webhook: i64,
        account: &str,
        is_solo: bool,
    ) -> Option<CheckedChatAccount> {
        let now = self.store.clock().now();
        self.tokens.with(|directory| {
            let record = directory.chat_accounts().find(webhook, account)?;
            let holder = directory.check_chat_account(record, is_solo, now);
            Some(CheckedChatAccount { record: Arc::clone(record), holder })
        })
    }

    /// Lists the accounts of a person; `None` for all.
    pub(crate) async fn chat_accounts(
        &self,
        person: Option<&Principal>,
    ) -> Result<api::ChatAccountList, GateFailure> {
        let webhooks = self.read_webhooks().await?;
        let own = |record: &&Arc<ChatAccountRecord>| person.is_none_or(|person| record.person == *person);
        let mut records: Vec<_> =
            self.tokens.with(|directory| directory.chat_accounts().records().filter(own).cloned().collect());
        records.sort_by_key(|record: &Arc<ChatAccountRecord>| record.seq);
        let view = |record: &Arc<ChatAccountRecord>| {
            let checked = self.check_chat_account(record.linked.webhook, &record.linked.account, true)?;
            let chat = webhooks.records().find(|webhook| webhook.id() == record.linked.webhook);
            Some(view_chat_account(&checked, chat))
        };
        Ok(api::ChatAccountList { accounts: records.iter().filter_map(view).collect() })
    }

    /// Links the account in a code to the caller, under the caller's token or session.
    pub(crate) async fn link_chat_account(
        &self,
        by: &CommandCaller,
        transport: Option<&dyn WebhookTransport>,
        request: &api::LinkChatAccountRequest,
        token: Option<&str>,
    ) -> Result<api::ChatAccount, GateFailure> {
        let log = self.log_id().await?;
        let transport = super::webhooks::require(transport)?;
        let code = transport.read_link_code(&request.code, log, self.store.clock().now())?;
        let webhooks = self.read_webhooks().await?;
        let found = webhooks.records().find(|webhook| webhook.id() == code.webhook);
        let webhook = found.ok_or(Refused::UnknownWebhook)?.id();
        let (token, signed_in_as) = match token {
            Some(token) => self.tokens.with(|directory| directory.credential_of_link(token)),
            None => (None, None),
        };
        let (account, name) = (code.account, code.name);
        let linked = ChatAccountLinked { webhook, account: account.clone(), name, token, signed_in_as };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::ChatAccountLinked(linked)])).await?;
        let is_linked =
            |record: &ChatAccountRecord| record.linked.webhook == webhook && record.linked.account == account;
        self.show_chat_account(&*self.find_record(is_linked)?).await
    }

    /// Unlinks the account that the event with this `seq` linked.
    pub(crate) async fn unlink_chat_account(
        &self,
        by: &CommandCaller,
        seq: i64,
    ) -> Result<api::ChatAccount, GateFailure> {
        let record = self.find_record(|record| record.seq == seq)?;
        let unlinked = self.show_chat_account(&record).await?;
        let ChatAccountLinked { webhook, account, .. } = record.linked.clone();
        let event = ChatAccountUnlinked { webhook, account };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::ChatAccountUnlinked(event)])).await?;
        Ok(unlinked)
    }

    fn find_record(
        &self,
        is_meant: impl Fn(&ChatAccountRecord) -> bool,
    ) -> Result<Arc<ChatAccountRecord>, GateFailure> {
        let found = self
            .tokens
            .with(|directory| directory.chat_accounts().records().find(|record| is_meant(record)).cloned());
        found.ok_or_else(|| Refused::UnknownChatAccount.into())
    }

    /// The account as the list shows it.
    async fn show_chat_account(&self, record: &ChatAccountRecord) -> Result<api::ChatAccount, GateFailure> {
        let mut listed = self.chat_accounts(Some(&record.person)).await?.accounts.into_iter();
        listed.find(|account| account.seq == record.seq).ok_or_else(|| Refused::UnknownChatAccount.into())
    }
}
