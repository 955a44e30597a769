//! The sender of notifications.

use countersign_console::{CommandContext, SettingKey, address_in_links, find_key_file, webhook_key};
use countersign_gate::EmbeddedGate;
use countersign_push::PushSender;
use std::sync::Arc;

/// The key file's name, in the data folder of the user.
const FILE_NAME: &str = "push.key";

/// Creates the sender, and the gate that registers devices with it. `pages` is the server's address for people.
pub(super) fn add_sender(
    context: &CommandContext,
    pages: Option<&str>,
    gate: &EmbeddedGate,
) -> (EmbeddedGate, Arc<PushSender>) {
    let settings = &context.settings;
    let key = find_key_file(settings, SettingKey::PushKey, FILE_NAME);
    let allow_private = settings.switch(SettingKey::PushPrivate).unwrap_or(false);
    let base = address_in_links(settings, pages);
    let sender = Arc::new(PushSender::new(&key, webhook_key(settings), &base, allow_private));
    (gate.with_push(sender.clone()), sender)
}
