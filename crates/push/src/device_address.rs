//! The address and the keys of a device, as the log keeps them: sealed with the key that also seals the addresses of webhooks.

use crate::encryption::{DeviceKeys, POINT_BYTES, SECRET_BYTES, encrypt, hash};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_api as api;
use countersign_client::ServiceUrl;
use countersign_events::{SecretValue, Sha256};
use countersign_webhooks::WebhookKeyFile;
use serde::{Deserialize, Serialize};

/// The address and the keys, as the seal contains them.
#[derive(Serialize, Deserialize)]
struct SealedAddress {
    endpoint: SecretValue<String>,
    p256dh: String,
    auth: SecretValue<String>,
}

/// The opened address and keys of a device.
#[derive(Clone)]
pub(crate) struct DeviceAddress {
    pub(crate) service: ServiceUrl,
    pub(crate) keys: DeviceKeys,
}

impl DeviceAddress {
    /// Reads an address and keys as a browser sends them. The error names the field.
    pub(crate) fn parse(
        endpoint: &str,
        p256dh: &str,
        auth: &str,
        allow_private: bool,
    ) -> Result<Self, (&'static str, String)> {
        let service =
            ServiceUrl::parse(endpoint, allow_private).map_err(|why| ("endpoint", why.to_string()))?;
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let public = bytes(p256dh).and_then(|bytes| <[u8; POINT_BYTES]>::try_from(bytes).ok());
        let secret = bytes(auth).and_then(|bytes| <[u8; SECRET_BYTES]>::try_from(bytes).ok());
        let public = public.ok_or_else(|| ("keys", "p256dh must be a public key of 65 bytes".to_owned()))?;
        let secret = secret.ok_or_else(|| ("keys", "auth must be a secret of 16 bytes".to_owned()))?;
        let keys = DeviceKeys { public, secret };
        if encrypt(&keys, b"").is_none() {
            return Err(("keys", "p256dh is no point of the curve P-256".to_owned()));
        }
        Ok(Self { service, keys })
    }

    /// The device's id: the same for the same subscription.
    pub(crate) fn id(&self) -> String {
        let parts = [self.service.url().as_str().as_bytes(), b"\n", &self.keys.public, &self.keys.secret];
        Sha256::digest(&parts.concat()).to_string().chars().take(16).collect()
    }

    /// A name for the notification of a thread that tells the push service nothing. It replaces an undelivered message of the
    /// same name.
    pub(crate) fn topic(&self, thread: &str) -> String {
        let hash = hash(&self.keys.secret, &[b"countersign topic\0", thread.as_bytes()]);
        URL_SAFE_NO_PAD.encode(&hash[..24])
    }

    /// Seals the address for the device with this id.
    pub(crate) fn seal(
        request: &api::PushDeviceRequest,
        id: &str,
        key: &WebhookKeyFile,
    ) -> Result<String, String> {
        let sealed = SealedAddress {
            endpoint: request.endpoint.trim().into(),
            p256dh: request.keys.p256dh.clone(),
            auth: request.keys.auth.as_str().into(),
        };
        let text = serde_json::to_string(&sealed).map(SecretValue::new).map_err(|why| why.to_string())?;
        key.seal(&seal_name(id), text.expose()).map_err(|why| why.to_string())
    }

    /// Opens the sealed address of a device. Fails with the reason, also if the address is not permitted any more.
    pub(crate) fn open(
        id: &str,
        sealed: &str,
        key: &WebhookKeyFile,
        allow_private: bool,
    ) -> Result<Self, String> {
        let text = key.open(&seal_name(id), sealed).map_err(|why| why.to_string())?;
        let sealed: SealedAddress = serde_json::from_str(text.expose()).map_err(|why| why.to_string())?;
        let opened =
            Self::parse(sealed.endpoint.expose(), &sealed.p256dh, sealed.auth.expose(), allow_private);
        opened.map_err(|(_, why)| why)
    }
}

/// No webhook has such a name, so the seal of one never opens for a device.
fn seal_name(id: &str) -> String {
    format!("device/{id}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

    fn request(endpoint: &str) -> api::PushDeviceRequest {
        let keys = api::PushKeys { p256dh: P256DH.to_owned(), auth: "BTBZMqHH6r4Tts7J_aSIgg".to_owned() };
        api::PushDeviceRequest { name: "phone".to_owned(), endpoint: endpoint.to_owned(), keys, quiet: None }
    }

    #[test]
    fn sealed_address_opens_only_for_its_device() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = WebhookKeyFile::new(folder.path().join("webhook.key"));
        let sealed = DeviceAddress::seal(&request("https://push.example/secret"), "a", &key).expect("sealed");
        assert!(!sealed.contains("secret"));
        assert!(DeviceAddress::open("a", &sealed, &key, false).is_ok());
        assert!(DeviceAddress::open("b", &sealed, &key, false).is_err());
    }

    /// The permission was taken back, or another process has written the device.
    #[test]
    fn private_address_is_refused_again_when_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = WebhookKeyFile::new(folder.path().join("webhook.key"));
        for endpoint in ["http://127.0.0.1/x", "https://10.0.0.1/x", "https://[::1]/x"] {
            let sealed = DeviceAddress::seal(&request(endpoint), "a", &key).expect("sealed");
            assert!(DeviceAddress::open("a", &sealed, &key, true).is_ok(), "{endpoint}");
            assert!(DeviceAddress::open("a", &sealed, &key, false).is_err(), "{endpoint}");
        }
    }

    #[test]
    fn topic_is_known_to_the_device_alone() {
        let keys =
            |auth| DeviceAddress::parse("https://push.example/x", P256DH, auth, false).expect("an address");
        let (one, other) = (keys("BTBZMqHH6r4Tts7J_aSIgg"), keys("AAAAAAAAAAAAAAAAAAAAAA"));
        assert_eq!(one.topic("t").len(), 32);
        assert_eq!(one.topic("t"), one.topic("t"));
        assert_ne!(one.topic("t"), one.topic("u"));
        assert_ne!(one.topic("t"), other.topic("t"));
    }
}
