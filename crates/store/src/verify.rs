//! Verifies a whole log: the hash chain, the structure, the rules, and the index of open requests.

use crate::{
    EventFilter, Store, StoreError,
    database::{SqlQuery, SqlRow},
    queries,
    row_structure::structure_fault,
    writer,
};
use countersign_approvals::{
    PinnedKeys,
    admissibility::{AdmissibilityCheck, InadmissibleRow, ProofCounts, UnjudgedCounts},
};
use countersign_events::{
    Event, Sha256,
    chain::{ChainBreak, ChainVerifier},
};
use std::collections::BTreeSet;

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

/// The most inadmissible rows that a report lists. It bounds the memory that a forged log can take.
pub const MAX_FINDINGS: usize = 10_000;

/// The number of events in one read.
const PAGE: usize = 2_000;

impl Store {
    /// Verifies the whole log: reads each event once, and compares the open-request index. `progress` receives the
    /// number of events that were checked. Fails if a row cannot be read; all other findings are in the report.
    pub async fn verify(&self, progress: impl FnMut(i64)) -> Result<VerifyReport, StoreError> {
        self.verify_proofs(None, progress).await
    }

    /// Verifies the whole log. With `pinned` keys, proofs by other keys are findings, too.
    pub async fn verify_proofs(
        &self,
        pinned: Option<PinnedKeys>,
        mut progress: impl FnMut(i64),
    ) -> Result<VerifyReport, StoreError> {
        let mut verifier = ChainVerifier::default();
        let mut rules = pinned.map(AdmissibilityCheck::with_pinned_keys).unwrap_or_default();
        let (mut found, mut otherwise) = (InadmissibleFindings::default(), InadmissibleFindings::default());
        let mut broken = None;
        'log: loop {
            let page = self.events(&EventFilter::default(), verifier.checked(), PAGE).await?;
            let is_last = page.next.is_none();
            for event in page.items {
                if let Err(why) = verifier.check(&event) {
                    broken = Some(why);
                    break 'log;
                }
                found.add_malformed(&event);
                found.add(rules.check(event));
            }
            otherwise.add(rules.take_judged_otherwise());
            progress(verifier.checked());
            if is_last {
                break;
            }
        }
        // If the chain breaks, the last rows may belong to a command whose other rows follow the break. The final check
        // would report those rows as missing.
        if broken.is_none() {
            found.add(rules.finish());
            otherwise.add(rules.take_judged_otherwise());
        }
        found.add(self.repeated_calls(verifier.checked()).await?);
        let index_holds = self.index_holds().await?;
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

    /// Finds the calls up to `end` whose thread has an earlier call with the same id. The rule check does not remember
    /// calls that have ended, and a log without its unique indexes can contain a second one.
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

/// The inadmissible rows so far.
#[derive(Default)]
struct InadmissibleFindings {
    rows: Vec<InadmissibleRow>,
    count: u64,
    /// The listed rows whose structure is wrong. The rules may refuse them, too.
    malformed: BTreeSet<i64>,
}

impl InadmissibleFindings {
    /// Adds a row whose structure is wrong.
    fn add_malformed(&mut self, event: &Event) {
        let Some(fault) = structure_fault(event) else { return };
        self.add(vec![InadmissibleRow { seq: event.seq, reason: fault.to_owned() }]);
        if self.malformed.len() < MAX_FINDINGS {
            self.malformed.insert(event.seq);
        }
    }

    fn add(&mut self, mut rows: Vec<InadmissibleRow>) {
        rows.retain(|row| !self.malformed.contains(&row.seq));
        self.count += rows.len() as u64;
        let room = MAX_FINDINGS.saturating_sub(self.rows.len());
        self.rows.extend(rows.into_iter().take(room));
    }
}
