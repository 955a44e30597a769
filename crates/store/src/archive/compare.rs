//! Comparing an archive with the log.

use super::{
    ArchiveContents, PAGE, bad_archive,
    read::{ArchiveReader, ArchivedEvent},
};
use crate::{EventFilter, Store, StoreError};
use countersign_events::{Event, sealed};
use std::{collections::VecDeque, path::Path};

impl Store {
    /// Checks that each archived event equals the event in this log, and that the archive has all content that the log
    /// has. Returns the archive contents. `progress` receives the `seq` of the last event that was compared.
    pub async fn compare_archive(
        &self,
        path: &Path,
        mut progress: impl FnMut(i64),
    ) -> Result<ArchiveContents, StoreError> {
        let mut reader = ArchiveReader::open(path)?;
        let mut rows: VecDeque<Event> = VecDeque::new();
        let (mut after, mut at_end) = (None, false);
        while let Some(archived) = reader.next_event()? {
            let wanted = archived.event.seq;
            while rows.pop_front_if(|row| row.seq < wanted).is_some() {}
            while rows.is_empty() && !at_end {
                let page = self.events(&EventFilter::default(), after.unwrap_or(wanted - 1), PAGE).await?;
                at_end = page.next.is_none();
                after = page.items.last().map(|event| event.seq);
                rows.extend(page.items.into_iter().skip_while(|row| row.seq < wanted));
                progress(wanted);
            }
            let same =
                rows.front().filter(|row| row.seq == wanted).is_some_and(|row| is_same(row, &archived));
            if !same {
                let why = format!("its event {wanted} is not the event of this log");
                return Err(bad_archive(path, why));
            }
        }
        reader.contents()
    }
}

/// Returns true if the row and the line are the same event, and the line has the row's content, if the row still has
/// some.
fn is_same(row: &Event, archived: &ArchivedEvent) -> bool {
    let line = &archived.event;
    let has_texts = !sealed::has_erased_texts(row.kind, &row.data);
    let is_same_data = if has_texts {
        row.data.as_str() == line.data.as_str()
    } else {
        sealed::digest(row.kind, &row.data) == sealed::digest(line.kind, &line.data)
    };
    row.hash.is_none_or(|hash| hash == archived.link)
        && (&row.thread_id, row.kind, row.timestamp, &row.principal)
            == (&line.thread_id, line.kind, line.timestamp, &line.principal)
        && is_same_data
}
