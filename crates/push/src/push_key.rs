//! The key pair that identifies this server to push services (RFC 8292). It is made on first use, in a file that only its owner
//! can read. All servers of a log need the same one.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use countersign_console::create_private;
use countersign_events::{SecretValue, Timestamp};
use countersign_gate::SecretFile;
use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use serde_json::json;
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

/// The largest key file, in bytes.
const MAX_FILE_BYTES: u64 = 4_096;

/// How long a signature counts. Push services accept at most a day.
const SIGNATURE_SPAN: Duration = Duration::from_hours(12);

/// The file of the key pair, which need not exist yet.
#[derive(Debug, Clone)]
pub(crate) struct PushKeyFile {
    path: PathBuf,
}

/// The key pair.
pub(crate) struct PushKey {
    pair: EcdsaKeyPair,
}

impl PushKeyFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Reads the key pair. Makes it if the file does not exist. Of two servers that start at once, one makes it.
    pub(crate) fn read_or_create(&self) -> Result<PushKey, String> {
        if !self.path.exists() {
            self.create()?;
        }
        self.read()
    }

    fn create(&self) -> Result<(), String> {
        let failed =
            |why: &str| format!("the key of notifications cannot be made: {}: {why}", self.path.display());
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let made = made.map_err(|_| failed("the system has no randomness"))?;
        let text = SecretValue::new(format!("{}\n", URL_SAFE_NO_PAD.encode(made.as_ref())));
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|why| failed(&why.to_string()))?;
        }
        match create_private(&self.path, text.expose()) {
            Err(why) if why.kind() != ErrorKind::AlreadyExists => Err(failed(&why.to_string())),
            _ => Ok(()),
        }
    }

    fn read(&self) -> Result<PushKey, String> {
        let failed =
            |why: &str| format!("the key of notifications cannot be used: {}: {why}", self.path.display());
        let text = SecretFile::of_owner(MAX_FILE_BYTES).read_text(&self.path);
        let text = text.map_err(|why| failed(&why.to_string()))?;
        let bytes = URL_SAFE_NO_PAD.decode(text.expose().trim()).map(SecretValue::new);
        let bytes = bytes.map_err(|_| failed("it is not base64url"))?;
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes.expose(), &SystemRandom::new());
        Ok(PushKey { pair: pair.map_err(|_| failed("it is not a key pair on the curve P-256"))? })
    }
}

impl PushKey {
    /// The public key with which browsers subscribe, in base64url.
    pub(crate) fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pair.public_key().as_ref())
    }

    /// The header `Authorization` for a push service: who sends, to whom, and until when it counts. `None` if the system has no
    /// randomness.
    pub(crate) fn authorize(&self, service: &str, subject: &str, now: Timestamp) -> Option<String> {
        let until = now.after(SIGNATURE_SPAN).as_millis() / 1_000;
        let claims = json!({ "aud": service, "exp": until, "sub": subject }).to_string();
        let head = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        Some(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.public_key()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn key_is_made_once_for_its_owner() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sub/push.key");
        let file = PushKeyFile::new(&path);
        let key = file.read_or_create().expect("made");
        assert_eq!(file.read_or_create().expect("read").public_key(), key.public_key());
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("changed");
        assert!(file.read_or_create().is_err_and(|why| why.contains("other users can read it")));
    }

    #[test]
    fn service_can_check_who_sends() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = PushKeyFile::new(&folder.path().join("push.key")).read_or_create().expect("made");
        let now = Timestamp::from_millis(1_000_000);
        let header = key.authorize("https://push.example", "https://approvals.example", now).expect("signed");
        let (token, public) =
            header.strip_prefix("vapid t=").and_then(|rest| rest.split_once(", k=")).expect("two parts");
        let (signed, signature) = token.rsplit_once('.').expect("a signature");
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decode(public));
        assert!(public.verify(signed.as_bytes(), &decode(signature)).is_ok());
        let claims = decode(signed.split('.').nth(1).expect("claims"));
        assert_eq!(
            String::from_utf8(claims).expect("text"),
            r#"{"aud":"https://push.example","exp":44200,"sub":"https://approvals.example"}"#
        );
    }
}
