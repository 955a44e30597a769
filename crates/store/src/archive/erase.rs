//! Erases call content in an archive.

use super::{ArchiveContents, PAGE, read::ArchiveReader, write::ArchiveLines};
use crate::{EventFilter, Store, StoreError, partial_file::PartialFile};
use countersign_events::{CallErased, Event, EventType, ThreadId, sealed};
use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

impl Store {
    /// Erases from an archive the content of the calls that were erased in the log after the archive was planned. The
    /// archive digest stays. Returns the number of events that lost their content; if there are none, the file stays as
    /// it is.
    pub async fn erase_in_archive(&self, path: &Path, contents: &ArchiveContents) -> Result<u64, StoreError> {
        let erased = self.erased_since(contents.tip.seq, &contents.threads).await?;
        if erased.is_empty() || !has_texts(path, &erased)? {
            return Ok(0);
        }
        let part = PartialFile::create(path)?;
        let mut lines = ArchiveLines::new(part.open()?, path);
        let (mut reader, mut changed) = (ArchiveReader::open(path)?, 0);
        while let Some(archived) = reader.next_event()? {
            let Event { seq, kind, .. } = archived.event;
            let mut event = archived.event;
            if erased.contains(&seq) && !sealed::has_erased_texts(kind, &event.data) {
                event.data = sealed::erase_texts(kind, &event.data);
                changed += 1;
            }
            lines.add(&event, archived.previous, archived.link)?;
        }
        lines.finish(contents.tip, contents.threads.len() as u64)?;
        part.replace()?;
        Ok(changed)
    }

    /// Returns true if the archive has content of calls that were erased in the log after the archive was planned.
    pub async fn archive_has_erased_texts(
        &self,
        path: &Path,
        contents: &ArchiveContents,
    ) -> Result<bool, StoreError> {
        let erased = self.erased_since(contents.tip.seq, &contents.threads).await?;
        Ok(!erased.is_empty() && has_texts(path, &erased)?)
    }

    /// The rows that erasures after an event name, in some threads.
    async fn erased_since(
        &self,
        after: i64,
        threads: &BTreeMap<ThreadId, (u64, i64)>,
    ) -> Result<HashSet<i64>, StoreError> {
        let filter = EventFilter { types: vec![EventType::CallErased], ..EventFilter::default() };
        let (mut erased, mut after) = (HashSet::new(), Some(after));
        while let Some(from) = after {
            let page = self.events(&filter, from, PAGE).await?;
            for event in page.items.iter().filter(|event| threads.contains_key(&event.thread_id)) {
                let rows = event.data.read::<CallErased>().map(|erased| erased.rows).unwrap_or_default();
                erased.extend(rows.into_iter().map(|row| row.seq));
            }
            after = page.next;
        }
        Ok(erased)
    }
}

/// Returns true if an event has content in the archive.
fn has_texts(path: &Path, erased: &HashSet<i64>) -> Result<bool, StoreError> {
    let (mut reader, mut found) = (ArchiveReader::open(path)?, false);
    while let Some(archived) = reader.next_event()? {
        let event = &archived.event;
        let has_erasable = || sealed::erase_texts(event.kind, &event.data).as_str() != event.data.as_str();
        found |= erased.contains(&event.seq) && has_erasable();
    }
    Ok(found)
}
