//! The database as a file: its permissions, its identity, and the support of its file system for write-ahead logging.

use crate::{StoreError, UnavailableDatabase};
use rustix::fs::{Access, StatFs, access, statfs};
use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The database file, with the identity that it had when it was opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl OpenFile {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length and time of the write-ahead log; `None` while there is none.
    pub(crate) fn stamp(&self) -> Option<WalStamp> {
        let found = fs::metadata(self.beside("-wal")).ok()?;
        Some(WalStamp { length: found.len(), changed: (found.mtime(), found.mtime_nsec()) })
    }

    /// True if there is a write-ahead log with content.
    pub(super) fn has_wal_content(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|found| found.len() > 0)
    }

    /// True if there is a file of shared memory, which exists while a process has the file open.
    pub(super) fn has_shared_memory(&self) -> bool {
        self.beside("-shm").exists()
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(end);
        path.into()
    }

    /// Fails if the path no longer leads to the open file: events written to it would be lost.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match fs::metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == self.identity => Ok(()),
            _ => Err(UnavailableDatabase::Gone(self.path.as_path().into()).into()),
        }
    }
}

/// The length and time of the write-ahead log. Each write changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalStamp {
    length: u64,
    changed: (i64, i64),
}

/// Finds the file, or creates it with access for its owner only. Returns true if it was created.
pub(crate) fn create(path: &Path, create: bool) -> Result<(OpenFile, bool), StoreError> {
    let mut created = false;
    if create {
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Ok(_) => {
                keep_name(path);
                created = true;
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(cannot_create(path, &e)),
        }
    }
    Ok((find(path)?, created))
}

/// Finds the file.
pub(super) fn find(path: &Path) -> Result<OpenFile, StoreError> {
    let found = fs::canonicalize(path).and_then(|path| fs::metadata(&path).map(|found| (path, found)));
    let (path, found) = match found {
        Ok(found) => found,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Err(UnavailableDatabase::Missing(path.into()).into());
        }
        Err(e) => return Err(cannot_create(path, &e)),
    };
    if !found.is_file() {
        return Err(StoreError::NotCountersign {
            place: path.as_path().into(),
            why: "it is not a file".to_owned(),
        });
    }
    if found.mode() & 0o077 != 0 {
        let mode = format!("{:o}", found.mode() & 0o777);
        tracing::warn!(path = %path.display(), mode, "others than its owner can read the database: chmod 600 it");
    }
    let identity = (found.dev(), found.ino());
    Ok(OpenFile { path, identity })
}

/// Fails if this user cannot write to the file and its folder.
pub(super) fn check_writable(file: &OpenFile) -> Result<(), StoreError> {
    let path = file.path();
    // `access` instead of an attempt: closing a file drops the locks that other connections of this process hold on it.
    if access(path, Access::WRITE_OK).is_err() || access(folder_of(path), Access::WRITE_OK).is_err() {
        return Err(UnavailableDatabase::ReadOnly(path.into()).into());
    }
    Ok(())
}

/// Syncs the folder, so that a new file keeps its name after power loss. SQLite does this only for files that it
/// creates. An error is ignored, because there is no other remedy.
fn keep_name(path: &Path) {
    let _ = fs::File::open(folder_of(path)).and_then(|folder| folder.sync_all());
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(crate) fn cannot_create(path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            UnavailableDatabase::ReadOnly(path.into()).into()
        }
        ErrorKind::StorageFull => UnavailableDatabase::Full(path.into()).into(),
        _ => StoreError::NoFolder { place: path.into(), why: error.to_string() },
    }
}

/// Rejects network file systems. On these, write-ahead logging seems to work while one machine uses the file, and loses
/// events when two do.
pub(crate) fn check_file_system(path: &Path) -> Result<(), StoreError> {
    match statfs(folder_of(path)).ok().as_ref().and_then(network_file_system) {
        Some(name) => Err(StoreError::NoWal { place: path.into(), file_system: name.to_owned() }),
        None => Ok(()),
    }
}

/// The name of the file system if it is a network file system, by its magic number (statfs(2)).
fn network_file_system(found: &StatFs) -> Option<&'static str> {
    network_name(u64::try_from(found.f_type).ok()? & 0xffff_ffff)
}

const fn network_name(magic: u64) -> Option<&'static str> {
    match magic {
        0x6969 => Some("NFS"),
        0xff53_4d42 => Some("CIFS"),
        0xfe53_4d42 => Some("SMB"),
        0x517b => Some("SMB (smbfs)"),
        0x5346_414f => Some("AFS"),
        0x00c3_6400 => Some("Ceph"),
        0x0102_1997 => Some("9P"),
        0x0bd0_0bd0 => Some("Lustre"),
        0x0116_1970 => Some("GFS2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_number_identifies_network_file_system() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xef53), None, "ext4");
        assert_eq!(network_name(0x0102_1994), None, "tmpfs");
    }
}
