//! A chat account, as the API shows it.

use crate::CheckedChatAccount;
use countersign_api as api;
use countersign_approvals::webhook_directory::WebhookRecord;

/// `chat` is its webhook; `None` if that was removed.
pub(crate) fn view_chat_account(
    checked: &CheckedChatAccount,
    chat: Option<&WebhookRecord>,
) -> api::ChatAccount {
    let CheckedChatAccount { record, holder } = checked;
    let is_removed = chat.is_none().then(|| "its chat was removed".to_owned());
    api::ChatAccount {
        seq: record.seq,
        chat: chat.map(|webhook| webhook.added.what.name.clone()),
        account: record.linked.account.clone(),
        name: record.linked.name.clone(),
        person: record.person.clone(),
        linked_at: record.at,
        trouble: is_removed.or_else(|| holder.as_ref().err().map(ToString::to_string)),
    }
}
