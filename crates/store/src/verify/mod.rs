//! Verifies a whole log: the hash chain, the structure, the rules, and the index of open requests.

mod findings;
mod stages;

use crate::{
    EventFilter, Store, StoreError,
    database::{SqlQuery, SqlRow},
    queries, writer,
};
use countersign_approvals::{
    PinnedKeys,
    admissibility::{InadmissibleRow, ProofCounts, UnjudgedCounts},
};
use countersign_events::{Sha256, chain::ChainBreak};
use findings::InadmissibleFindings;
pub use findings::MAX_FINDINGS;
use stages::{CheckStages, StageFindings};

/// The findings about a log.
#[derive(Debug, Clone)]
pub struct VerifyReport {
    /// The number of events that the chain links, from the first on.
    pub events: i64,
    /// The chain's link after the last of them. A copy of it elsewhere proves the log later.
    pub tip: Sha256,
    /// The number of rows at the end that were inserted with SQL and that no later row has sealed.
    pub unsealed: u64,
    /// The first break of the chain.
    pub broken: Option<ChainBreak>,
    /// The rows that the rules would not have written, in `seq` order: at most [`MAX_FINDINGS`] of them.
    pub inadmissible: Vec<InadmissibleRow>,
    /// The number of all rows that the rules would not have written.
    pub inadmissible_count: u64,
    /// The proposals that this version judges differently by the policy of their time: at most [`MAX_FINDINGS`] of
    /// them. An earlier version may have read a command less strictly, so they are admissible.
    pub judged_otherwise: Vec<InadmissibleRow>,
    /// The number of all such proposals.
    pub judged_otherwise_count: u64,
    /// How many events only a newer version can judge. They break no rule of this version.
    pub unjudged: UnjudgedCounts,
    /// The numbers of approvals with and without a proof.
    pub proofs: ProofCounts,
    /// Whether the open-request index agrees with the events.
    pub index_holds: bool,
}

impl VerifyReport {
    /// Returns true if nothing is wrong.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.broken.is_none() && self.inadmissible_count == 0 && self.index_holds
    }
}

/// The number of events in one read.
const PAGE: usize = 2_000;

impl Store {
    /// Verifies the whole log: reads each event once, and compares the open-request index. `progress` receives the
    /// number of events that were read. Fails if a row cannot be read; all other findings are in the report.
    pub async fn verify(&self, progress: impl FnMut(i64)) -> Result<VerifyReport, StoreError> {
        self.verify_proofs(None, progress).await
    }

    /// Verifies the whole log. With `pinned` keys, proofs by other keys are findings, too.
    pub async fn verify_proofs(
        &self,
        pinned: Option<PinnedKeys>,
        mut progress: impl FnMut(i64),
    ) -> Result<VerifyReport, StoreError> {
        let events = Box::pin(self.check_events(pinned, &mut progress));
        let (findings, index_holds) = tokio::try_join!(events, self.index_holds())?;
        let StageFindings { verifier, broken, rules, mut found, otherwise } = findings;
        if rules.may_have_repeated_calls() {
            found.add(self.repeated_calls(verifier.checked()).await?);
        }
        let (events, tip, unsealed) = (verifier.checked(), verifier.tip(), verifier.unsealed());
        let InadmissibleFindings { mut rows, count, .. } = found;
        rows.sort_by_key(|row| row.seq);
        Ok(VerifyReport {
            events,
            tip,
            unsealed,
            broken,
            inadmissible: rows,
            inadmissible_count: count,
            judged_otherwise: otherwise.rows,
            judged_otherwise_count: otherwise.count,
            unjudged: rules.unjudged_counts(),
            proofs: rules.proof_counts(),
            index_holds,
        })
    }

    /// Checks the chain, the structure and the rules of all events, up to a break of the chain.
    async fn check_events(
        &self,
        pinned: Option<PinnedKeys>,
        progress: &mut impl FnMut(i64),
    ) -> Result<StageFindings, StoreError> {
        let (checks, pages) = CheckStages::start(pinned);
        let mut after = 0;
        loop {
            let page = self.events(&EventFilter::default(), after, PAGE).await?;
            let is_last = page.next.is_none();
            after = page.items.last().map_or(after, |event| event.seq);
            // The chain is broken if nobody takes the page.
            let is_taken = pages.send(page.items).await.is_ok();
            progress(after);
            if is_last || !is_taken {
                break;
            }
        }
        drop(pages);
        Ok(checks.finish().await)
    }

    /// Finds the calls up to `end` whose thread has an earlier call with the same id. A log without its unique indexes can
    /// contain one.
    async fn repeated_calls(&self, end: i64) -> Result<Vec<InadmissibleRow>, StoreError> {
        let rows =
            self.query_rows("repeated_calls", SqlQuery::new(queries::REPEATED_CALLS).bind(end)).await?;
        let reason = "the thread has a call with this id already".to_owned();
        let row = |seq| InadmissibleRow { seq, reason: reason.clone() };
        Ok(rows.iter().filter_map(|found| found.number(0)).map(row).collect())
    }

    /// Returns true if the open-request index equals the result of the pure query, in one snapshot of the log.
    async fn index_holds(&self) -> Result<bool, StoreError> {
        let (pure, index) =
            (SqlQuery::new(queries::OPEN_REQUESTS_PURE), SqlQuery::new(queries::OPEN_REQUESTS));
        let [pure, index] =
            self.inner.readers.query_both(pure, index).await.map_err(|e| self.database_error(&e))?;
        let open = |row: &SqlRow| (row.number(0), [1, 2, 3, 4].map(|column| row.text(column)));
        Ok(pure.iter().map(open).eq(index.iter().map(open)))
    }

    /// Rebuilds the open-request index from the events.
    pub async fn rebuild_index(&self) -> Result<(), StoreError> {
        let request =
            |answer| writer::WriterRequest::Maintenance(writer::MaintenanceTask::RebuildIndex, answer);
        writer::send(&self.inner.queue, request).await
    }
}
