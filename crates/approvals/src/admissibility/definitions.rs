//! Checks the rows about definitions of tools. They contain the whole command, so nothing has to be guessed.

use super::{compare, log_row::LogRow, row_comparison::RowComparison};
use crate::{
    decide::{self, DefinitionCommand},
    pinned_tools::PinnedTools,
};
use countersign_events::{Body, event::SeenDefinition};

/// Compares a row about a definition with the one that the rules would write.
pub(super) fn compare_definition_row(row: &LogRow, tools: &PinnedTools) -> RowComparison {
    match check_definition_row(row, tools) {
        Ok(()) => RowComparison::Same(1),
        Err(reason) => RowComparison::Different { position: 0, reason },
    }
}

fn check_definition_row(row: &LogRow, tools: &PinnedTools) -> Result<(), String> {
    let command = match &row.body {
        Body::DefinitionSeen(seen) | Body::DefinitionChanged(seen) => {
            check_hash(seen)?;
            DefinitionCommand::Define(vec![seen.clone()])
        }
        Body::DefinitionAccepted(accepted) => DefinitionCommand::Accept(accepted.clone()),
        _ => return Err("it is not about the definition of a tool".to_owned()),
    };
    let expected = decide::decide_on_definitions(&command, &row.event.principal, tools)
        .map_err(|refused| refused.to_string())?;
    match expected.first() {
        Some(new) => compare::check_row(new, row),
        None => Err("the log has this fact already, or keeps no more definitions of this tool".to_owned()),
    }
}

/// A definition that is there as it was sent has the hash that its row says.
fn check_hash(seen: &SeenDefinition) -> Result<(), String> {
    let Some(definition) = seen.definition.as_ref().filter(|_| !seen.redacted) else { return Ok(()) };
    match definition.identity(seen.annotations.as_ref()) {
        Some(hash) if hash == seen.definition_hash => Ok(()),
        Some(hash) => Err(format!("its definition has the hash {hash}")),
        None => Err("it has neither a description nor a schema".to_owned()),
    }
}
