//! The path by which this program was called.

use std::{env, io, path::PathBuf};

/// The path by which this program was called, absolute. A package manager replaces a link's target at each update, so a
/// configuration must name the link.
pub fn called_program() -> io::Result<PathBuf> {
    let called = env::args_os().next().map(PathBuf::from).unwrap_or_default();
    let found = if called.components().count() > 1 {
        Some(std::path::absolute(&called)?)
    } else {
        find_in_path(&called)
    };
    // A caller may name the program as it likes, so the path counts only if it leads to this program.
    let own = env::current_exe()?;
    let is_own = |path: &PathBuf| path.canonicalize().ok() == own.canonicalize().ok();
    Ok(found.filter(is_own).unwrap_or(own))
}

fn find_in_path(name: &PathBuf) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_absolute() && path.is_file())
}
