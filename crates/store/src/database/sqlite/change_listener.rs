//! What tells a process that others have written to the file: the bell that processes of ours ring, and for
//! everybody else a look at the file now and then.

use super::{
    doorbell::DoorbellFile,
    open_file::{OpenFile, WalStamp},
};
use crate::{clock::machine_sleep, database};
use notify::RecommendedWatcher;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;

/// After how many polls that saw nothing the table is read all the same. A stamp of the file is only as
/// fine as the system's clock, so two writes at the same moment may look like one.
const POLLS_PER_READ: u32 = 20;

pub(crate) struct SqliteChangeListener {
    file: OpenFile,
    doorbell: Arc<DoorbellFile>,
    poll: Duration,
    rung: Arc<Notify>,
    watcher: Option<RecommendedWatcher>,
    /// What the last poll saw.
    stamp: Option<WalStamp>,
    idle_polls: u32,
    gone: bool,
}

impl SqliteChangeListener {
    pub(super) fn new(file: OpenFile, doorbell: Arc<DoorbellFile>, poll: Duration) -> Self {
        let rung = Arc::new(Notify::new());
        let watcher = doorbell.listen(Arc::clone(&rung));
        Self { file, doorbell, poll, rung, watcher, stamp: None, idle_polls: POLLS_PER_READ, gone: false }
    }

    /// Whether the file may hold something new. Asking costs two looks at the folder, and no thread of
    /// SQLite's wakes for it.
    fn changed(&mut self) -> bool {
        let gone = self.file.check().is_err();
        if gone && !self.gone {
            let path = self.file.path().display();
            tracing::error!(%path, "the database was removed or replaced while it was open");
        }
        self.gone = gone;
        let stamp = self.file.stamp();
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
                // Our own writer has told the feed already what it rings for.
                () = self.rung.notified() => if self.doorbell.last_tip() != Some(tip()) {
                    return;
                },
                () = machine_sleep(self.poll) => {
                    let changed = self.changed();
                    if !self.gone && (self.watcher.is_none() || !self.doorbell.is_there()) {
                        self.watcher = self.doorbell.listen(Arc::clone(&self.rung));
                    }
                    if changed {
                        return;
                    }
                }
            }
        }
    }
}
