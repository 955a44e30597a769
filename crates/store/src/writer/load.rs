//! Loads the part of the log that a batch needs.

use super::rows::{json, parse_rows};
use crate::database::{SqlQuery, SqlRow, WriteSession};
use countersign_approvals::{BatchState, CommandEnvelope, ReadSet};
use countersign_events::{DamagedEvent, Sha256, chain};

/// The events that a batch needs and that the state does not have.
pub(super) struct StateLoad {
    missing: ReadSet,
    /// Whether there is no state yet. The load then also reads the log's end.
    read_end: bool,
}

impl StateLoad {
    /// The load for a batch; `None` if nothing is missing.
    pub(super) fn of(state: Option<&BatchState>, commands: &[CommandEnvelope]) -> Option<Self> {
        let read_end = state.is_none();
        let missing = match state {
            Some(state) => state.missing(commands),
            None => BatchState::new(0, Sha256::ZERO).missing(commands),
        };
        (!missing.is_empty()).then_some(Self { missing, read_end })
    }

    /// Returns true if the load fits this state: it was made for one, or for none.
    pub(super) const fn fits(&self, state: Option<&BatchState>) -> bool {
        self.read_end == state.is_none()
    }

    /// The query for the events.
    pub(super) fn query<D: WriteSession>(&self) -> SqlQuery {
        let missing = &self.missing;
        SqlQuery::new(D::LOAD)
            .bind(json(&missing.calls))
            .bind(json(&missing.threads))
            .bind(json(&missing.open))
            .bind(self.read_end)
            .bind(missing.since.to_string())
            .bind(missing.all_open)
            .bind(json(&missing.same_arguments))
            .bind(json(&missing.counted_threads))
            .bind(json(&missing.counted_proposers))
            .bind(missing.directories)
            .bind(json(&missing.tools))
            .bind(json(&missing.recent))
    }

    /// Adds the query's answer to the state.
    pub(super) fn add(&self, state: Option<BatchState>, rows: &[SqlRow]) -> Result<BatchState, DamagedEvent> {
        let unreadable = |what: String| DamagedEvent { seq: 0, what };
        let found = rows.first().ok_or_else(|| unreadable("the load has no answer".to_owned()))?.bytes(0);
        let found = found.map_err(|e| unreadable(e.to_string()))?.unwrap_or(b"[]");
        let mut loaded = parse_rows(&String::from_utf8_lossy(found))?;
        let mut state = state.unwrap_or_else(|| {
            let mut link = Sha256::ZERO;
            for event in &loaded.end {
                link = event.hash.unwrap_or_else(|| chain::link(link, event));
            }
            let mut state = BatchState::new(loaded.end.last().map_or(0, |event| event.seq), link);
            state.set_policy(loaded.policy);
            state
        });
        // Outside a transaction, the load may find later events. The state must not have them yet when it follows them.
        loaded.events.retain(|event| event.seq <= state.tip());
        state.load(&self.missing, &loaded.events)?;
        state.set_pending(loaded.pending);
        Ok(state)
    }
}
