//! Selecting the threads to archive.

use super::PAGE;
use crate::{EventFilter, Store, StoreError};
use countersign_approvals::{
    access::VisibleThreads,
    archivable::{ArchivableThreads, ArchiveSelection},
};
use countersign_events::{
    DamagedEvent, Timestamp,
    chain::{ChainBreak, ChainVerifier, Checkpoint},
};

/// The threads to archive, as of one moment.
#[derive(Debug, Clone)]
pub struct ArchivePlan {
    /// The threads.
    pub selection: ArchiveSelection,
    /// The log's end at that moment.
    pub tip: Checkpoint,
}

impl Store {
    /// Selects the closed threads whose last event was before a moment. It checks the hash chain on the way, and fails if the
    /// chain is broken. `progress` receives the number of events that were read.
    pub async fn plan_archive(
        &self,
        before: Timestamp,
        threads: &VisibleThreads,
        mut progress: impl FnMut(i64),
    ) -> Result<ArchivePlan, StoreError> {
        let (mut verifier, mut found) = (ChainVerifier::default(), ArchivableThreads::default());
        loop {
            let page = self.events(&EventFilter::default(), verifier.checked(), PAGE).await?;
            for event in &page.items {
                verifier.check(event).map_err(|broken| damaged(&broken))?;
                found.add(event);
            }
            progress(verifier.checked());
            if page.next.is_none() {
                break;
            }
        }
        let tip = Checkpoint { seq: verifier.checked(), hash: verifier.tip() };
        Ok(ArchivePlan { selection: found.select(before, |thread| threads.admits(thread)), tip })
    }
}

pub(super) fn damaged(broken: &ChainBreak) -> StoreError {
    let seq = match broken {
        ChainBreak::Changed { seq, .. } => *seq,
        ChainBreak::Missing { expected, .. } => *expected,
    };
    DamagedEvent { seq, what: format!("the hash chain breaks: {broken}") }.into()
}
