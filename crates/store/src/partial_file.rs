//! A file with a temporary name, which gets its final name when it is complete and on disk.

use crate::{StoreError, database::sqlite::cannot_create};
use std::{
    fs::{self, File, OpenOptions},
    io::ErrorKind,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// A file that is not complete. It is removed when this is dropped.
pub(crate) struct PartialFile {
    path: PathBuf,
    target: PathBuf,
}

impl PartialFile {
    /// Creates the file beside its later name, with access for its owner only.
    pub(crate) fn create(target: &Path) -> Result<Self, StoreError> {
        let mut name = target.to_path_buf().into_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let path = PathBuf::from(name);
        let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let part = Self { path, target: target.to_owned() };
        created.map(|_| part).map_err(|e| cannot_create(target, &e))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> Result<String, StoreError> {
        let text = self.path.to_str().map(str::to_owned);
        text.ok_or_else(|| StoreError::BadAddress {
            why: "the path of a file must be valid UTF-8".to_owned(),
        })
    }

    /// Opens the file to write to it.
    pub(crate) fn open(&self) -> Result<File, StoreError> {
        let opened = OpenOptions::new().write(true).open(&self.path);
        opened.map_err(|e| cannot_create(&self.target, &e))
    }

    /// Syncs the file and gives it its name, if no other file has that name by now.
    pub(crate) fn keep(self) -> Result<(), StoreError> {
        let target = &self.target;
        self.sync()?;
        match fs::hard_link(&self.path, target) {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {
                return Err(StoreError::TargetExists { place: target.as_path().into() });
            }
            // Some file systems have no hard links.
            Err(_) => fs::rename(&self.path, target).map_err(|e| cannot_create(target, &e))?,
        }
        self.sync_folder()
    }

    /// Syncs the file and replaces the file with its name, if there is one.
    pub(crate) fn replace(self) -> Result<(), StoreError> {
        self.sync()?;
        fs::rename(&self.path, &self.target).map_err(|e| cannot_create(&self.target, &e))?;
        self.sync_folder()
    }

    fn sync(&self) -> Result<(), StoreError> {
        let synced = File::open(&self.path).and_then(|file| file.sync_all());
        synced.map_err(|e| cannot_create(&self.target, &e))
    }

    fn sync_folder(&self) -> Result<(), StoreError> {
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let synced = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        synced.map_err(|e| cannot_create(&self.target, &e))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        // SQLite leaves its journal if it fails to write the file.
        let mut journal = self.path.clone().into_os_string();
        journal.push("-journal");
        let _ = fs::remove_file(journal);
    }
}
