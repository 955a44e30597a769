//! The lines of `log --proof`, each of which can be checked against its hash without the log.

use countersign_api::{LogFilter, PageQuery, SharedGate};
use countersign_console::{CliError, CommandExit, format_json_line};
use countersign_events::{
    Event, Sha256,
    chain::{Checkpoint, link},
    proven::ProvenEvent,
};
use serde_json::json;
use std::sync::Arc;

/// The links of the printed events.
#[derive(Default)]
pub(in crate::commands) struct ProofTrail {
    first: Option<i64>,
    last: Option<Checkpoint>,
    events: i64,
}

impl ProofTrail {
    /// The next event's line. Fails if the event hash does not fit the event and the previous link.
    pub(in crate::commands) async fn format_line(
        &mut self,
        gate: &SharedGate,
        event: &Event,
    ) -> anyhow::Result<String> {
        let previous = match self.last {
            Some(last) if last.seq == event.seq - 1 => last.hash,
            _ => read_link(gate, event.seq - 1).await?,
        };
        let computed = link(previous, event);
        if event.hash.is_some_and(|stored| stored != computed) {
            return Err(damaged(format!("event {} does not have the hash of its fields", event.seq)));
        }
        self.first = self.first.or(Some(event.seq));
        self.last = Some(Checkpoint { seq: event.seq, hash: computed });
        self.events += 1;
        Ok(format_json_line(&ProvenEvent::new(event, previous))?)
    }

    /// The last line: the number of events, and the links at the last one and at the log's end.
    pub(in crate::commands) async fn format_trailer(&self, gate: &SharedGate) -> anyhow::Result<String> {
        let seq = gate.tip(None).await?;
        let tip = Checkpoint { seq, hash: read_link(gate, seq).await? };
        let trailer = json!({
            "events": self.events,
            "first": self.first,
            "last": self.last.map(|last| last.to_string()),
            "tip": tip.to_string(),
        });
        Ok(json!({ "proof": trailer }).to_string())
    }
}

/// The link at an event: its hash, or computed if it was inserted with SQL and has none.
async fn read_link(gate: &SharedGate, seq: i64) -> anyhow::Result<Sha256> {
    let mut unsealed: Vec<Arc<Event>> = Vec::new();
    let mut found = Sha256::ZERO;
    for seq in (1..=seq).rev() {
        let page = gate.events(&LogFilter::default(), PageQuery { after: seq - 1, limit: 1 }).await?;
        let event = page.events.into_iter().next().filter(|event| event.seq == seq);
        let event = event.ok_or_else(|| damaged(format!("event {seq} is missing")))?;
        if let Some(hash) = event.hash {
            found = hash;
            break;
        }
        unsealed.push(event);
    }
    Ok(unsealed.iter().rev().fold(found, |previous, event| link(previous, event)))
}

fn damaged(message: String) -> anyhow::Error {
    CliError { exit: CommandExit::FAILED, code: "log_damaged", message }.into()
}
