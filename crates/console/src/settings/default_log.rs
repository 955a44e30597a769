//! The default log: `./countersign.db` if it exists, otherwise one log per user. With one log per user, a call that is
//! proposed in one folder is seen by a server or an approver in another.

use crate::{CliError, CommandExit, read_variable};
use std::{
    ffi::OsStr,
    fs::DirBuilder,
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

/// The file name, in the current folder or in the data folder.
const FILE_NAME: &str = "countersign.db";

/// The folder for data below the home folder, if `XDG_DATA_HOME` is not set.
const DATA_FOLDER: &str =
    if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };

/// Returns the default log's path, which may not exist yet. Fails if the environment names no folder for it.
pub fn find_default_log() -> anyhow::Result<PathBuf> {
    let local = Path::new(FILE_NAME);
    if local.exists() {
        return Ok(local.to_path_buf());
    }
    let (data, home) = (read_variable("XDG_DATA_HOME"), read_variable("HOME"));
    user_log(data.as_deref(), home.as_deref()).ok_or_else(no_data_folder)
}

/// The log of this user. A relative path is ignored, as the XDG base directory specification demands: it would lead to
/// another log in each folder.
fn user_log(data: Option<&OsStr>, home: Option<&OsStr>) -> Option<PathBuf> {
    let absolute = |path: Option<&OsStr>| path.map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute(data).or_else(|| absolute(home).map(|home| home.join(DATA_FOLDER)))?;
    Some(data.join("countersign").join(FILE_NAME))
}

/// Returns the path of another file of this user beside the default log; `None` if the environment names no folder.
#[must_use]
pub(crate) fn find_data_file(name: &str) -> Option<PathBuf> {
    let (data, home) = (read_variable("XDG_DATA_HOME"), read_variable("HOME"));
    user_log(data.as_deref(), home.as_deref()).map(|log| log.with_file_name(name))
}

fn no_data_folder() -> anyhow::Error {
    let message = "there is no folder for the log: neither HOME nor XDG_DATA_HOME is an absolute path; \
                   set one of them, or name the log with --database or COUNTERSIGN_DATABASE"
        .to_owned();
    CliError { exit: CommandExit::USAGE, code: "no_data_folder", message }.into()
}

/// Creates the default log's folder, with access for its owner only.
pub(crate) fn create_data_folder(log: &Path) -> anyhow::Result<()> {
    let Some(folder) = log.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let created = DirBuilder::new().mode(0o700).recursive(true).create(folder);
    created.map_err(|why: io::Error| {
        let message = format!(
            "the folder {} for the log cannot be created: {why}; correct XDG_DATA_HOME or HOME, or name another log with --database",
            folder.display()
        );
        CliError { exit: CommandExit::UNAVAILABLE, code: "no_folder", message }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_of(data: &str, home: &str) -> Option<String> {
        let set = |text: &'static str| (!text.is_empty()).then(|| OsStr::new(text));
        let (data, home) = (data.to_owned().leak(), home.to_owned().leak());
        user_log(set(data), set(home)).map(|path| path.display().to_string())
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn user_log_follows_the_xdg_specification() {
        let path = |path: &str| Some(path.to_owned());
        assert_eq!(log_of("/data", "/home/ada"), path("/data/countersign/countersign.db"));
        assert_eq!(log_of("", "/home/ada"), path("/home/ada/.local/share/countersign/countersign.db"));
        assert_eq!(log_of("data", "/home/ada"), path("/home/ada/.local/share/countersign/countersign.db"));
    }

    #[test]
    fn user_log_without_absolute_folder_is_unknown() {
        assert_eq!(log_of("", ""), None);
        assert_eq!(log_of("data", "."), None);
    }
}
