//! The sealed part of a webhook: the address and the signing secrets.

use crate::{BadSigningSecret, SigningSecret, signing_secrets::SigningSecrets};
use countersign_events::{SecretValue, Timestamp};
use serde::{Deserialize, Serialize};

/// The sealed part of a webhook, as the seal contains it.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedTarget {
    pub(crate) url: SecretValue<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<SecretValue<String>>,
    /// The end is in the seal, too, so that whoever can write to the database cannot let an old secret sign longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    old: Option<SealedOldSecret>,
}

/// A secret that signs for a time beside the current one.
#[derive(Serialize, Deserialize)]
struct SealedOldSecret {
    secret: SecretValue<String>,
    until: Timestamp,
}

impl SealedTarget {
    pub(crate) fn new(url: &str, secret: Option<&SigningSecret>) -> Self {
        Self { url: url.into(), secret: secret.map(SigningSecret::expose), old: None }
    }

    /// The same address with other secrets.
    pub(crate) fn with_secrets(self, secrets: &SigningSecrets) -> Self {
        let old = secrets.old.as_ref();
        let old = old.map(|(secret, until)| SealedOldSecret { secret: secret.expose(), until: *until });
        Self { secret: Some(secrets.current.expose()), old, ..self }
    }

    /// The secrets; `None` if messages are not signed.
    pub(crate) fn secrets(&self) -> Result<Option<SigningSecrets>, BadSigningSecret> {
        let read = |text: &SecretValue<String>| SigningSecret::parse(text.expose());
        let Some(current) = &self.secret else { return Ok(None) };
        let old = self.old.as_ref().map(|old| Ok((read(&old.secret)?, old.until))).transpose()?;
        Ok(Some(SigningSecrets { current: read(current)?, old }))
    }

    /// The text that is sealed.
    pub(crate) fn to_text(&self) -> Result<SecretValue<String>, serde_json::Error> {
        serde_json::to_string(self).map(SecretValue::new)
    }
}
