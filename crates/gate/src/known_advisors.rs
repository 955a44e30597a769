//! The reports on advisors and their modes, as this process has read them.

use countersign_approvals::advisor_directory::AdvisorDirectory;
use countersign_events::Body;
use countersign_store::{Store, StoreError};
use tokio::sync::Mutex;

/// The most events that are read at once.
const PAGE: usize = 1_000;

/// The facts about the advisors of the log, as this process has read them.
#[derive(Default)]
pub(crate) struct KnownAdvisors {
    state: Mutex<ReadAdvisors>,
}

#[derive(Default)]
struct ReadAdvisors {
    directory: AdvisorDirectory,
    /// The `seq` of the last event that was read.
    seq: i64,
}

impl KnownAdvisors {
    /// Reads the events since the last read, and returns the facts as they are now.
    pub(crate) async fn read(&self, store: &Store) -> Result<AdvisorDirectory, StoreError> {
        let mut known = self.state.lock().await;
        loop {
            let events = store.advisor_events(known.seq, PAGE).await?;
            for event in &events {
                // A row that cannot be read adds nothing. `verify` names it.
                if let Ok(body) = Body::read(event.seq, event.kind, &event.data) {
                    known.directory.evolve(event, &body);
                }
                known.seq = event.seq;
            }
            if events.len() < PAGE {
                return Ok(known.directory.clone());
            }
        }
    }
}
