//! Which calls have their content in an archive.

use super::EmbeddedService;
use crate::GateFailure;
use countersign_api as api;
use countersign_events::ThreadId;
use std::collections::BTreeMap;

impl EmbeddedService {
    /// Adds the archive to each call whose content it has.
    pub(super) async fn add_archives(&self, calls: &mut [api::Call]) -> Result<(), GateFailure> {
        let mut threads: BTreeMap<ThreadId, Option<api::CallArchive>> = BTreeMap::new();
        for call in calls {
            if call.erased.is_some() || call.arguments.as_str() != "null" {
                continue;
            }
            if !threads.contains_key(&call.thread_id) {
                let archived = self.store.thread(&call.thread_id).await?.archived;
                let archive = archived.map(|fact| api::CallArchive {
                    seq: fact.seq,
                    principal: fact.by,
                    at: fact.at,
                    file: fact.what.file,
                    digest: fact.what.digest,
                });
                threads.insert(call.thread_id.clone(), archive);
            }
            call.archived = threads.get(&call.thread_id).cloned().flatten();
        }
        Ok(())
    }
}
