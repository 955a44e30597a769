//! The tools in a log with their definitions, for lists and views. The rules need only the hashes in
//! [`PinnedTools`](crate::pinned_tools::PinnedTools).

use crate::{
    call::RecordedFact,
    pinned_tools::{PinnedTool, tool_of},
};
use countersign_events::{Body, DefinitionAccepted, Event, SeenDefinition, Sha256, ToolName};
use std::collections::BTreeMap;

/// The tools in a log.
#[derive(Debug, Clone, Default)]
pub struct ToolDirectory {
    tools: BTreeMap<ToolName, ToolRecord>,
}

/// A tool with its definitions.
#[derive(Debug, Clone, Default)]
pub struct ToolRecord {
    /// The definitions' hashes, as the rules see them.
    pub pinned: PinnedTool,
    /// The definitions, the oldest first.
    pub definitions: Vec<RecordedFact<SeenDefinition>>,
    /// The acceptances, the oldest first.
    pub acceptances: Vec<RecordedFact<DefinitionAccepted>>,
}

impl ToolDirectory {
    /// Applies an event. Events about other things change nothing.
    pub fn evolve(&mut self, event: &Event, body: &Body) {
        if let Some(tool) = tool_of(body) {
            self.tools.entry(tool.clone()).or_default().evolve(event, body);
        }
    }

    /// The tool with this name.
    #[must_use]
    pub fn get(&self, tool: &ToolName) -> Option<&ToolRecord> {
        self.tools.get(tool)
    }

    /// The tools, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolName, &ToolRecord)> {
        self.tools.iter()
    }
}

impl ToolRecord {
    fn evolve(&mut self, event: &Event, body: &Body) {
        self.pinned.evolve(body);
        match body {
            Body::DefinitionSeen(seen) | Body::DefinitionChanged(seen) => {
                self.definitions.push(RecordedFact::from_event(event, seen.clone()));
            }
            Body::DefinitionAccepted(accepted) => {
                self.acceptances.push(RecordedFact::from_event(event, accepted.clone()));
            }
            _ => {}
        }
    }

    /// The definition with this hash.
    #[must_use]
    pub fn definition(&self, hash: Sha256) -> Option<&RecordedFact<SeenDefinition>> {
        self.definitions.iter().find(|seen| seen.what.definition_hash == hash)
    }

    /// Returns the human acceptance of the definition with this hash.
    #[must_use]
    pub fn acceptance(&self, hash: Sha256) -> Option<&RecordedFact<DefinitionAccepted>> {
        self.acceptances.iter().find(|accepted| accepted.what.definition_hash == hash)
    }

    /// The definition that was accepted last before the event at `seq`.
    #[must_use]
    pub fn accepted_before(&self, seq: i64) -> Option<&RecordedFact<SeenDefinition>> {
        let last = self.acceptances.iter().rev().find(|accepted| accepted.seq < seq);
        match last {
            Some(accepted) => self.definition(accepted.what.definition_hash),
            None => self.definitions.first().filter(|first| first.seq < seq),
        }
    }

    /// The last definition that no person has accepted, if it is later than the last acceptance.
    #[must_use]
    pub fn unaccepted(&self) -> Option<&RecordedFact<SeenDefinition>> {
        let accepted_at = self.acceptances.last().map_or(0, |accepted| accepted.seq);
        let last = self.definitions.last()?;
        (last.seq > accepted_at && !self.pinned.is_accepted(last.what.definition_hash)).then_some(last)
    }
}
