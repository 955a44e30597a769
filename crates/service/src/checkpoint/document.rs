//! A signed checkpoint: a small JSON file that can be kept anywhere.

use super::keys::{CheckpointKey, CheckpointPublicKey};
use countersign_console::{CliError, CommandExit};
use countersign_events::{Sha256, Timestamp, chain::Checkpoint};
use serde::{Deserialize, Serialize};
use std::{fs::File, io::Read, path::Path};

/// The first element of the signed text. It keeps a signature from being valid for any other kind of text.
const KIND: &str = "countersign-checkpoint-1";

/// The most bytes of a file. A checkpoint has about 500.
const MAX_BYTES: u64 = 4_096;

/// A checkpoint with its signature, as it is kept in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SignedCheckpoint {
    /// The document kind and version: `countersign-checkpoint-1`.
    kind: String,
    /// The first event's link, which identifies the log.
    pub log: Sha256,
    /// The last event.
    pub seq: i64,
    /// The link at the last event.
    pub hash: Sha256,
    /// The signature time, from the clock of the signing process.
    pub signed_at: Timestamp,
    public_key: String,
    /// 128 hexadecimal digits.
    signature: String,
}

impl SignedCheckpoint {
    /// Signs a tip for the log whose first event has the link `log`.
    pub fn sign(
        key: &CheckpointKey,
        log: Sha256,
        tip: Checkpoint,
        signed_at: Timestamp,
    ) -> anyhow::Result<Self> {
        let (public_key, signature) = (key.public().to_string(), String::new());
        let kind = KIND.to_owned();
        let unsigned = Self { kind, log, seq: tip.seq, hash: tip.hash, signed_at, public_key, signature };
        Ok(Self { signature: hex::encode(key.sign(&unsigned.signed_text())?), ..unsigned })
    }

    /// Reads a file without checking its signature.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let refuse = |why: String| CliError {
            exit: CommandExit::USAGE,
            code: "bad_checkpoint",
            message: format!("{} is not a signed checkpoint: {why}", path.display()),
        };
        let mut text = String::new();
        let opened = File::open(path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
        opened.map_err(|error| refuse(error.to_string()))?;
        let found: Self = serde_json::from_str(&text).map_err(|error| refuse(error.to_string()))?;
        if found.kind != KIND {
            return Err(refuse(format!("its kind is {:?}, not {KIND}", found.kind)).into());
        }
        Ok(found)
    }

    /// Checks that the owner of `key` signed this checkpoint. `source` names it in errors.
    pub fn check_signature(&self, key: CheckpointPublicKey, source: &str) -> Result<(), CliError> {
        let signature = hex::decode(&self.signature).unwrap_or_default();
        let text = self.signed_text();
        if key.verifies(&text, &signature) {
            return Ok(());
        }
        let refuse = |code, message| CliError { exit: CommandExit::FAILED, code, message };
        match CheckpointPublicKey::parse(&self.public_key) {
            Some(other) if other != key && other.verifies(&text, &signature) => {
                Err(refuse("wrong_key", format!("{source} was signed with the key {other}, not with {key}")))
            }
            _ => Err(refuse(
                "bad_signature",
                format!("{source} was changed after it was signed, or was never signed with {key}"),
            )),
        }
    }

    /// The tip that was signed.
    #[must_use]
    pub const fn tip(&self) -> Checkpoint {
        Checkpoint { seq: self.seq, hash: self.hash }
    }

    /// The JSON array that is signed, in UTF-8 without blanks: `[kind, log, seq, hash, signedAt, publicKey]`.
    fn signed_text(&self) -> Vec<u8> {
        let fields = (KIND, self.log, self.seq, self.hash, self.signed_at, &self.public_key);
        serde_json::to_vec(&fields).unwrap_or_default()
    }

    /// The file, as one line.
    pub fn to_line(&self) -> anyhow::Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}
