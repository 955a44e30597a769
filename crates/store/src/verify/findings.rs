//! The inadmissible rows that a verification finds.

use crate::row_structure::structure_fault;
use countersign_approvals::admissibility::InadmissibleRow;
use countersign_events::Event;
use std::collections::BTreeSet;

/// The most inadmissible rows that a report lists. It bounds the memory that a forged log can take.
pub const MAX_FINDINGS: usize = 10_000;

/// The inadmissible rows so far.
#[derive(Default)]
pub(super) struct InadmissibleFindings {
    pub(super) rows: Vec<InadmissibleRow>,
    pub(super) count: u64,
    /// The listed rows whose structure is wrong. The rules may refuse them, too.
    malformed: BTreeSet<i64>,
}

impl InadmissibleFindings {
    /// Adds a row whose structure is wrong.
    pub(super) fn add_malformed(&mut self, event: &Event) {
        let Some(fault) = structure_fault(event) else { return };
        self.add(vec![InadmissibleRow { seq: event.seq, reason: fault.to_owned() }]);
        if self.malformed.len() < MAX_FINDINGS {
            self.malformed.insert(event.seq);
        }
    }

    pub(super) fn add(&mut self, mut rows: Vec<InadmissibleRow>) {
        rows.retain(|row| !self.malformed.contains(&row.seq));
        self.count += rows.len() as u64;
        let room = MAX_FINDINGS.saturating_sub(self.rows.len());
        self.rows.extend(rows.into_iter().take(room));
    }
}
