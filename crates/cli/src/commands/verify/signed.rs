//! The signature of `countersign verify --checkpoint`.

use countersign_console::escape_text;
use countersign_events::chain::Checkpoint;
use countersign_gate::EmbeddedGate;
use countersign_service::checkpoint::{
    document::SignedCheckpoint,
    keys::CheckpointPublicKey,
    make::{check_log, identify_log},
};
use serde_json::json;
use std::path::Path;

/// A checkpoint whose signature is valid.
pub(super) struct VerifiedCheckpoint {
    source: String,
    checkpoint: SignedCheckpoint,
    key: CheckpointPublicKey,
}

impl VerifiedCheckpoint {
    /// Reads a checkpoint, and checks its signature with the key of `--public-key`.
    pub(super) fn read(path: &Path, key: &str) -> anyhow::Result<Self> {
        let key = CheckpointPublicKey::read("--public-key", key)?;
        let (checkpoint, source) = (SignedCheckpoint::read(path)?, path.display().to_string());
        checkpoint.check_signature(key, &source)?;
        Ok(Self { source, checkpoint, key })
    }

    /// Checks that the checkpoint is one of this log.
    pub(super) async fn check_log(&self, gate: &EmbeddedGate) -> anyhow::Result<()> {
        Ok(check_log(&self.checkpoint, identify_log(gate).await?, &self.source)?)
    }

    /// The tip that was signed.
    pub(super) const fn tip(&self) -> Checkpoint {
        self.checkpoint.tip()
    }

    /// The signature in words.
    pub(super) fn describe(&self) -> String {
        let (source, key, at) = (escape_text(&self.source), self.key, self.checkpoint.signed_at);
        format!("The signature of {source} is valid. {key} signed it at {at}.")
    }

    /// The signature as JSON.
    pub(super) fn to_json(&self) -> serde_json::Value {
        let SignedCheckpoint { log, signed_at, .. } = &self.checkpoint;
        json!({ "at": signed_at, "publicKey": self.key.to_string(), "log": log })
    }
}
