//! Checks the rows whose texts are erased: each has a later `CALL_ERASED` event of its call with the same hashes, and each
//! row that such an event names is erased. The hash chain covers the hashes and everything else in such a row.

use super::log_row::LogRow;
use crate::batch::thread_state::call_id_of;
use countersign_events::{
    CallId, ThreadId,
    event::{CallErased, ErasedTexts},
    principal::PrincipalKind,
    sealed,
};
use std::collections::BTreeMap;

/// The erased rows for which no event has been found yet.
#[derive(Debug, Default)]
pub(super) struct ErasureCheck {
    rows: BTreeMap<i64, ErasedCallRow>,
}

#[derive(Debug)]
struct ErasedCallRow {
    thread_id: ThreadId,
    call_id: CallId,
    texts: ErasedTexts,
}

/// The part of an erased row that its `CALL_ERASED` event repeats.
#[derive(serde::Deserialize)]
struct ErasedTextHashes {
    erased: ErasedTexts,
}

impl ErasureCheck {
    /// Notes a row if its texts are erased.
    pub(super) fn note(&mut self, row: &LogRow) {
        if let Some(texts) = erased_texts(row)
            && let Some(call_id) = call_id_of(&row.body)
        {
            let thread_id = row.event.thread_id.clone();
            self.rows.insert(row.event.seq, ErasedCallRow { thread_id, call_id: call_id.clone(), texts });
        }
    }

    /// Compares an event with the erased rows of its call. The error is the reason why it is wrong, for people.
    pub(super) fn confirm(&mut self, head: &LogRow, erased: &CallErased) -> Result<(), String> {
        if head.event.principal.kind() != PrincipalKind::User {
            return Err("only a person erases texts".to_owned());
        }
        if erased.rows.is_empty() {
            return Err("it names no row, and each call has arguments".to_owned());
        }
        let mut different = None;
        for named in &erased.rows {
            let is_same = self.rows.remove(&named.seq).is_some_and(|row| {
                row.thread_id == head.event.thread_id
                    && row.call_id == erased.tool_call_id
                    && row.texts == named.texts
            });
            different = different.or((!is_same).then_some(named.seq));
        }
        match different {
            Some(seq) => Err(format!("event {seq} still has its texts, or others were erased in it")),
            None => Ok(()),
        }
    }

    /// The erased rows for which the log has no event.
    pub(super) fn finish(&mut self) -> impl Iterator<Item = i64> {
        std::mem::take(&mut self.rows).into_keys()
    }
}

/// The hashes of the erased texts of a row; `None` if it has its texts.
pub(super) fn erased_texts(row: &LogRow) -> Option<ErasedTexts> {
    if !sealed::has_erased_texts(row.event.kind, &row.event.data) {
        return None;
    }
    Some(row.event.data.read::<ErasedTextHashes>().map(|member| member.erased).unwrap_or_default())
}
