//! The folder of the demo. It is removed at the end unless it is kept.

use crate::exit::CliError;
use countersign_api::random_id;
use countersign_tui::present::text::escape_text;
use std::{
    fs::{DirBuilder, remove_dir_all},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

pub(crate) struct DemoFolder {
    path: PathBuf,
    kept: bool,
}

impl DemoFolder {
    /// Uses the named folder if it is empty, or creates a temporary one.
    pub(crate) fn make(wanted: Option<&Path>, keep: bool) -> anyhow::Result<Self> {
        let path = match wanted {
            Some(path) => path.to_path_buf(),
            None => std::env::temp_dir().join(random_id("countersign-demo-")),
        };
        let made = DirBuilder::new().mode(0o700).recursive(wanted.is_some()).create(&path);
        made.map_err(|why| cannot(&path, &why))?;
        let path = path.canonicalize().map_err(|why| cannot(&path, &why))?;
        let mut files = path.read_dir().map_err(|why| cannot(&path, &why))?;
        if files.next().is_some() {
            let message =
                format!("--folder: {} is not empty; the demo needs an empty folder", path.display());
            return Err(CliError::usage(message).into());
        }
        Ok(Self { path, kept: keep || wanted.is_some() })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(crate) fn shown(&self) -> String {
        escape_text(&self.path.display().to_string())
    }

    /// True if the folder is kept in any case.
    pub(crate) fn stays(&self) -> bool {
        self.kept
    }

    /// Removes the folder unless it is kept.
    pub(crate) fn drop_unwanted(&self) -> io::Result<()> {
        if self.kept { Ok(()) } else { remove_dir_all(&self.path) }
    }
}

fn cannot(path: &Path, why: &io::Error) -> CliError {
    CliError::usage(format!("the folder {} cannot be used: {why}", path.display()))
}
