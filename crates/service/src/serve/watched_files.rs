//! Watching files that the server reads again when they change.

use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::sync::Notify;

/// The pause after a file change: programs write a file in several steps.
pub(super) const SETTLE: Duration = Duration::from_millis(100);

/// Wakes `changed` whenever something in the folder of `path`, or in one of the other folders, changes. It watches the
/// folder, because editors replace a file instead of writing to it. The watch ends with the returned value.
pub(super) fn watch_folder_of(
    path: &Path,
    other_folders: &[PathBuf],
    changed: &Arc<Notify>,
) -> notify::Result<RecommendedWatcher> {
    let changed = Arc::clone(changed);
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| !event.kind.is_access()) {
            changed.notify_one();
        }
    })?;
    watcher.watch(&folder_of(path), RecursiveMode::NonRecursive)?;
    for folder in other_folders {
        // The folder may appear later.
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
    Ok(watcher)
}

/// The folder of a file.
pub(super) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}
