//! The place of a call by an agent that was started in this folder.

use crate::call_place::{current_place, project_of};
use countersign_console::CommandContext;
use countersign_events::Place;
use std::path::Path;

/// The place of a call by an agent that was started in this folder.
pub(super) fn agent_place(context: &CommandContext) -> anyhow::Result<Place> {
    let here = current_place(context)?;
    let project = here.folder.as_deref().map(Path::new).and_then(project_of);
    Ok(Place { project, ..here })
}
