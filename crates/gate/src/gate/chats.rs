//! Operations for chats that decide: the accounts that stand for people, and what a message may offer.

use super::EmbeddedGate;
use crate::{ChatOffer, CheckedChatAccount, GateFailure, view_call};
use countersign_api as api;
use countersign_approvals::{decide::may_decide_in_chat, webhook_directory::WebhookRecord};
use countersign_events::{CallId, Decision, Principal, ThreadId};

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

    /// Finds the webhook with this name.
    pub async fn find_webhook(&self, name: &str) -> Result<WebhookRecord, GateFailure> {
        self.service.find_webhook(name).await
    }

    /// Reads a call for a chat message, with the buttons that the rules permit now; `None` if the thread has no such call.
    pub async fn call_for_chat(
        &self,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<Option<(api::Call, ChatOffer)>, GateFailure> {
        let policy = self.service.policy.policy()?;
        let Some(call) = self.service.store.call(thread, id).await? else { return Ok(None) };
        let options = call.request().map(|request| request.what.options.clone()).unwrap_or_default();
        let may_decide = may_decide_in_chat(&call, &policy);
        let offers = |decision| may_decide && options.contains(&decision);
        let offer = ChatOffer {
            allow: offers(Decision::AllowOnce),
            allow_hour: offers(Decision::AllowSession),
            deny: offers(Decision::Deny),
        };
        Ok(Some((view_call(&call, self.clock().now()), offer)))
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
