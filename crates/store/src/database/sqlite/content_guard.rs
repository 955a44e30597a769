//! Notices that another program has overwritten the open database in place, as `cp` does. The file then has the same
//! name and inode, and SQLite continues with a mixture of both contents: its caches trust the write-ahead log, not the
//! file.

use super::{
    connection::ConnectionSettings,
    error::{error, is_damaged},
    open_file::{FileStamp, OpenFile},
};
use crate::{StoreError, UnavailableDatabase, database::SqlQuery, queries};
use countersign_events::{Event, ThreadId, Timestamp};
use serde::Serialize;
use std::collections::VecDeque;

/// The number of commits that are remembered. The last rows share pages with newer ones, which may be in the write-ahead log.
const REMEMBERED: usize = 64;

/// Looks for events that this process has written whenever the file has changed. Checkpoints change it, too.
pub(super) struct ContentGuard {
    settings: ConnectionSettings,
    /// The stamp at the last look.
    stamp: Option<FileStamp>,
    /// The last event of each of the last commits.
    recent: VecDeque<WrittenEvent>,
    /// Those at the last look: a checkpoint has moved them into the file since.
    earlier: VecDeque<WrittenEvent>,
    is_overwritten: bool,
}

/// What identifies an event.
#[derive(Clone, Serialize)]
struct WrittenEvent {
    seq: i64,
    thread: ThreadId,
    timestamp: Timestamp,
}

impl ContentGuard {
    /// `settings` are the settings of a read connection.
    pub(super) fn new(settings: ConnectionSettings, file: &OpenFile) -> Self {
        let stamp = file.database_stamp();
        Self { settings, stamp, recent: VecDeque::new(), earlier: VecDeque::new(), is_overwritten: false }
    }

    /// Remembers the last event of a commit.
    pub(super) fn remember(&mut self, last: &Event) {
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back(WrittenEvent {
            seq: last.seq,
            thread: last.thread_id.clone(),
            timestamp: last.timestamp,
        });
    }

    /// Fails with `gone` if the file has lost events that this process has written, also at each later call. It costs
    /// one `stat` while the file is unchanged, and a new connection, whose cache is empty, when it has changed.
    pub(super) fn check(&mut self, file: &OpenFile) -> Result<(), StoreError> {
        let stamp = file.database_stamp();
        if !self.is_overwritten && stamp != self.stamp {
            self.is_overwritten = self.lacks_events(file)?;
            self.stamp = stamp;
            self.earlier.clone_from(&self.recent);
        }
        if self.is_overwritten {
            return Err(UnavailableDatabase::Overwritten(file.path().into()).into());
        }
        Ok(())
    }

    fn lacks_events(&self, file: &OpenFile) -> Result<bool, StoreError> {
        let written: Vec<_> = self.recent.iter().chain(&self.earlier).collect();
        let written = serde_json::to_string(&written).expect("its fields are texts and numbers");
        let query = SqlQuery::new(queries::sqlite::LACKS_EVENTS).bind(written);
        match self.settings.connect().and_then(|conn| conn.query_all(&query)) {
            Ok(found) => Ok(found.first().is_some_and(|row| row.boolean(0))),
            Err(e) if is_damaged(&e) => Ok(true),
            Err(e) => Err(error(file.path().into(), &e)),
        }
    }
}
