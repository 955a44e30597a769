//! A batch between its decision and its write.

use super::CommandOutcome;
use crate::StoreError;
use countersign_approvals::{BatchState, Call, CommandEnvelope, RecordedEvent};
use countersign_events::{DamagedEvent, Event};

/// The size of new events at which a batch is written. The remaining commands share the next one. On PostgreSQL, a batch exists
/// several times in memory: as SQL, as its parameter, and as the JSON that the database parses.
const MAX_BATCH_BYTES: usize = 8 * 1024 * 1024;

pub(super) type EnvelopeResult = Result<CommandOutcome, StoreError>;

/// A batch whose commands are decided.
pub(super) struct DecidedBatch {
    pub(super) events: Vec<RecordedEvent>,
    /// Outcomes of the first commands, as many as fit into one batch.
    pub(super) outcomes: Vec<EnvelopeResult>,
}

impl DecidedBatch {
    /// Decides the commands one by one, until the events fill a batch. The state then has these events.
    pub(super) fn decide(state: &mut BatchState, commands: &[CommandEnvelope]) -> Result<Self, DamagedEvent> {
        let (mut events, mut outcomes, mut bytes) = (Vec::new(), Vec::with_capacity(commands.len()), 0);
        for command in commands {
            if bytes > MAX_BATCH_BYTES {
                break;
            }
            let applied = state.apply(command)?;
            bytes += applied.events.iter().map(|event| event.data.as_str().len()).sum::<usize>();
            events.extend(applied.events.iter().cloned());
            outcomes.push(match applied.outcome {
                Ok(()) => Ok(CommandOutcome { call: call_of(state, command), events: applied.events }),
                Err(failure) => Err(failure.into()),
            });
        }
        Ok(Self { events, outcomes })
    }

    /// The event rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = &Event> + Send {
        self.events.iter().map(|event| &*event.event)
    }

    pub(super) fn last_event(&self) -> Option<&Event> {
        self.events.last().map(|event| &*event.event)
    }
}

fn call_of(state: &BatchState, command: &CommandEnvelope) -> Option<Call> {
    let (thread_id, id) = command.target.call()?;
    state.call(thread_id, id).cloned()
}
