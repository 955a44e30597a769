//! The hash chain over the log. It defines the input of each row's `hash`, so that anyone can verify the log.
//!
//! A row's link is the SHA-256 of the RFC 8785 form of one JSON array:
//! `[previous link, seq, threadId, type, timestamp, principal, data]`, where the previous link is 64
//! hexadecimal digits (zeros before the first row) and `data` is the column's text as a JSON string.
//! In Python: `sha256(json.dumps([...], ensure_ascii=False, separators=(",", ":")).encode())`.
//!
//! A row that an operator inserts by hand may leave `hash` empty. Its link is computed like any other, and the
//! next row that the gate writes seals it, because the hash of that row covers this link.

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
    // Every part is a string or a small integer, and serde_json already writes those in canonical form.
    Sha256::digest(&serde_json::to_vec(&row).unwrap_or_default())
}

/// Checks the chain row by row in `seq` order and reports where it breaks.
#[derive(Debug, Clone)]
pub struct ChainVerifier {
    link: Sha256,
    next: i64,
    unsealed: u64,
}

/// The position and the kind of a break in the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainBreak {
    /// The stored hash of the row differs from the hash of its fields and the previous link.
    #[error(
        "event {seq}: the stored hash is {stored}, but the row and the previous link give {computed}: a row was changed"
    )]
    Changed {
        /// The `seq` of the row.
        seq: i64,
        /// The hash that the row holds.
        stored: Sha256,
        /// The hash that the row should hold.
        computed: Sha256,
    },
    /// A row is missing: rows are numbered without gaps.
    #[error("event {expected} is missing: the next event in the log is {found}")]
    Missing {
        /// The `seq` of the missing row.
        expected: i64,
        /// The `seq` of the row that follows instead.
        found: i64,
    },
}

impl Default for ChainVerifier {
    fn default() -> Self {
        Self { link: Sha256::ZERO, next: 1, unsealed: 0 }
    }
}

impl ChainVerifier {
    /// Checks the next row. The caller passes the rows in `seq` order, starting with 1.
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

    /// The number of rows checked so far.
    #[must_use]
    pub fn checked(&self) -> i64 {
        self.next - 1
    }

    /// The link of the last row. Store it outside the database, and any later change to the rows before it shows.
    #[must_use]
    pub fn tip(&self) -> Sha256 {
        self.link
    }

    /// The number of rows at the end of the log that have no hash and are not yet sealed by a later row.
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
    fn link_equals_documented_python_example() {
        // sha256(json.dumps(["0"*64, 1, "t", "USER_MESSAGE", "1970-01-01T00:00:00.001Z", "user:ada", "\"é\\n\""], …))
        let first = row(1, "é\n", Some(Sha256::ZERO));
        let expected = "fa4951fad11fc3a859f156c2f7f967dad61cb4156ebcee6becf601ac803d5734";
        assert_eq!(first.hash.expect("sealed").to_string(), expected);
    }

    #[test]
    fn verifier_reports_changed_and_missing_rows() {
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
    fn unhashed_row_is_sealed_by_next_row() {
        let first = row(1, "a", Some(Sha256::ZERO));
        let unhashed = row(2, "b", None);
        let link_unhashed = link(first.hash.expect("sealed"), &unhashed);
        let third = row(3, "c", Some(link_unhashed));
        let mut verifier = ChainVerifier::default();
        verifier.check(&first).and_then(|()| verifier.check(&unhashed)).expect("whole");
        assert_eq!((verifier.unsealed(), verifier.tip()), (1, link_unhashed));
        verifier.check(&third).expect("sealed");
        assert_eq!(verifier.unsealed(), 0);
    }
}
