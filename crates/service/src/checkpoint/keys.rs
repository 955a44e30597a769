//! The Ed25519 keys of checkpoints, and their files.

use countersign_console::{CliError, CommandExit, create_private};
use countersign_events::SecretValue;
use countersign_gate::{SecretFile, SecretFileError};
use ring::{
    rand::{SecureRandom, SystemRandom},
    signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey},
};
use std::{fmt, io::ErrorKind, path::Path};

/// The secret key prefix in the key file.
const SECRET: &str = "ed25519-secret:";
/// A public key's prefix.
const PUBLIC: &str = "ed25519:";

/// A public key: `ed25519:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckpointPublicKey([u8; 32]);

impl CheckpointPublicKey {
    /// Reads `ed25519:` and 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        decode(text.strip_prefix(PUBLIC)?).map(Self)
    }

    /// Reads a public key, or the file that contains one. `option` names the source in errors.
    pub fn read(option: &str, text: &str) -> anyhow::Result<Self> {
        if let Some(key) = Self::parse(text) {
            return Ok(key);
        }
        let refuse = |why: String| CliError::usage(format!("{option} {text}: {why}"));
        let content = match std::fs::read_to_string(text) {
            Ok(content) => content,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let why =
                    "it is neither a file nor a public key, which is ed25519: and 64 hexadecimal digits";
                return Err(refuse(why.to_owned()).into());
            }
            Err(error) => return Err(refuse(error.to_string()).into()),
        };
        if content.starts_with(SECRET) {
            let why = "the file contains the secret key; `countersign checkpoint key` prints the public key";
            return Err(refuse(why.to_owned()).into());
        }
        let why = "the file does not contain a public key, which is ed25519: and 64 hexadecimal digits";
        Self::parse(content.trim()).ok_or_else(|| refuse(why.to_owned()).into())
    }

    /// Returns true if this key's owner signed the message.
    #[must_use]
    pub fn verifies(self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for CheckpointPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC}{}", hex::encode(self.0))
    }
}

/// The longest file of a key, in bytes.
const MAX_KEY_BYTES: u64 = 4_096;

/// A secret key that signs checkpoints.
#[derive(Debug)]
pub struct CheckpointKey {
    seed: SecretValue<[u8; 32]>,
    public: CheckpointPublicKey,
}

impl CheckpointKey {
    /// Reads a key from its file, which only its owner may read.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let refuse = |why: String| CliError { exit: CommandExit::USAGE, code: "bad_key", message: why };
        let content = SecretFile::of_owner(MAX_KEY_BYTES).read_text(path).map_err(|why| match why {
            SecretFileError::Exposed { mode } => {
                refuse(format!("the key {shown} has the mode {mode:03o}: only its owner may read it (0600)"))
            }
            why => refuse(format!("the key {shown} cannot be read: {why}")),
        })?;
        let seed = content.expose().trim().strip_prefix(SECRET).and_then(decode).map(SecretValue::new);
        let why = || {
            refuse(format!("{shown} does not contain a key that `countersign checkpoint key` has created"))
        };
        Self::from_seed(seed.ok_or_else(why)?)
    }

    /// Creates a key in a new file with mode 0600. The file gets its name when it is complete.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let mut seed = SecretValue::new([0; 32]);
        let filled = SystemRandom::new().fill(seed.expose_mut());
        filled.map_err(|_| anyhow::anyhow!("the system provides no random numbers"))?;
        let fail = |error| anyhow::anyhow!("the key {} cannot be created: {error}", path.display());
        let digits = SecretValue::new(hex::encode(seed.expose()));
        let text = SecretValue::new(format!("{SECRET}{}\n", digits.expose()));
        create_private(path, text.expose()).map_err(fail)?;
        Self::from_seed(seed)
    }

    fn from_seed(seed: SecretValue<[u8; 32]>) -> anyhow::Result<Self> {
        let public = CheckpointPublicKey(make_pair(&seed)?.public_key().as_ref().try_into()?);
        Ok(Self { seed, public })
    }

    /// The public key.
    #[must_use]
    pub const fn public(&self) -> CheckpointPublicKey {
        self.public
    }

    /// A message signature, 64 bytes.
    pub fn sign(&self, message: &[u8]) -> anyhow::Result<Vec<u8>> {
        Ok(make_pair(&self.seed)?.sign(message).as_ref().to_vec())
    }
}

/// The key pair. It exists only while it is used, because the library does not wipe it.
fn make_pair(seed: &SecretValue<[u8; 32]>) -> anyhow::Result<Ed25519KeyPair> {
    let refused = |why| anyhow::anyhow!("the key is not valid: {why}");
    Ed25519KeyPair::from_seed_unchecked(seed.expose()).map_err(refused)
}

fn decode(digits: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(digits, &mut bytes).ok().map(|()| bytes)
}
