//! The rules about tool definitions: agents and proposals record those that they see, and people accept them.

use super::{AdmissionContext, LogRegistry, wrong_group};
use crate::{
    DecisionContext, NewEvent, Refused,
    decide::{ProposeCommand, check_is_person},
    pinned_tools::{PinnedTool, PinnedTools, seen_definition, tool_of},
};
use countersign_events::{Body, Event, SeenDefinition};
use std::collections::HashSet;

/// The maximum number of tools that one command records.
pub const MAX_DEFINED: usize = 1_000;

/// The maximum length of a comment, in bytes.
const MAX_COMMENT_BYTES: usize = 8_192;

/// The tools must have been read.
impl LogRegistry for PinnedTools {
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused> {
        match fact {
            Body::DefinitionSeen(seen) | Body::DefinitionChanged(seen) => {
                check_hash(&seen)?;
                Ok(record(&seen, self.get(&seen.tool)))
            }
            Body::DefinitionAccepted(accepted) => {
                check_is_person(context.by)?;
                let known = self.get(&accepted.tool).filter(|tool| tool.is_known());
                let known = known.ok_or_else(|| Refused::UnknownTool { tool: accepted.tool.clone() })?;
                if known.is_accepted(accepted.definition_hash) {
                    return Ok(None);
                }
                if !known.has_seen(accepted.definition_hash) {
                    let (tool, hash) = (accepted.tool, accepted.definition_hash);
                    return Err(Refused::UnknownDefinition { tool, hash });
                }
                if accepted.comment.as_ref().is_some_and(|comment| comment.len() > MAX_COMMENT_BYTES) {
                    let why = format!("it is longer than {MAX_COMMENT_BYTES} bytes");
                    return Err(Refused::invalid("comment", &why));
                }
                Ok(Some(Body::DefinitionAccepted(accepted)))
            }
            _ => Err(wrong_group()),
        }
    }

    fn check_together(&self, facts: &[Body]) -> Result<(), Refused> {
        if facts.len() > MAX_DEFINED {
            return Err(Refused::invalid("tools", &format!("name up to {MAX_DEFINED} tools at once")));
        }
        let mut names = HashSet::new();
        match facts.iter().filter_map(tool_of).find(|tool| !names.insert(*tool)) {
            Some(twice) => Err(Refused::invalid("tools", &format!("the tool {twice} is named twice"))),
            None => Ok(()),
        }
    }

    fn evolve(&mut self, _event: &Event, body: &Body) {
        Self::evolve(self, body);
    }
}

/// Checks that a definition that is there as it was sent has the hash that the fact says.
fn check_hash(seen: &SeenDefinition) -> Result<(), Refused> {
    let Some(definition) = seen.definition.as_ref().filter(|_| !seen.redacted) else { return Ok(()) };
    match definition.identity(seen.annotations.as_ref()) {
        Some(hash) if hash == seen.definition_hash => Ok(()),
        Some(hash) => Err(Refused::invalid("definitionHash", &format!("its definition has the hash {hash}"))),
        None => Err(Refused::invalid("definition", "it has neither a description nor a schema")),
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
