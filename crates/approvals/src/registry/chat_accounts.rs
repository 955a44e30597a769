//! Chat accounts: a person who may decide links one, and that person or an administrator unlinks it.

use super::AdmissionContext;
use crate::{
    Refused,
    access::{ChatAccountRecord, SOLO_MARK, TokenDirectory},
    decide::check_is_person,
};
use countersign_events::{ChatAccountLinked, ChatAccountUnlinked, id::check_name};

/// The maximum number of accounts per person.
pub const MAX_CHAT_ACCOUNTS: usize = 16;

/// Returns true if the event changes something.
pub(super) fn check_linked(
    linked: &ChatAccountLinked,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    for (field, text) in [("account", &linked.account), ("name", &linked.name)] {
        check_name(text).map_err(|why| Refused::invalid(field, &why.to_string()))?;
    }
    if linked.webhook <= 0 {
        return Err(Refused::UnknownWebhook);
    }
    let accounts = tokens.chat_accounts();
    let known = accounts.find(linked.webhook, &linked.account);
    if let Some(other) = known.filter(|known| known.person != *context.by) {
        let why = format!("it is linked to {}, who unlinks it first", other.person);
        return Err(Refused::invalid("account", &why));
    }
    let own = accounts.records().filter(|record| record.person == *context.by).count();
    if known.is_none() && own >= MAX_CHAT_ACCOUNTS {
        let why = format!("a person has up to {MAX_CHAT_ACCOUNTS} accounts; unlink one first");
        return Err(Refused::invalid("account", &why));
    }
    let is_without = linked.token.is_none() && linked.signed_in_as.is_none();
    if is_without && !context.by.as_str().ends_with(SOLO_MARK) {
        let why = "only a session of this server, or a token, links an account: the link ends with it";
        return Err(Refused::invalid("token", why));
    }
    let record =
        ChatAccountRecord { seq: 0, at: context.now, person: context.by.clone(), linked: linked.clone() };
    let checked = tokens.check_chat_account(&record, true, context.now);
    checked.map_err(|why| Refused::invalid("token", &why.to_string()))?;
    Ok(known.is_none_or(|known| known.linked != *linked))
}

/// Returns true if the account is still linked.
pub(super) fn check_unlinked(
    unlinked: &ChatAccountUnlinked,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<bool, Refused> {
    check_is_person(context.by)?;
    Ok(tokens.chat_accounts().find(unlinked.webhook, &unlinked.account).is_some())
}
