//! Writing an archive.

use super::{ArchivePlan, PAGE, plan::damaged};
use crate::{EventFilter, Store, StoreError, database::sqlite::cannot_create, partial_file::PartialFile};
use countersign_events::{
    Event, Sha256,
    chain::{ChainVerifier, Checkpoint},
    proven::{ArchiveDigest, ArchiveProof, ArchiveTrailer, ProvenEvent},
};
use serde::Serialize;
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::Path,
};

impl Store {
    /// Writes the events of the planned threads to a new file, which is on disk when this returns. A failure leaves no file.
    /// `progress` receives the number of events that were read.
    pub async fn write_archive(
        &self,
        plan: &ArchivePlan,
        to: &Path,
        mut progress: impl FnMut(i64),
    ) -> Result<(), StoreError> {
        if to.symlink_metadata().is_ok() {
            return Err(StoreError::TargetExists { place: to.into() });
        }
        let part = PartialFile::create(to)?;
        let mut lines = ArchiveLines::new(part.open()?, to);
        let mut verifier = ChainVerifier::default();
        while verifier.checked() < plan.tip.seq {
            let page = self.events(&EventFilter::default(), verifier.checked(), PAGE).await?;
            for event in page.items.iter().take_while(|event| event.seq <= plan.tip.seq) {
                let previous = verifier.tip();
                verifier.check(event).map_err(|broken| damaged(&broken))?;
                let extent = plan.selection.threads.get(&event.thread_id);
                if extent.is_some_and(|extent| event.seq <= extent.through) {
                    lines.add(event, previous, verifier.tip())?;
                }
            }
            progress(verifier.checked().min(plan.tip.seq));
            if page.next.is_none() {
                break;
            }
        }
        let threads = plan.selection.threads.len() as u64;
        lines.finish(plan.tip, threads)?;
        part.keep()
    }
}

/// Lines for a new archive.
pub(super) struct ArchiveLines<'a> {
    file: BufWriter<File>,
    to: &'a Path,
    digest: ArchiveDigest,
    events: u64,
    first: Option<i64>,
    last: Option<Checkpoint>,
}

impl<'a> ArchiveLines<'a> {
    pub(super) fn new(file: File, to: &'a Path) -> Self {
        let file = BufWriter::with_capacity(1024 * 1024, file);
        Self { file, to, digest: ArchiveDigest::default(), events: 0, first: None, last: None }
    }

    /// Adds an event with the links before it and at it.
    pub(super) fn add(&mut self, event: &Event, previous: Sha256, link: Sha256) -> Result<(), StoreError> {
        let last = Checkpoint { seq: event.seq, hash: link };
        self.digest.add(last);
        self.events += 1;
        (self.first, self.last) = (self.first.or(Some(event.seq)), Some(last));
        self.write_line(&ProvenEvent::new(event, previous))
    }

    /// Adds the last line.
    pub(super) fn finish(mut self, tip: Checkpoint, threads: u64) -> Result<(), StoreError> {
        let proof = ArchiveProof {
            events: self.events,
            first: self.first,
            last: self.last.map(|last| last.to_string()),
            tip: tip.to_string(),
            threads,
            digest: self.digest.value(),
        };
        self.write_line(&ArchiveTrailer { proof })?;
        self.file.flush().map_err(|e| cannot_create(self.to, &e))
    }

    fn write_line(&mut self, line: &impl Serialize) -> Result<(), StoreError> {
        let written = serde_json::to_writer(&mut self.file, line).map_err(std::io::Error::from);
        written.and_then(|()| self.file.write_all(b"\n")).map_err(|e| cannot_create(self.to, &e))
    }
}
