//! Reading an archive, and checking it without the log.

use super::bad_archive;
use crate::{StoreError, database::sqlite::cannot_create};
use countersign_events::{
    Event, Sha256, ThreadId,
    chain::Checkpoint,
    proven::{ArchiveDigest, ArchiveProof, ArchiveTrailer, ProvenLine},
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::Path,
};

/// The most bytes of a line: an event has at most 4 MiB of arguments, which a line has twice, with escapes.
const MAX_LINE: u64 = 64 * 1024 * 1024;

/// What an intact archive has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveContents {
    /// The threads, each with its event count and the `seq` of its last event.
    pub threads: BTreeMap<ThreadId, (u64, i64)>,
    /// The number of events.
    pub events: u64,
    /// The archive's digest.
    pub digest: Sha256,
    /// The log's end when the archive was made.
    pub tip: Checkpoint,
}

/// An archive line.
pub(super) struct ArchivedEvent {
    pub(super) event: Event,
    pub(super) previous: Sha256,
    pub(super) link: Sha256,
}

/// Reads an archive to its end and checks it without the log: each event has the link of its line, the links of events
/// that follow each other fit, and the last line has the right counts and the archive digest. Fails with
/// [`StoreError::BadArchive`] at the first line that does not hold.
pub fn read_archive(path: &Path) -> Result<ArchiveContents, StoreError> {
    let mut reader = ArchiveReader::open(path)?;
    while reader.next_event()?.is_some() {}
    reader.contents()
}

/// Reads an archive line by line, and checks each.
pub(super) struct ArchiveReader<'a> {
    path: &'a Path,
    file: BufReader<File>,
    buffer: Vec<u8>,
    threads: BTreeMap<ThreadId, (u64, i64)>,
    events: u64,
    first: Option<i64>,
    last: Option<Checkpoint>,
    digest: ArchiveDigest,
    trailer: Option<ArchiveProof>,
}

impl<'a> ArchiveReader<'a> {
    pub(super) fn open(path: &'a Path) -> Result<Self, StoreError> {
        let opened = File::open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => bad_archive(path, "there is no such file"),
            _ => cannot_create(path, &e),
        })?;
        Ok(Self {
            path,
            file: BufReader::with_capacity(1024 * 1024, opened),
            buffer: Vec::new(),
            threads: BTreeMap::new(),
            events: 0,
            first: None,
            last: None,
            digest: ArchiveDigest::default(),
            trailer: None,
        })
    }

    /// The next event; `None` after the last line, when all counts are checked.
    pub(super) fn next_event(&mut self) -> Result<Option<ArchivedEvent>, StoreError> {
        let bad = |why: String| Err(bad_archive(self.path, why));
        let position = self.events + 1;
        self.buffer.clear();
        let read = (&mut self.file).take(MAX_LINE).read_until(b'\n', &mut self.buffer);
        read.map_err(|e| bad_archive(self.path, format!("line {position} cannot be read: {e}")))?;
        if self.buffer.is_empty() {
            return bad("its last line is missing: it was cut off".to_owned());
        }
        if let Ok(ArchiveTrailer { proof }) = serde_json::from_slice(&self.buffer) {
            self.check_trailer(proof)?;
            return Ok(None);
        }
        let parsed = serde_json::from_slice::<ProvenLine>(&self.buffer);
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(why) => return bad(format!("line {position} is not an event of an archive: {why}")),
        };
        let previous = parsed.previous;
        let (event, link) = match parsed.check() {
            Ok(checked) => checked,
            Err(why) => return bad(why),
        };
        if let Some(last) = self.last {
            if event.seq <= last.seq {
                return bad(format!("event {} follows event {}", event.seq, last.seq));
            }
            if event.seq == last.seq + 1 && previous != last.hash {
                return bad(format!("event {} does not continue event {}", event.seq, last.seq));
            }
        }
        self.first = self.first.or(Some(event.seq));
        let last = Checkpoint { seq: event.seq, hash: link };
        self.last = Some(last);
        self.digest.add(last);
        self.events += 1;
        let thread = self.threads.entry(event.thread_id.clone()).or_default();
        *thread = (thread.0 + 1, event.seq);
        Ok(Some(ArchivedEvent { event, previous, link }))
    }

    fn check_trailer(&mut self, proof: ArchiveProof) -> Result<(), StoreError> {
        let last = self.last.map(|last| last.to_string());
        let counted = (self.events, self.first, &last, self.threads.len() as u64);
        if counted != (proof.events, proof.first, &proof.last, proof.threads) {
            return Err(bad_archive(
                self.path,
                "its last line counts other events: some were removed or added",
            ));
        }
        if proof.digest != self.digest.value() {
            return Err(bad_archive(self.path, "its events do not have the digest of its last line"));
        }
        let mut rest = [0; 1];
        if self.file.read(&mut rest).is_ok_and(|count| count > 0) {
            return Err(bad_archive(self.path, "a line follows the last one"));
        }
        self.trailer = Some(proof);
        Ok(())
    }

    /// The contents, after the last line was read.
    pub(super) fn contents(self) -> Result<ArchiveContents, StoreError> {
        let tip = self.trailer.as_ref().and_then(|proof| proof.tip.parse().ok());
        let tip = tip.ok_or_else(|| bad_archive(self.path, "its last line has no tip of a log"))?;
        let (threads, events, digest) = (self.threads, self.events, self.digest.value());
        Ok(ArchiveContents { threads, events, digest, tip })
    }
}
