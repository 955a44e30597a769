//! The sender of webhook messages, with the key that seals their addresses.

use crate::settings::{default_log::find_data_file, effective::Settings, keys::SettingKey};
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use std::{path::PathBuf, sync::Arc};

/// The key file's name, in the data folder of the user.
const FILE_NAME: &str = "webhook.key";

/// The address in links if no setting names the server.
const DEFAULT_URL: &str = "http://countersign.localhost:7878";

/// Creates the sender. `base` is the server page address in links. The key file need not exist yet.
#[must_use]
pub fn webhook_sender(settings: &Settings, base: Option<&str>) -> Arc<HttpWebhooks> {
    Arc::new(HttpWebhooks::new(webhook_key(settings), &address_in_links(settings, base)))
}

/// The key that seals the addresses of webhooks and devices.
#[must_use]
pub fn webhook_key(settings: &Settings) -> WebhookKeyFile {
    WebhookKeyFile::new(find_key_file(settings, SettingKey::WebhookKey, FILE_NAME))
}

/// The path of a key file: as the setting says, or in the data folder of the user.
#[must_use]
pub fn find_key_file(settings: &Settings, key: SettingKey, name: &str) -> PathBuf {
    let set = settings.text_with_origin(key).map(|(path, _)| PathBuf::from(path));
    // Without a home folder, the key is in the current folder, where the default log may be too.
    set.or_else(|| find_data_file(name)).unwrap_or_else(|| name.into())
}

/// The server's address for people: its pages, or the first public address of the settings.
pub fn address_in_links(settings: &Settings, base: Option<&str>) -> String {
    let named = settings.texts(SettingKey::PublicUrls).and_then(|(urls, _)| urls.first().cloned());
    base.map(str::to_owned).or(named).unwrap_or_else(|| DEFAULT_URL.to_owned())
}
