//! The lines in an export with proof and in an archive. Each has everything that its event's link covers, so that it
//! can be checked without the log.

use crate::{
    Event, EventType, Json, Principal, Sha256, ThreadId, Timestamp,
    chain::{Checkpoint, link},
};
use serde::{Deserialize, Serialize};

/// An event with everything that its link covers, as a line of JSON.
#[derive(Debug, Serialize)]
pub struct ProvenEvent<'a> {
    /// The event.
    #[serde(flatten)]
    pub event: &'a Event,
    /// The text of `data`, byte for byte: a line has no line breaks.
    pub text: &'a str,
    /// The event's link before.
    pub previous: Sha256,
}

impl<'a> ProvenEvent<'a> {
    /// The line for an event that follows this link.
    #[must_use]
    pub fn new(event: &'a Event, previous: Sha256) -> Self {
        Self { event, text: event.data.as_str(), previous }
    }
}

/// A line that was read.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProvenLine {
    seq: i64,
    thread_id: ThreadId,
    #[serde(rename = "type")]
    kind: EventType,
    timestamp: Timestamp,
    principal: Principal,
    data: Json,
    #[serde(default)]
    hash: Option<Sha256>,
    text: String,
    /// The event's link before.
    pub previous: Sha256,
}

impl ProvenLine {
    /// The line's event and link. Fails with a reason, in words for people, if the line contradicts itself.
    pub fn check(self) -> Result<(Event, Sha256), String> {
        let Self { seq, thread_id, kind, timestamp, principal, data, hash, text, previous } = self;
        if data.as_str() != text {
            return Err(format!("event {seq}: its data is not that of its text"));
        }
        let event = Event { seq, thread_id, kind, timestamp, principal, data, hash };
        let computed = link(previous, &event);
        match event.hash {
            Some(stored) if stored != computed => Err(format!(
                "event {seq}: its hash is {stored}, but its line gives {computed}: it was changed"
            )),
            _ => Ok((event, computed)),
        }
    }
}

/// The final archive line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveProof {
    /// The number of events in the archive.
    pub events: u64,
    /// The first event's `seq`.
    pub first: Option<i64>,
    /// The last event's `seq` and link, as SEQ:HASH.
    pub last: Option<String>,
    /// The log's end when the archive was made, as SEQ:HASH.
    pub tip: String,
    /// The number of its threads.
    pub threads: u64,
    /// The archive's digest. See [`ArchiveDigest`].
    pub digest: Sha256,
}

/// The final archive line, as its only member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveTrailer {
    /// Its content.
    pub proof: ArchiveProof,
}

/// The archive digest. It starts as 64 zeros; each event gives the next one, the SHA-256 of the JSON array
/// `[digest before, seq, link]`. The links cover content hashes, so erasing content from the archive does not change
/// the digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchiveDigest(Sha256);

impl Default for ArchiveDigest {
    fn default() -> Self {
        Self(Sha256::ZERO)
    }
}

impl ArchiveDigest {
    /// Adds the next event.
    pub fn add(&mut self, event: Checkpoint) {
        let step = (self.0, event.seq, event.hash);
        self.0 = Sha256::digest(&serde_json::to_vec(&step).unwrap_or_default());
    }

    /// The digest of all events so far.
    #[must_use]
    pub const fn value(self) -> Sha256 {
        self.0
    }
}
