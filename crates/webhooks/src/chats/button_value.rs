//! The values of buttons, `CHOICE.SEQ.SEEN.MAC`, 61 bytes at most, because Telegram permits 64.
//!
//! `SEEN` is a keyed hash of the arguments and the text that the message shows, so that a click says which text was seen. The
//! MAC covers the log, the webhook and the rest. Whoever has no key can make no value, also if a request is not signed.

use crate::{
    chats::{chat_address::equals_secret, chat_types::ClickChoice},
    webhook_key::WebhookKey,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_events::{SecretValue, Sha256};
use ring::hmac;

/// The bytes of `SEEN` and of the MAC.
const SEEN_BYTES: usize = 12;
const MAC_BYTES: usize = 16;

/// Makes and checks the values of the buttons of one webhook.
#[derive(Clone)]
pub(crate) struct ButtonSigner {
    key: hmac::Key,
    /// The log and the webhook, which each text begins with.
    scope: String,
}

/// A value that this server made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvenButton {
    pub(crate) choice: ClickChoice,
    pub(crate) seq: i64,
    pub(crate) seen: String,
}

impl ClickChoice {
    const fn letter(self) -> &'static str {
        match self {
            Self::Allow => "a",
            Self::AllowHour => "h",
            Self::Deny => "d",
        }
    }

    fn from_letter(letter: &str) -> Option<Self> {
        [Self::Allow, Self::AllowHour, Self::Deny].into_iter().find(|choice| choice.letter() == letter)
    }
}

impl ButtonSigner {
    pub(crate) fn new(key: &WebhookKey, log: Sha256, webhook: i64) -> Self {
        Self { key: key.derive("countersign chat buttons"), scope: format!("{log}\n{webhook}") }
    }

    /// The hash of what a message shows.
    pub(crate) fn seen(&self, arguments: Sha256, text: &str) -> String {
        self.tag(&format!("seen\n{}\n{arguments}\n{text}", self.scope), SEEN_BYTES)
    }

    /// The value of a button.
    pub(crate) fn value(&self, choice: ClickChoice, seq: i64, seen: &str) -> String {
        let claim = format!("{}.{seq}.{seen}", choice.letter());
        format!("{claim}.{}", self.tag(&self.button_text(&claim), MAC_BYTES))
    }

    /// Reads a value; `None` if this server did not make it for this webhook.
    pub(crate) fn read(&self, value: &str) -> Option<ProvenButton> {
        let (claim, mac) = value.rsplit_once('.')?;
        if !equals_secret(mac, &self.tag(&self.button_text(claim), MAC_BYTES)) {
            return None;
        }
        let (letter, rest) = claim.split_once('.')?;
        let (seq, seen) = rest.split_once('.')?;
        Some(ProvenButton {
            choice: ClickChoice::from_letter(letter)?,
            seq: seq.parse().ok()?,
            seen: seen.to_owned(),
        })
    }

    /// A secret for the platform that signs no requests.
    pub(crate) fn platform_secret(&self) -> SecretValue<String> {
        self.tag(&format!("platform\n{}", self.scope), 32).into()
    }

    fn button_text(&self, claim: &str) -> String {
        format!("button\n{}\n{claim}", self.scope)
    }

    fn tag(&self, text: &str, bytes: usize) -> String {
        let tag = hmac::sign(&self.key, text.as_bytes());
        URL_SAFE_NO_PAD.encode(tag.as_ref().get(..bytes).unwrap_or_default())
    }
}
