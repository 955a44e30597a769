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

    /// The migration that this gate has made when it opened the log.
    #[must_use]
    pub fn migration(&self) -> Option<&MigrationRecord> {
        self.service.store.migration()
    }

    /// True if the log can only be read.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.service.store.is_read_only()
    }

    /// True if this gate has created the log.
    #[must_use]
    pub fn has_created_log(&self) -> bool {
        self.service.store.has_created_log()
    }

    /// The name of the log in messages: an absolute path, or an address without a password.
    #[must_use]
    pub fn database_name(&self) -> DatabaseName {
        self.service.store.database_name()
    }

    /// Reads the whole log and checks its hash chain, the rules, and the index of open requests. `progress` receives
    /// the number of events that were checked.
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

    /// The link of the first event, which identifies the log.
    pub async fn log_id(&self) -> Result<Sha256, GateFailure> {
        self.service.log_id().await
    }

    /// Verifies that the log contains the noted event of the checkpoint, and checks the hash chain after it. `progress`
    /// receives the `seq` of the last event that was checked.
    pub async fn verify_from(
        &self,
        from: Checkpoint,
        progress: impl FnMut(i64),
    ) -> Result<CheckpointReport, GateFailure> {
        Ok(self.service.store.verify_from(from, progress).await?)
    }

    /// Compares the schema of the database with the one that this version makes.
    pub async fn inspect_schema(&self) -> Result<SchemaReport, GateFailure> {
        Ok(self.service.store.inspect_schema().await?)
    }

    /// Runs the integrity check of the database.
    pub async fn inspect_integrity(&self) -> Result<IntegrityReport, GateFailure> {
        Ok(self.service.store.inspect_integrity().await?)
    }

    /// Rebuilds the index of open requests from the events.
    pub async fn rebuild_index(&self) -> Result<(), GateFailure> {
        Ok(self.service.store.rebuild_index().await?)
    }
}
