//! The sender of webhook messages, with the key that seals their addresses.

use crate::settings::{default_log::find_data_file, effective::Settings, keys::SettingKey};
use countersign_webhooks::{HttpWebhooks, WebhookKeyFile};
use std::{path::PathBuf, sync::Arc};

/// The key file's name, in the data folder of the user.
const FILE_NAME: &str = "webhook.key";

/// The address in links if no setting names the server.
const DEFAULT_URL: &str = "http://countersign.localhost:7878";

/// Creates the sender. `base` is the server page address in links. The key file need not exist yet.
pub fn webhook_sender(settings: &Settings, base: Option<&str>) -> Arc<HttpWebhooks> {
    let set = settings.text_with_origin(SettingKey::WebhookKey).map(|(path, _)| PathBuf::from(path));
    // Without a home folder, the key is in the current folder, where the default log may be too.
    let path = set.or_else(|| find_data_file(FILE_NAME)).unwrap_or_else(|| FILE_NAME.into());
    let named = settings.texts(SettingKey::PublicUrls).and_then(|(urls, _)| urls.first().cloned());
    let base = base.map(str::to_owned).or(named).unwrap_or_else(|| DEFAULT_URL.to_owned());
    Arc::new(HttpWebhooks::new(WebhookKeyFile::new(path), &base))
}
