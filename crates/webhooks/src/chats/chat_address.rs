//! The address of a chat app: where messages go, and the secrets after `#`.

use countersign_events::{SecretValue, Sha256, WebhookFormat};
use url::Url;

/// The forms, as errors show them.
pub(crate) const SLACK: &str = "https://slack.com/api/chat.postMessage?channel=C…#xoxb-TOKEN:SIGNING_SECRET";
pub(crate) const TELEGRAM: &str = "https://api.telegram.org/?chat_id=…#BOT_TOKEN";
pub(crate) const DISCORD: &str = "https://discord.com/api/v10/channels/ID/messages#BOT_TOKEN:PUBLIC_KEY";
pub(crate) const MATTERMOST: &str = "https://HOST/api/v4/posts?channel_id=…#BOT_TOKEN";

/// The hexadecimal digits of the public key of a Discord app.
const PUBLIC_KEY_DIGITS: usize = 64;

/// The form of a format's address; `None` if it is none of a chat app.
pub(crate) const fn address_form(format: WebhookFormat) -> Option<&'static str> {
    match format {
        WebhookFormat::SlackApp => Some(SLACK),
        WebhookFormat::Telegram => Some(TELEGRAM),
        WebhookFormat::DiscordApp => Some(DISCORD),
        WebhookFormat::Mattermost => Some(MATTERMOST),
        _ => None,
    }
}

/// Where the messages of a chat app go. `{:?}` omits the secrets.
#[derive(Debug, Clone)]
pub(crate) struct ChatAddress {
    /// The address without its query.
    pub(crate) url: Url,
    /// The channel or the chat. A channel of Discord is in the path instead.
    pub(crate) channel: String,
    pub(crate) token: SecretValue<String>,
    /// With which requests of the platform are proven: the signing secret of Slack, the public key of Discord.
    pub(crate) proof: Option<SecretValue<String>>,
    /// Where the platform sends clicks.
    pub(crate) clicks: String,
    /// A secret that only this server and the platform know, derived from the key of webhooks.
    pub(crate) derived: SecretValue<String>,
}

impl ChatAddress {
    /// Reads an address whose key is given; `None` if it has not the form of its format.
    pub(crate) fn read(url: &Url, key: &str, format: WebhookFormat) -> Option<Self> {
        let (parameter, path_end, has_proof) = match format {
            WebhookFormat::SlackApp => ("channel", "/chat.postMessage", true),
            WebhookFormat::Telegram => ("chat_id", "/", false),
            WebhookFormat::DiscordApp => ("", "/messages", true),
            WebhookFormat::Mattermost => ("channel_id", "/posts", false),
            _ => return None,
        };
        let channel =
            url.query_pairs().find(|(name, _)| name == parameter).map(|(_, value)| value.into_owned());
        let channel = channel.filter(|channel| !channel.is_empty() && channel.len() <= 64);
        // The token of Telegram has a colon.
        let (token, proof) = if has_proof {
            let (token, proof) = key.rsplit_once(':')?;
            (token, Some(proof).filter(|proof| !proof.is_empty()))
        } else {
            (key, None)
        };
        if token.is_empty() || !url.path().ends_with(path_end) || has_proof && proof.is_none() {
            return None;
        }
        if parameter.is_empty() == channel.is_some() && !parameter.is_empty() {
            return None;
        }
        let is_key = |proof: &str| proof.len() == PUBLIC_KEY_DIGITS && read_hex(proof).is_some();
        if format == WebhookFormat::DiscordApp && !proof.is_some_and(is_key) {
            return None;
        }
        let mut bare = url.clone();
        bare.set_query(None);
        Some(Self {
            url: bare,
            channel: channel.unwrap_or_default(),
            token: token.into(),
            proof: proof.map(SecretValue::from),
            clicks: String::new(),
            derived: String::new().into(),
        })
    }

    /// The address of another method beside that of the webhook.
    pub(crate) fn beside(&self, last: &str) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop().push(last);
        }
        url
    }

    /// An address below that of the webhook.
    pub(crate) fn below(&self, parts: &[&str]) -> Url {
        let mut url = self.url.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(parts);
        }
        url
    }
}

/// Compares two secrets in a time that does not depend on their content.
pub(crate) fn equals_secret(given: &str, expected: &str) -> bool {
    let hash = |text: &str| Sha256::digest(text.as_bytes());
    hash(given).equals_in_constant_time(&hash(expected))
}

/// The bytes of hexadecimal digits.
pub(crate) fn read_hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |index| text.get(index..index + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    if is_hex { (0..text.len()).step_by(2).map(byte).collect() } else { None }
}
