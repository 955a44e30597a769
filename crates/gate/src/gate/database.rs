//! The database behind the gate: its name, its state, and its checks.

use super::EmbeddedGate;
use crate::GateFailure;
use countersign_approvals::PinnedKeys;
use countersign_events::{Sha256, chain::Checkpoint};
use countersign_store::{
    CheckpointReport, DatabaseName, IntegrityReport, MigrationRecord, SchemaLayout, SchemaReport,
    VerifyReport,
};

impl EmbeddedGate {
    /// The layout that the database had before this gate opened and migrated it.
    #[must_use]
    pub fn found_layout(&self) -> SchemaLayout {
        self.service.store.found()
    }

    /// The migration that this gate applied when it opened the log.
    #[must_use]
    pub fn migration(&self) -> Option<&MigrationRecord> {
        self.service.store.migration()
    }

    /// Returns true if the log can only be read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.service.store.is_read_only()
    }

    /// Returns true if this gate has created the log.
    #[must_use]
    pub fn has_created_log(&self) -> bool {
        self.service.store.has_created_log()
    }

    /// The log name in messages: an absolute path, or an address without a password.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        self.service.store.database_name()
    }

    /// Reads the whole log and checks its hash chain, the rules, and the open-request index. `progress` receives the
    /// number of events that were checked.
    pub async fn verify(&self, progress: impl FnMut(i64)) -> Result<VerifyReport, GateFailure> {
        Ok(self.service.store.verify(progress).await?)
    }

    /// Counts the calls that ran other arguments than were approved, or without an approval.
    pub async fn mismatch_count(&self) -> Result<u64, GateFailure> {
        Ok(self.service.store.mismatch_count().await?.unsigned_abs())
    }

    /// Verifies the log as [`verify`](Self::verify) does. With `pinned` keys, proofs by other keys are findings, too.
    pub async fn verify_proofs(
        &self,
        pinned: Option<PinnedKeys>,
        progress: impl FnMut(i64),
    ) -> Result<VerifyReport, GateFailure> {
        Ok(self.service.store.verify_proofs(pinned, progress).await?)
    }

    /// The first event's link, which identifies the log.
    pub async fn log_id(&self) -> Result<Sha256, GateFailure> {
        self.service.log_id().await
    }

    /// Verifies that the log contains the checkpoint's event, and checks the hash chain after it. `progress` receives
    /// the last checked `seq`.
    pub async fn verify_from(
        &self,
        from: Checkpoint,
        progress: impl FnMut(i64),
    ) -> Result<CheckpointReport, GateFailure> {
        Ok(self.service.store.verify_from(from, progress).await?)
    }

    /// Compares the database schema with the one that this version makes.
    pub async fn inspect_schema(&self) -> Result<SchemaReport, GateFailure> {
        Ok(self.service.store.inspect_schema().await?)
    }

    /// Runs the database integrity check.
    pub async fn inspect_integrity(&self) -> Result<IntegrityReport, GateFailure> {
        Ok(self.service.store.inspect_integrity().await?)
    }

    /// Rebuilds the open-request index from the events.
    pub async fn rebuild_index(&self) -> Result<(), GateFailure> {
        Ok(self.service.store.rebuild_index().await?)
    }
}
