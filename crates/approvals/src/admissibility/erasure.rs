//! Checks the rows whose content is erased or archived: each has a later `CALL_ERASED` event of its call with the same
//! hashes, or a later `THREAD_ARCHIVED` event of its thread, and each row that such an event covers has lost its
//! content. The hash chain covers the hashes and everything else in such a row.

use super::log_row::LogRow;
use countersign_events::{
    Body, CallErased, ErasedTexts, EventType, Sha256, ThreadArchived, ThreadId, principal::PrincipalKind,
    sealed,
};
use std::collections::HashMap;

/// The rows of each thread, as far as erasures and archives depend on them.
#[derive(Debug, Default)]
pub(super) struct ErasureCheck {
    /// Keyed by name digest, because a log may have millions of threads.
    threads: HashMap<ShortDigest, ThreadTexts>,
}

/// The first half of an SHA-256 digest, which is enough for comparisons within one log.
type ShortDigest = [u8; 16];

/// The thread rows with and without erasable content.
#[derive(Debug, Default)]
struct ThreadTexts {
    /// The number of rows up to the thread's closing event.
    events: u64,
    /// The number of these that have erasable content.
    with_texts: u64,
    /// What only some threads have.
    ended: Option<Box<EndedTexts>>,
}

/// The thread rows after the closing event, and the erased rows.
#[derive(Debug, Default)]
struct EndedTexts {
    /// The erased rows in `seq` order, each with its content digest: uncovered rows, and rows that an archive covers.
    erased: Vec<(i64, ShortDigest)>,
    is_closed: bool,
    /// The later rows, and true for those that have erasable content.
    later: Vec<(i64, bool)>,
    /// The last row that the thread archive covers.
    archived_through: Option<i64>,
}

/// The fields of an erased row that its `CALL_ERASED` event repeats.
#[derive(serde::Deserialize)]
struct ErasedTextHashes {
    erased: ErasedTexts,
}

impl ErasureCheck {
    /// Notes whether a row has erasable content, and whether it is erased.
    pub(super) fn note(&mut self, row: &LogRow) {
        if row.event.thread_id == ThreadId::whole_log() {
            return;
        }
        let thread = self.threads.entry(thread_digest(&row.event.thread_id)).or_default();
        let erased = erased_texts(row);
        let has_texts =
            erased.is_none() && matches!(row.event.kind, EventType::ToolCall | EventType::ToolResult);
        if let Some((texts, call)) = erased.zip(row.body.call_id()) {
            thread.ended().erased.push((row.event.seq, content_digest(call.as_str(), &texts)));
        }
        match &mut thread.ended {
            Some(ended) if ended.is_closed => ended.later.push((row.event.seq, has_texts)),
            _ => {
                thread.events += 1;
                thread.with_texts += u64::from(has_texts);
            }
        }
        match &row.body {
            Body::ThreadClosed(_) => thread.ended().is_closed = true,
            Body::ThreadArchived(archived) => thread.ended().archived_through = Some(archived.through),
            _ => {}
        }
    }

    /// Compares an erasure with the erased rows of its call. The error is the reason why it is wrong, for people.
    pub(super) fn confirm(&mut self, head: &LogRow, erased: &CallErased) -> Result<(), String> {
        if head.event.principal.kind() != PrincipalKind::User {
            return Err("only a person erases content".to_owned());
        }
        if erased.rows.is_empty() {
            return Err("it names no row, and each call has arguments".to_owned());
        }
        let mut thread = self.threads.get_mut(&thread_digest(&head.event.thread_id));
        let mut different = None;
        for named in &erased.rows {
            let found = thread.as_mut().and_then(|thread| thread.remove_uncovered(named.seq));
            let is_same = found == Some(content_digest(erased.tool_call_id.as_str(), &named.texts));
            different = different.or((!is_same).then_some(named.seq));
        }
        match different {
            Some(seq) => Err(format!("event {seq} still has its content, or others were erased in it")),
            None => Ok(()),
        }
    }

    /// Compares a thread archive with the thread rows. The error says why it is wrong, in words for people.
    pub(super) fn confirm_archive(&self, head: &LogRow, archived: &ThreadArchived) -> Result<(), String> {
        let Some(thread) = self.threads.get(&thread_digest(&head.event.thread_id)) else {
            return Err("its thread has no events".to_owned());
        };
        let later = thread.ended.as_ref().map_or(&[][..], |ended| &ended.later);
        let covered = || later.iter().filter(|(seq, _)| *seq <= archived.through);
        let events = thread.events + covered().count() as u64;
        if events != archived.events {
            return Err(format!(
                "the archive has {} events of the thread, and the log {events}",
                archived.events
            ));
        }
        match thread.with_texts + covered().filter(|(_, has_texts)| *has_texts).count() as u64 {
            0 => Ok(()),
            count => Err(format!(
                "{count} events of the thread still have their content: run the same `countersign archive` again, which \
                 was interrupted or runs now"
            )),
        }
    }

    /// The erased rows that no event of the log covers.
    pub(super) fn finish(&mut self) -> impl Iterator<Item = i64> {
        let threads = std::mem::take(&mut self.threads).into_values();
        let mut rows: Vec<i64> = threads.flat_map(ThreadTexts::into_uncovered).collect();
        rows.sort_unstable();
        rows.into_iter()
    }
}

impl ThreadTexts {
    fn ended(&mut self) -> &mut EndedTexts {
        self.ended.get_or_insert_default()
    }

    /// An erased row's digest. A row in an archive can be erased from the archive later, so it stays.
    fn remove_uncovered(&mut self, seq: i64) -> Option<ShortDigest> {
        let ended = self.ended.as_mut()?;
        let at = ended.erased.binary_search_by_key(&seq, |(seq, _)| *seq).ok()?;
        if ended.archived_through.is_some_and(|through| seq <= through) {
            return ended.erased.get(at).map(|(_, digest)| *digest);
        }
        Some(ended.erased.remove(at).1)
    }

    fn into_uncovered(self) -> impl Iterator<Item = i64> {
        let ended = self.ended.map(|ended| *ended).unwrap_or_default();
        let through = ended.archived_through.unwrap_or(0);
        ended.erased.into_iter().map(|(seq, _)| seq).filter(move |seq| *seq > through)
    }
}

fn thread_digest(thread: &ThreadId) -> ShortDigest {
    shorten(Sha256::digest(thread.as_str().as_bytes()))
}

/// One digest instead of all content hashes in a row, so that a mostly archived log takes little memory.
fn content_digest(call: &str, texts: &ErasedTexts) -> ShortDigest {
    shorten(Sha256::digest(&serde_json::to_vec(&(call, texts)).unwrap_or_default()))
}

fn shorten(digest: Sha256) -> ShortDigest {
    let mut first = ShortDigest::default();
    first.copy_from_slice(&digest.as_bytes()[..16]);
    first
}

/// The erased row's content hashes; `None` if the row still has its content.
pub(super) fn erased_texts(row: &LogRow) -> Option<ErasedTexts> {
    if !sealed::has_erased_texts(row.event.kind, &row.event.data) {
        return None;
    }
    Some(row.event.data.read::<ErasedTextHashes>().map(|member| member.erased).unwrap_or_default())
}
