//! Definitions of tools: record those that are seen, which agents and proposals do, and accept one, which people do.

use super::{DecisionContext, NewEvent, ProposeCommand, eligible};
use crate::{
    Refused,
    pinned_tools::{PinnedTool, PinnedTools, seen_definition},
};
use countersign_events::{
    Body, Principal, ToolName,
    event::{DefinitionAccepted, SeenDefinition},
};
use std::collections::HashSet;

/// The most tools that one command records.
pub const MAX_DEFINED: usize = 1_000;

/// The longest comment, in bytes.
const MAX_COMMENT_BYTES: usize = 8_192;

/// A command about the definitions of tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DefinitionCommand {
    /// Record definitions, as far as the log does not have them.
    Define(Vec<SeenDefinition>),
    /// Accept a definition.
    Accept(DefinitionAccepted),
}

impl DefinitionCommand {
    /// The tools that the command is about.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &ToolName> {
        let (seen, accepted) = match self {
            Self::Define(seen) => (&seen[..], None),
            Self::Accept(accepted) => (&[][..], Some(&accepted.tool)),
        };
        seen.iter().map(|seen| &seen.tool).chain(accepted)
    }
}

/// Decides on a command about definitions. The tools must have been read.
pub(crate) fn decide_on_definitions(
    command: &DefinitionCommand,
    by: &Principal,
    tools: &PinnedTools,
) -> Result<Vec<NewEvent>, Refused> {
    match command {
        DefinitionCommand::Define(seen) => {
            check_defined(seen)?;
            let bodies = seen.iter().filter_map(|seen| record(seen, tools.get(&seen.tool)));
            Ok(bodies.map(|body| NewEvent::new(by, body)).collect())
        }
        DefinitionCommand::Accept(accepted) => {
            eligible::check_is_person(by)?;
            let known = tools.get(&accepted.tool).filter(|tool| tool.is_known());
            let known = known.ok_or_else(|| Refused::UnknownTool { tool: accepted.tool.clone() })?;
            if known.is_accepted(accepted.definition_hash) {
                return Ok(Vec::new());
            }
            if !known.has_seen(accepted.definition_hash) {
                return Err(Refused::UnknownDefinition {
                    tool: accepted.tool.clone(),
                    hash: accepted.definition_hash,
                });
            }
            if accepted.comment.as_ref().is_some_and(|comment| comment.len() > MAX_COMMENT_BYTES) {
                let why = format!("it is longer than {MAX_COMMENT_BYTES} bytes");
                return Err(Refused::Invalid { field: "comment", why });
            }
            Ok(vec![NewEvent::new(by, Body::DefinitionAccepted(accepted.clone()))])
        }
    }
}

fn check_defined(seen: &[SeenDefinition]) -> Result<(), Refused> {
    let invalid = |why: String| Refused::Invalid { field: "tools", why };
    if seen.len() > MAX_DEFINED {
        return Err(invalid(format!("name up to {MAX_DEFINED} tools at once")));
    }
    let mut names = HashSet::new();
    match seen.iter().find(|seen| !names.insert(&seen.tool)) {
        Some(twice) => Err(invalid(format!("the tool {} is named twice", twice.tool))),
        None => Ok(()),
    }
}

/// The event about a definition; `None` if the log has it, or keeps no more of this tool.
fn record(seen: &SeenDefinition, known: Option<&PinnedTool>) -> Option<Body> {
    match known.filter(|known| known.is_known()) {
        None => Some(Body::DefinitionSeen(seen.clone())),
        Some(known) if known.has_seen(seen.definition_hash) || known.is_full() => None,
        Some(_) => Some(Body::DefinitionChanged(seen.clone())),
    }
}

/// The event about the definition that a proposal comes with.
pub(crate) fn record_proposed(propose: &ProposeCommand, context: &DecisionContext<'_>) -> Option<NewEvent> {
    let definition = propose.definition.as_ref()?;
    let redactor = context.policy.redactor();
    let seen = seen_definition(&propose.name, definition, propose.annotations.as_ref(), redactor)?;
    record(&seen, context.pinned).map(|body| NewEvent::new(context.by, body))
}
