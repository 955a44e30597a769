//! Erasing the texts of a call, in the log and in the files of the database.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{CallCommand, CommandCaller, decide::EraseCommand};
use countersign_events::{CallId, ThreadId};

impl EmbeddedService {
    /// Erases the texts of a call that has ended. The events of such a call do not change, so the hashes of its texts can
    /// be computed before the command is queued.
    pub(crate) async fn erase(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        erase: &api::EraseRequest,
    ) -> Result<api::ErasureReport, GateFailure> {
        let rows = self.store.rows_with_texts(thread, id).await?;
        let command = CallCommand::Erase(EraseCommand { reason: erase.reason.clone(), rows, archive: None });
        self.execute_without_evidence(by, thread, id, command).await?;
        // The answer to the command is the call as it was before, in the memory of the writer.
        Ok(api::ErasureReport { call: self.call(thread, id).await? })
    }
}
