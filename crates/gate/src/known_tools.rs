//! The tools of the log and their definitions, as this process has read them.

use countersign_approvals::tool_directory::ToolDirectory;
use countersign_events::Body;
use countersign_store::{Store, StoreError};
use std::sync::Arc;
use tokio::sync::Mutex;

/// The most events that are read at once. Each may have a definition of 128 KiB.
const PAGE: usize = 100;

/// The tools of the log, as this process has read them.
#[derive(Default)]
pub(crate) struct KnownTools {
    state: Mutex<ReadTools>,
}

#[derive(Default)]
struct ReadTools {
    directory: Arc<ToolDirectory>,
    /// The `seq` of the last event that was read.
    seq: i64,
}

impl KnownTools {
    /// Reads the events since the last read, and returns the tools as they are now.
    pub(crate) async fn read(&self, store: &Store) -> Result<Arc<ToolDirectory>, StoreError> {
        let mut known = self.state.lock().await;
        loop {
            let events = store.definition_events(known.seq, PAGE).await?;
            for event in &events {
                // A row that cannot be read adds nothing. `verify` names it.
                if let Ok(body) = Body::read(event.seq, event.kind, &event.data) {
                    Arc::make_mut(&mut known.directory).evolve(event, &body);
                }
                known.seq = event.seq;
            }
            if events.len() < PAGE {
                return Ok(Arc::clone(&known.directory));
            }
        }
    }
}
