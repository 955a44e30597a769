//! Detects writes of other processes: Countersign writers ring the doorbell, and a poll finds the writes of all others.

use super::{
    doorbell::DoorbellFile,
    open_file::{FileStamp, OpenFile},
};
use crate::{clock::machine_sleep, database};
use notify::RecommendedWatcher;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// The number of polls without a change after which the table is read anyway. Two writes within one tick of the system's
/// clock may leave the same stamp.
const POLLS_PER_READ: u32 = 20;

pub(crate) struct SqliteChangeListener {
    file: OpenFile,
    /// A process that only reads uses no doorbell: it could not create one.
    doorbell: Option<Arc<DoorbellFile>>,
    poll: Duration,
    rung: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    /// The stamp at the last poll.
    stamp: Option<FileStamp>,
    idle_polls: u32,
    gone: bool,
}

impl SqliteChangeListener {
    pub(super) fn new(file: OpenFile, doorbell: Option<Arc<DoorbellFile>>, poll: Duration) -> Self {
        let rung = Arc::new(Notify::new());
        let watcher = doorbell.as_ref().and_then(|doorbell| doorbell.listen(Arc::clone(&rung)));
        Self { file, doorbell, poll, rung, watcher, stamp: None, idle_polls: POLLS_PER_READ, gone: false }
    }

    fn last_tip(&self) -> Option<i64> {
        self.doorbell.as_ref()?.last_tip()
    }

    /// Watches the doorbell again if it was removed.
    fn repair_watcher(&mut self) {
        let Some(doorbell) = &self.doorbell else { return };
        if !self.gone && (self.watcher.is_none() || !doorbell.is_there()) {
            self.watcher = doorbell.listen(Arc::clone(&self.rung));
        }
    }

    /// Whether the file may have new events. This costs four calls of `stat` and no query.
    fn changed(&mut self) -> bool {
        let checked = self.file.check();
        if let Err(error) = &checked
            && !self.gone
        {
            tracing::error!(%error, "nothing is acknowledged until the files are back");
        }
        self.gone = checked.is_err();
        let stamp = self.file.wal_stamp();
        self.idle_polls += 1;
        let changed = stamp != self.stamp || self.idle_polls >= POLLS_PER_READ;
        if changed {
            (self.stamp, self.idle_polls) = (stamp, 0);
        }
        changed
    }
}

impl database::ChangeListener for SqliteChangeListener {
    async fn wait_for_change(&mut self, tip: &(impl Fn() -> i64 + Sync)) {
        loop {
            tokio::select! {
                // The feed may have the events already, from an earlier look at the table.
                () = self.rung.notified() => if self.last_tip() != Some(tip()) {
                    return;
                },
                () = machine_sleep(self.poll) => {
                    let changed = self.changed();
                    self.repair_watcher();
                    if changed {
                        return;
                    }
                }
            }
        }
    }
}
