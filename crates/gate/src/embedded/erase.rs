//! Erases a call's content, in the log and in the database files.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_approvals::{CallCommand, CommandCaller, CommandEvidence, decide::EraseCommand};
use countersign_events::{CallId, Sha256, ThreadId};

impl EmbeddedService {
    /// Erases the content of a call that has ended. Such a call gets no more events, so its content hashes can be
    /// computed before the command is queued.
    pub(crate) async fn erase(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        erase: &api::EraseRequest,
    ) -> Result<api::ErasureReport, GateFailure> {
        self.erase_content(by, thread, id, &erase.reason, None).await?;
        // The answer to the command is the call as it was before, in the writer's memory.
        Ok(api::ErasureReport { call: self.call(thread, id).await? })
    }

    /// Erases a call's content in the log. `archive` is the digest of the archive that has it.
    pub(crate) async fn erase_content(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        reason: &str,
        archive: Option<Sha256>,
    ) -> Result<(), GateFailure> {
        let execute = |policy| async move {
            let rows = self.store.rows_with_texts(thread, id).await?;
            let command = CallCommand::Erase(EraseCommand { reason: reason.to_owned(), rows, archive });
            self.execute_on_call(by, thread, id, command, policy, CommandEvidence::NotNeeded).await
        };
        self.execute_judged(execute).await.map(drop)
    }
}
