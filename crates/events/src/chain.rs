//! The hash chain over the log. It defines the input of each row's `hash`, so that anyone can verify the log.
//!
//! A row link is the SHA-256 of one JSON array in RFC 8785 form:
//! `[previous link, seq, threadId, type, timestamp, principal, digest]`, where the previous link is 64 hexadecimal
//! digits (zeros before the first row) and `digest` is the SHA-256 of the [sealed form](crate::sealed) of `data`, so
//! that content can be erased without changing any link. In Python:
//! `sha256(json.dumps([...], ensure_ascii=False, separators=(",", ":")).encode())`.
//!
//! A row that an operator inserts by hand may leave `hash` empty. Its link is computed like any other, and the
//! next row that the gate writes seals it, because the hash of that row covers this link.

use crate::{Sha256, event::Event, sealed};
use std::{fmt, str::FromStr};

/// The link for the row that follows `previous`.
#[must_use]
pub fn link(previous: Sha256, event: &Event) -> Sha256 {
    let row = (
        previous,
        event.seq,
        &event.thread_id,
        event.kind,
        event.timestamp,
        &event.principal,
        sealed::digest(event.kind, &event.data),
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

/// A checkpoint: an event `seq` and the chain link at this event, as `SEQ:HASH`. A log that was changed at or before
/// the event has another link there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    /// The event's `seq`; 0 for an empty log.
    pub seq: i64,
    /// The link at the event.
    pub hash: Sha256,
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.hash)
    }
}

impl FromStr for Checkpoint {
    type Err = BadCheckpoint;

    fn from_str(text: &str) -> Result<Self, BadCheckpoint> {
        let (seq, hash) = text.split_once(':').ok_or(BadCheckpoint)?;
        let is_number = !seq.is_empty() && seq.bytes().all(|byte| byte.is_ascii_digit());
        let seq = seq.parse().ok().filter(|_| is_number).ok_or(BadCheckpoint)?;
        Ok(Self { seq, hash: Sha256::from_hex(hash).ok_or(BadCheckpoint)? })
    }
}

/// The string is not a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a checkpoint is SEQ:HASH, the number of an event and 64 hexadecimal digits, as `verify` prints it after `tip`"
)]
pub struct BadCheckpoint;

/// The position and kind of a chain break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChainBreak {
    /// The row's stored hash differs from the hash of its fields and the previous link.
    #[error(
        "event {seq}: the stored hash is {stored}, but the row and the previous link give {computed}: a row was changed"
    )]
    Changed {
        /// The row's `seq`.
        seq: i64,
        /// The hash that the row holds.
        stored: Sha256,
        /// The hash that the row should hold.
        computed: Sha256,
    },
    /// A row is missing: rows are numbered without gaps.
    #[error("event {expected} is missing: the next event in the log is {found}")]
    Missing {
        /// The missing row's `seq`.
        expected: i64,
        /// The `seq` that the next row has instead.
        found: i64,
    },
}

impl Default for ChainVerifier {
    fn default() -> Self {
        Self { link: Sha256::ZERO, next: 1, unsealed: 0 }
    }
}

impl ChainVerifier {
    /// Starts after the row with this `seq` and link.
    #[must_use]
    pub const fn starting_after(seq: i64, link: Sha256) -> Self {
        Self { link, next: seq + 1, unsealed: 0 }
    }

    /// Checks the next row. The caller passes the rows in `seq` order, starting with the first.
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

    /// The last checked row's `seq`.
    #[must_use]
    pub fn checked(&self) -> i64 {
        self.next - 1
    }

    /// The last row's link. Store it outside the database, and any later change to the rows before it shows.
    #[must_use]
    pub fn tip(&self) -> Sha256 {
        self.link
    }

    /// How many rows at the end of the log have no hash and are not yet sealed by a later row.
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
        // digest = sha256('"é\\n"'), then
        // sha256(json.dumps(["0"*64, 1, "t", "USER_MESSAGE", "1970-01-01T00:00:00.001Z", "user:ada", digest], …))
        let first = row(1, "é\n", Some(Sha256::ZERO));
        let expected = "0522c1a5edbe935abd52b4fbf48ae9faede2b2587819e593c09a000e62215294";
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
    fn checkpoint_reads_as_it_is_written() {
        let checkpoint = Checkpoint { seq: 7, hash: Sha256::digest(b"x") };
        assert_eq!(checkpoint.to_string().parse(), Ok(checkpoint));
        let hash = checkpoint.hash;
        for text in
            ["", "7", "7:", &format!(":{hash}"), &format!("-7:{hash}"), &format!("+7:{hash}"), "7:abc"]
        {
            assert_eq!(text.parse::<Checkpoint>(), Err(BadCheckpoint), "{text}");
        }
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
