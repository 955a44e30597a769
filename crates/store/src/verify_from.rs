//! Verifies a log from a checkpoint on: that it still contains the noted event, and the hash chain after it.

use crate::{EventFilter, Store, StoreError};
use countersign_events::{
    Event, Sha256,
    chain::{ChainBreak, ChainVerifier, Checkpoint},
};

/// The findings about a log from a checkpoint on.
#[derive(Debug, Clone)]
pub struct CheckpointReport {
    /// The checkpoint.
    pub from: Checkpoint,
    /// The difference between the checkpoint and the log.
    pub mismatch: Option<CheckpointMismatch>,
    /// The last event that the chain links, and the link at it: the next checkpoint, if the report holds.
    pub tip: Checkpoint,
    /// The number of rows at the end that were inserted with SQL and that no later row has sealed.
    pub unsealed: u64,
    /// The first break of the chain.
    pub broken: Option<ChainBreak>,
}

/// A difference between a checkpoint and the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointMismatch {
    /// The log ends before the noted event.
    #[error("the log ends at event {tip}, before the checkpoint: it was replaced, or its end was removed")]
    LogTooShort {
        /// The last event's `seq`.
        tip: i64,
    },
    /// The event has another link.
    #[error("event {seq} has the hash {found}: the log was replaced, or changed at or before this event")]
    OtherHash {
        /// The checkpoint's `seq`.
        seq: i64,
        /// The link that the log has.
        found: Sha256,
    },
}

impl CheckpointReport {
    /// Returns true if nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.mismatch.is_none() && self.broken.is_none()
    }
}

/// The number of events in one read.
const PAGE: usize = 2_000;

/// The same number as a distance in the log.
const STEP: i64 = 2_000;

impl Store {
    /// Verifies that the checkpoint's event has the noted link, and checks the chain after it. `progress` receives the
    /// last checked `seq`. Fails if a row cannot be read.
    pub async fn verify_from(
        &self,
        from: Checkpoint,
        mut progress: impl FnMut(i64),
    ) -> Result<CheckpointReport, StoreError> {
        let tip = self.tip().await?;
        let before = self.last_link_before(from.seq.min(tip)).await?;
        let mut verifier = ChainVerifier::starting_after(before.seq, before.hash);
        let mut mismatch = match from.seq {
            seq if seq > tip => Some(CheckpointMismatch::LogTooShort { tip }),
            0 if from.hash != Sha256::ZERO => {
                Some(CheckpointMismatch::OtherHash { seq: 0, found: Sha256::ZERO })
            }
            _ => None,
        };
        let mut broken = None;
        'log: while mismatch.is_none() {
            let page = self.events(&EventFilter::default(), verifier.checked(), PAGE).await?;
            let is_last = page.next.is_none();
            for event in &page.items {
                mismatch = stored_mismatch(from, event);
                if mismatch.is_some() {
                    break 'log;
                }
                if let Err(why) = verifier.check(event) {
                    broken = Some(why);
                    break 'log;
                }
                if event.seq == from.seq && verifier.tip() != from.hash {
                    mismatch = Some(CheckpointMismatch::OtherHash { seq: event.seq, found: verifier.tip() });
                    break 'log;
                }
            }
            progress(verifier.checked());
            if is_last {
                break;
            }
        }
        let tip = Checkpoint { seq: verifier.checked(), hash: verifier.tip() };
        Ok(CheckpointReport { from, mismatch, tip, unsealed: verifier.unsealed(), broken })
    }

    /// The last event before `seq` that has a hash, or the log's start. A row that was inserted with SQL has none.
    async fn last_link_before(&self, seq: i64) -> Result<Checkpoint, StoreError> {
        let mut end = seq;
        while end > 1 {
            let start = (end - STEP).max(1);
            let page = self.events(&EventFilter::default(), start - 1, PAGE).await?;
            let rows = page.items.iter().filter(|event| event.seq < end);
            let last = rows.filter_map(|event| Some((event.seq, event.hash?))).next_back();
            if let Some((seq, hash)) = last {
                return Ok(Checkpoint { seq, hash });
            }
            end = start;
        }
        Ok(Checkpoint { seq: 0, hash: Sha256::ZERO })
    }
}

/// The difference between the checkpoint and the hash that its event has in the log, if the event has one.
fn stored_mismatch(from: Checkpoint, event: &Event) -> Option<CheckpointMismatch> {
    let found = event.hash.filter(|hash| event.seq == from.seq && *hash != from.hash)?;
    Some(CheckpointMismatch::OtherHash { seq: event.seq, found })
}
