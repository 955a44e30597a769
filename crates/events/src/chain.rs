//! The hash chain: what each row's `hash` is over, so that anyone can verify the log.
//!
//! A row's link is the SHA-256 of the RFC 8785 form of one JSON array:
//! `[previous link, seq, threadId, type, timestamp, principal, data]`, where the previous link is 64
//! hexadecimal digits (zeros before the first row) and `data` is the column's text as a JSON string.
//! In Python: `sha256(json.dumps([...], ensure_ascii=False, separators=(",", ":")).encode())`.
//!
//! A row that somebody inserts by hand may leave `hash` empty: its link is computed like any other,
//! and the next row that the gate writes seals it, because that row's hash is over it.

use crate::{Sha256, event::Event};

/// The link of the row that follows `previous`.
#[must_use]
pub fn link(previous: Sha256, event: &Event) -> Sha256 {
    let row = (
        previous,
        event.seq,
        &event.thread_id,
        event.kind,
        event.timestamp,
        &event.principal,
        event.data.as_str(),
    );
    // Every part is text or a small integer, whose compact rendering is the canonical one already.
    Sha256::of(&serde_json::to_vec(&row).unwrap_or_default())
}

/// Walks the chain in `seq` order and says where it breaks.
#[derive(Debug, Clone)]
pub struct ChainVerifier {
    link: Sha256,
    next: i64,
    unsealed: u64,
}

/// Where and how the chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainBreak {
    /// The row's own hash is not what its fields and the row before it give.
    #[error(
        "event {seq}: its hash is {stored}, but its row and the one before give {computed}: a row was changed"
    )]
    Changed {
        /// The row.
        seq: i64,
        /// The hash in the row.
        stored: Sha256,
        /// The hash it should have.
        computed: Sha256,
    },
    /// Rows are numbered without gaps, so one is missing here.
    #[error("event {expected} is missing: the next one there is {found}")]
    Missing {
        /// The `seq` that should follow.
        expected: i64,
        /// The one that does.
        found: i64,
    },
}

impl Default for ChainVerifier {
    fn default() -> Self {
        Self { link: Sha256::ZERO, next: 1, unsealed: 0 }
    }
}

impl ChainVerifier {
    /// Checks the next row.
    pub fn check(&mut self, event: &Event) -> Result<(), ChainBreak> {
        if event.seq != self.next {
            return Err(ChainBreak::Missing { expected: self.next, found: event.seq });
        }
        let computed = link(self.link, event);
        match event.hash {
            Some(stored) if stored != computed => {
                return Err(ChainBreak::Changed { seq: event.seq, stored, computed });
            }
            Some(_) => self.unsealed = 0,
            None => self.unsealed += 1,
        }
        self.link = computed;
        self.next += 1;
        Ok(())
    }

    /// How many rows were checked.
    #[must_use]
    pub fn checked(&self) -> i64 {
        self.next - 1
    }

    /// The link of the last row: note it down elsewhere, and nobody can rewrite what is before it.
    #[must_use]
    pub fn tip(&self) -> Sha256 {
        self.link
    }

    /// How many rows at the end were inserted by hand and are sealed by no later row yet.
    #[must_use]
    pub fn unsealed(&self) -> u64 {
        self.unsealed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventType, Json, Principal, ThreadId, Timestamp};

    fn row(seq: i64, comment: &str, previous: Option<Sha256>) -> Event {
        let mut event = Event {
            seq,
            thread_id: ThreadId::new("t").expect("valid"),
            kind: EventType::UserMessage,
            timestamp: Timestamp::from_millis(seq),
            principal: Principal::user("ada"),
            data: Json::string(comment),
            hash: None,
        };
        event.hash = previous.map(|previous| link(previous, &event));
        event
    }

    #[test]
    fn is_what_the_documented_python_gives() {
        // sha256(json.dumps(["0"*64, 1, "t", "USER_MESSAGE", "1970-01-01T00:00:00.001Z", "user:ada", "\"é\\n\""], …))
        let first = row(1, "é\n", Some(Sha256::ZERO));
        let expected = "fa4951fad11fc3a859f156c2f7f967dad61cb4156ebcee6becf601ac803d5734";
        assert_eq!(first.hash.expect("sealed").to_string(), expected);
    }

    #[test]
    fn finds_a_changed_and_a_missing_row() {
        let first = row(1, "a", Some(Sha256::ZERO));
        let second = row(2, "b", first.hash);
        let mut changed = first.clone();
        changed.data = Json::string("A");
        let mut verifier = ChainVerifier::default();
        assert!(matches!(verifier.check(&changed), Err(ChainBreak::Changed { seq: 1, .. })));
        let mut verifier = ChainVerifier::default();
        assert_eq!(verifier.check(&second), Err(ChainBreak::Missing { expected: 1, found: 2 }));
        verifier.check(&first).and_then(|()| verifier.check(&second)).expect("whole");
        assert_eq!((verifier.checked(), verifier.unsealed()), (2, 0));
    }

    #[test]
    fn a_row_by_hand_is_sealed_by_the_next() {
        let first = row(1, "a", Some(Sha256::ZERO));
        let by_hand = row(2, "b", None);
        let link_by_hand = link(first.hash.expect("sealed"), &by_hand);
        let third = row(3, "c", Some(link_by_hand));
        let mut verifier = ChainVerifier::default();
        verifier.check(&first).and_then(|()| verifier.check(&by_hand)).expect("whole");
        assert_eq!((verifier.unsealed(), verifier.tip()), (1, link_by_hand));
        verifier.check(&third).expect("sealed");
        assert_eq!(verifier.unsealed(), 0);
    }
}
