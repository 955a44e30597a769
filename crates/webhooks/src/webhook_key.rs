//! The key that seals the addresses and secrets of webhooks. It is a separate file that only its owner can read, and
//! all servers of a log need the same one.

use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use countersign_api::fill_random;
use countersign_events::SecretValue;
use countersign_gate::{SecretFile, SecretFileError};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::{digest, hmac};
use std::{
    fmt, fs,
    io::{ErrorKind, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// The key's bytes.
const KEY_BYTES: usize = 32;

/// The largest key file, in bytes.
const MAX_FILE_BYTES: u64 = 4_096;

/// The prefix of a sealed string: its format version.
const VERSION: &str = "1";

/// The key file path. The file is created when the first webhook is added.
#[derive(Debug, Clone)]
pub struct WebhookKeyFile {
    path: PathBuf,
}

/// The key. `{:?}` omits it.
pub(crate) struct WebhookKey {
    bytes: SecretValue<[u8; KEY_BYTES]>,
}

/// The reason why a string cannot be sealed or opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WebhookKeyError {
    /// The key file cannot be read or created.
    #[error("the key of webhooks cannot be used: {path}: {why}")]
    File {
        /// The file.
        path: String,
        /// The problem.
        why: String,
    },
    /// The string was sealed with another key.
    #[error(
        "the webhook was sealed with another key than that in {path}: give each server of this log the same key"
    )]
    OtherKey {
        /// The file.
        path: String,
    },
    /// The sealed text was changed, or belongs to another webhook.
    #[error("the sealed address of the webhook was changed: remove the webhook and add it again")]
    Changed,
}

impl WebhookKeyFile {
    /// The key in this file, which may not exist yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Reads the key. Creates the file if it does not exist.
    pub(crate) fn read_or_create(&self) -> Result<WebhookKey, WebhookKeyError> {
        match self.create() {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => self.read(),
            Err(error) => Err(self.failed(&error.to_string())),
            Ok(key) => Ok(key),
        }
    }

    /// Reads the key.
    pub(crate) fn read(&self) -> Result<WebhookKey, WebhookKeyError> {
        let text = SecretFile::of_owner(MAX_FILE_BYTES).read_text(&self.path);
        let text = text.map_err(|why| match why {
            SecretFileError::Exposed { .. } => self.failed("other users can read it; run chmod 600 on it"),
            SecretFileError::TooLarge(_) => self.failed("it is too large to be a key"),
            why => self.failed(&why.to_string()),
        })?;
        let bytes = STANDARD_NO_PAD.decode(text.expose().trim()).map(SecretValue::new).ok();
        let bytes = bytes.and_then(|bytes| <[u8; KEY_BYTES]>::try_from(bytes.expose().as_slice()).ok());
        let bytes =
            bytes.ok_or_else(|| self.failed("it is not a key: 32 bytes in base64 without padding"))?;
        Ok(WebhookKey { bytes: SecretValue::new(bytes) })
    }

    /// Seals a string under a name. Creates the file if it does not exist.
    pub fn seal(&self, name: &str, text: &str) -> Result<String, WebhookKeyError> {
        let sealed = self.read_or_create()?.seal(name, text);
        sealed.ok_or_else(|| self.failed("the system has no randomness"))
    }

    /// Opens a string that was sealed under this name.
    pub fn open(&self, name: &str, sealed: &str) -> Result<SecretValue<String>, WebhookKeyError> {
        let key = self.read()?;
        if sealed.split('.').nth(1) != Some(key.id().as_str()) {
            return Err(WebhookKeyError::OtherKey { path: self.path.display().to_string() });
        }
        key.open(name, sealed).ok_or(WebhookKeyError::Changed)
    }

    /// Writes the key to another name first, so that no process reads half of it.
    fn create(&self) -> Result<WebhookKey, std::io::Error> {
        if self.path.exists() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let mut bytes = SecretValue::new([0; KEY_BYTES]);
        fill_random(bytes.expose_mut()).map_err(|why| std::io::Error::other(why.to_string()))?;
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let fresh = self.path.with_extension(format!("new.{}", std::process::id()));
        let text = SecretValue::new(format!("{}\n", STANDARD_NO_PAD.encode(bytes.expose())));
        let written = write_private(&fresh, text.expose()).and_then(|()| fs::hard_link(&fresh, &self.path));
        let _ = fs::remove_file(&fresh);
        written.map(|()| WebhookKey { bytes })
    }

    fn failed(&self, why: &str) -> WebhookKeyError {
        WebhookKeyError::File { path: self.path.display().to_string(), why: why.to_owned() }
    }
}

fn write_private(path: &Path, text: &str) -> Result<(), std::io::Error> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

impl WebhookKey {
    /// Seals a string for the webhook with this name. Fails if the system has no randomness.
    pub(crate) fn seal(&self, name: &str, text: &str) -> Option<String> {
        let mut nonce = [0; NONCE_LEN];
        fill_random(&mut nonce).ok()?;
        let mut sealed = text.as_bytes().to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        self.cipher()?.seal_in_place_append_tag(unique, associated(name), &mut sealed).ok()?;
        let all = [&nonce[..], &sealed].concat();
        Some(format!("{VERSION}.{}.{}", self.id(), STANDARD_NO_PAD.encode(all)))
    }

    fn open(&self, name: &str, sealed: &str) -> Option<SecretValue<String>> {
        let mut parts = sealed.split('.');
        let (version, _, text) = (parts.next()?, parts.next()?, parts.next()?);
        if version != VERSION {
            return None;
        }
        // The text is opened where the sealed bytes are.
        let mut all = SecretValue::new(STANDARD_NO_PAD.decode(text).ok()?);
        let nonce = Nonce::try_assume_unique_for_key(all.expose().get(..NONCE_LEN)?).ok()?;
        let sealed = all.expose_mut().get_mut(NONCE_LEN..)?;
        let opened = self.cipher()?.open_in_place(nonce, associated(name), sealed).ok()?;
        str::from_utf8(opened).map(SecretValue::from).ok()
    }

    /// A key for another use, which reveals nothing about this one.
    pub(crate) fn derive(&self, label: &str) -> hmac::Key {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.bytes.expose());
        hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&key, label.as_bytes()).as_ref())
    }

    /// A key name that reveals nothing about the key: the first bytes of a hash.
    fn id(&self) -> String {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(b"countersign webhook key");
        context.update(self.bytes.expose());
        let hash = context.finish();
        STANDARD_NO_PAD.encode(hash.as_ref().get(..6).unwrap_or_default())
    }

    fn cipher(&self) -> Option<LessSafeKey> {
        UnboundKey::new(&CHACHA20_POLY1305, self.bytes.expose()).ok().map(LessSafeKey::new)
    }
}

impl fmt::Debug for WebhookKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookKey")
    }
}

/// The name is part of the seal, so that the address of one webhook cannot be put into the event of another.
fn associated(name: &str) -> Aad<String> {
    Aad::from(format!("countersign webhook {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn new_key() -> (tempfile::TempDir, WebhookKeyFile) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = WebhookKeyFile::new(folder.path().join("sub/webhook.key"));
        (folder, file)
    }

    #[test]
    fn sealed_text_opens_with_its_key_and_name() {
        let (_folder, file) = new_key();
        let sealed =
            file.read_or_create().expect("created").seal("ops", "https://x.example/secret").expect("sealed");
        assert!(!sealed.contains("secret"), "{sealed}");
        assert_eq!(file.read_or_create().expect("read").id(), file.read().expect("read").id());
        assert_eq!(file.open("ops", &sealed), Ok("https://x.example/secret".into()));
        assert_eq!(file.open("dev", &sealed), Err(WebhookKeyError::Changed));
        let mut changed = sealed.clone();
        changed.pop();
        assert_eq!(file.open("ops", &changed), Err(WebhookKeyError::Changed));
        let (_other_folder, other) = new_key();
        other.read_or_create().expect("created");
        assert!(matches!(other.open("ops", &sealed), Err(WebhookKeyError::OtherKey { .. })));
    }

    #[test]
    fn key_file_of_others_is_refused() {
        let (_folder, file) = new_key();
        file.read_or_create().expect("created");
        let mode = fs::metadata(&file.path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        fs::set_permissions(&file.path, fs::Permissions::from_mode(0o644)).expect("changed");
        let error = file.read().expect_err("refused").to_string();
        assert!(error.contains("chmod 600"), "{error}");
    }

    #[test]
    fn file_without_a_key_is_refused() {
        let (folder, _) = new_key();
        let path = folder.path().join("other");
        write_private(&path, "no key\n").expect("written");
        assert!(matches!(WebhookKeyFile::new(&path).read_or_create(), Err(WebhookKeyError::File { .. })));
    }
}
