//! Where the calls of this process run, and the thread that they share without an option.

use countersign_api::{Place, random_id};
use countersign_coding_agents::hook::find_project;
use countersign_console::{CommandContext, read_variable};
use countersign_events::Sha256;
use std::path::{Path, PathBuf};

/// The number of hash digits in a thread name.
const THREAD_DIGITS: usize = 12;

/// The folder and the machine in which this process runs.
pub(crate) fn current_place(context: &CommandContext) -> anyhow::Result<Place> {
    let folder = std::env::current_dir()?;
    Ok(Place { host: context.host_name(), ..Place::folder(folder.to_string_lossy()) })
}

/// The project of an agent that is started in the folder.
pub(crate) fn project_of(start: &Path) -> Option<String> {
    let home = read_variable("HOME").map(PathBuf::from);
    find_project(start, home.as_deref())
}

/// The thread without `--thread`. A folder is usually a project, so its thread outlives the process, and an approval that came
/// meanwhile is found. The home folder and `/` are where desktop programs start servers: a thread of theirs would never end, so
/// each start has its own. `identity` is a hash over where the calls run.
pub(crate) fn default_thread(begin: &str, identity: Sha256, here: &Place) -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    if here.folder.as_ref().is_none_or(|folder| *folder == home || folder == "/") {
        return random_id(&format!("{begin}-"));
    }
    let digest = identity.to_string();
    format!("{begin}-{}", digest.get(..THREAD_DIGITS).unwrap_or(&digest))
}
