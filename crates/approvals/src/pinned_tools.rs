//! The definitions of tools that the log knows, and which of them people have accepted.
//!
//! The first definition of each tool is accepted as it is. From then on, grants and modes answer only calls that come
//! with an accepted definition: a server cannot change what a tool says or does after it was approved.

use countersign_events::{Body, ChangedDefinition, Json, SeenDefinition, Sha256, ToolDefinition, ToolName};
use countersign_redaction::Redactor;
use std::collections::{HashMap, HashSet};

/// The maximum number of definitions per tool that are recorded before a person accepts one. Further ones are also
/// treated as changed.
pub const MAX_UNACCEPTED: usize = 64;

/// The largest definition that the log keeps. Of a larger one it keeps the hash.
const MAX_DEFINITION_BYTES: usize = 128 * 1024;

/// The tools whose definitions were read.
#[derive(Debug, Clone, Default)]
pub struct PinnedTools {
    tools: HashMap<ToolName, PinnedTool>,
    /// Whether the log is read from its start, so that each tool is read.
    are_all_read: bool,
}

/// The definitions of one tool, by their hashes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinnedTool {
    /// The accepted definitions. None of them is ever taken back.
    accepted: HashSet<Sha256>,
    /// The one that was accepted last.
    last_accepted: Option<Sha256>,
    /// The definitions that were recorded as changed.
    changed: HashSet<Sha256>,
    /// The number of changed definitions since the last one was accepted.
    since_accepted: usize,
}

impl PinnedTools {
    /// The tools in a log that is read from its start.
    pub(crate) fn of_new_log() -> Self {
        Self { are_all_read: true, ..Self::default() }
    }

    /// Applies an event, if the tool was read. Events about other things change nothing.
    pub fn evolve(&mut self, body: &Body) {
        let Some(tool) = tool_of(body) else { return };
        if self.are_all_read && !self.tools.contains_key(tool) {
            self.begin_tool(tool);
        }
        if let Some(pinned) = self.tools.get_mut(tool) {
            pinned.evolve(body);
        }
    }

    /// Records that the events about this tool are read.
    pub(crate) fn begin_tool(&mut self, tool: &ToolName) {
        self.tools.insert(tool.clone(), PinnedTool::default());
    }

    /// The tool, if it was read.
    #[must_use]
    pub fn get(&self, tool: &ToolName) -> Option<&PinnedTool> {
        self.tools.get(tool)
    }
}

/// The tool, if the event is about the definition of one.
#[must_use]
pub const fn tool_of(body: &Body) -> Option<&ToolName> {
    match body {
        Body::DefinitionSeen(seen) | Body::DefinitionChanged(seen) => Some(&seen.tool),
        Body::DefinitionAccepted(accepted) => Some(&accepted.tool),
        _ => None,
    }
}

impl PinnedTool {
    /// Applies an event about this tool.
    pub fn evolve(&mut self, body: &Body) {
        match body {
            Body::DefinitionSeen(seen) => self.accept(seen.definition_hash),
            Body::DefinitionChanged(seen) => {
                self.changed.insert(seen.definition_hash);
                self.since_accepted += 1;
            }
            Body::DefinitionAccepted(accepted) => self.accept(accepted.definition_hash),
            _ => {}
        }
    }

    fn accept(&mut self, hash: Sha256) {
        self.accepted.insert(hash);
        self.last_accepted = Some(hash);
        self.since_accepted = 0;
    }

    /// Returns true if the log knows a tool definition.
    #[must_use]
    pub const fn is_known(&self) -> bool {
        self.last_accepted.is_some()
    }

    /// Returns true if a definition is accepted.
    #[must_use]
    pub fn is_accepted(&self, hash: Sha256) -> bool {
        self.accepted.contains(&hash)
    }

    /// Returns true if the log has an event about the definition.
    #[must_use]
    pub fn has_seen(&self, hash: Sha256) -> bool {
        self.is_accepted(hash) || self.changed.contains(&hash)
    }

    /// Returns true if no further changed definition is recorded until a person accepts one.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.since_accepted >= MAX_UNACCEPTED
    }

    /// The hash of the last accepted definition.
    #[must_use]
    pub const fn last_accepted(&self) -> Option<Sha256> {
        self.last_accepted
    }

    /// The change that a call with this definition makes; `None` if it is accepted, or the first one.
    #[must_use]
    pub fn change(&self, hash: Sha256) -> Option<ChangedDefinition> {
        let accepted_hash = self.last_accepted.filter(|_| !self.is_accepted(hash))?;
        Some(ChangedDefinition { definition_hash: hash, accepted_hash })
    }
}

/// A definition as the log keeps it, with its secrets masked. `None` without a description and a schema.
#[must_use]
pub fn seen_definition(
    tool: &ToolName,
    definition: &ToolDefinition,
    annotations: Option<&Json>,
    redactor: &Redactor,
) -> Option<SeenDefinition> {
    let definition_hash = definition.identity(annotations)?;
    let size = definition.description.as_ref().map_or(0, String::len)
        + definition.input_schema.as_ref().map_or(0, |schema| schema.as_str().len())
        + annotations.map_or(0, |json| json.as_str().len());
    if size > MAX_DEFINITION_BYTES {
        let (definition, annotations) = (None, None);
        return Some(SeenDefinition {
            tool: tool.clone(),
            definition_hash,
            definition,
            annotations,
            redacted: false,
        });
    }
    let description = definition.description.as_deref().and_then(|text| redactor.redact_text(text));
    let masked = annotations.and_then(|json| redactor.redact_json(json)).map(|masked| masked.json);
    Some(SeenDefinition {
        tool: tool.clone(),
        definition_hash,
        redacted: description.is_some() || masked.is_some(),
        definition: Some(ToolDefinition {
            description: description.or_else(|| definition.description.clone()),
            input_schema: definition.input_schema.clone(),
            needs_approval: None,
        }),
        annotations: masked.or_else(|| annotations.cloned()),
    })
}
