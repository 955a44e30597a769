//! The database as a file: its permissions, its identity, and its file system's support for write-ahead logging.

use crate::{StoreError, UnavailableDatabase};
use rustix::fs::{Access, StatFs, access, statfs, statvfs};
use std::{
    fs::{self, OpenOptions},
    io::ErrorKind,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// The least free space of a disk, in bytes: the write-ahead log has at most about half of it between two checkpoints.
const LEAST_ROOM: u64 = 64 * 1024 * 1024;

/// The files of SQLite beside the database, which exist as long as a process has it open. The last events are only in the
/// write-ahead log, and processes without a common shared memory do not see each other's locks.
const COMPANIONS: [&str; 2] = ["-wal", "-shm"];

/// The database file, with the identity that it and its companions had when they were opened.
#[derive(Debug, Clone)]
pub(crate) struct OpenFile {
    path: PathBuf,
    identity: InodeIdentity,
    companions: [Option<InodeIdentity>; 2],
}

/// The device and inode of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct InodeIdentity(u64, u64);

impl InodeIdentity {
    fn read(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|found| Self(found.dev(), found.ino()))
    }
}

impl OpenFile {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers the identity of the companion files. A connection must have read the database, which opens them.
    #[must_use]
    pub(super) fn with_companions(mut self) -> Self {
        self.companions = COMPANIONS.map(|end| InodeIdentity::read(&self.beside(end)));
        self
    }

    /// The write-ahead log's stamp; `None` while there is none.
    pub(crate) fn wal_stamp(&self) -> Option<FileStamp> {
        FileStamp::read(&self.beside("-wal"))
    }

    /// The database file's stamp.
    pub(super) fn database_stamp(&self) -> Option<FileStamp> {
        FileStamp::read(&self.path)
    }

    /// Returns true if there is a write-ahead log with content.
    pub(super) fn has_wal_content(&self) -> bool {
        fs::metadata(self.beside("-wal")).is_ok_and(|found| found.len() > 0)
    }

    /// Returns true if there is a shared-memory file, which exists while a process has the file open.
    pub(super) fn has_shared_memory(&self) -> bool {
        self.beside("-shm").exists()
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(end);
        path.into()
    }

    /// Fails if the paths no longer lead to the open files: events written to them would be lost.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        let place = || self.path.as_path().into();
        if InodeIdentity::read(&self.path) != Some(self.identity) {
            return Err(UnavailableDatabase::Gone(place()).into());
        }
        match self.lost_companions().next() {
            Some(missing) => {
                let missing = missing.display().to_string();
                Err(UnavailableDatabase::CompanionGone { place: place(), missing }.into())
            }
            None => Ok(()),
        }
    }

    /// Returns true if companion files were removed and nothing has replaced them. Then no other process works without
    /// them, and what is only in the removed files can still be moved into the database.
    pub(super) fn can_be_saved(&self) -> bool {
        InodeIdentity::read(&self.path) == Some(self.identity)
            && self.lost_companions().all(|path| !path.exists())
    }

    fn lost_companions(&self) -> impl Iterator<Item = PathBuf> {
        COMPANIONS.iter().zip(self.companions).filter_map(|(end, opened)| {
            let path = self.beside(end);
            (opened.is_some() && InodeIdentity::read(&path) != opened).then_some(path)
        })
    }
}

/// The length and time of a file. Each write changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStamp {
    length: u64,
    changed: (i64, i64),
}

impl FileStamp {
    fn read(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { length: found.len(), changed: (found.mtime(), found.mtime_nsec()) })
    }
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
    let identity = InodeIdentity(found.dev(), found.ino());
    Ok(OpenFile { path, identity, companions: [None; 2] })
}

/// Fails if less space is free than the write-ahead log may take, or a twentieth of a small disk's size.
pub(crate) fn check_room(database: &Path) -> Result<(), StoreError> {
    match read_disk_space(database) {
        Some(space) if space.free < LEAST_ROOM.min(space.whole / 20) => {
            Err(UnavailableDatabase::NearlyFull(database.into()).into())
        }
        _ => Ok(()),
    }
}

/// Disk space, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskSpace {
    /// What this user can still write.
    pub free: u64,
    /// All of it.
    pub whole: u64,
}

/// Reads the space on a database's disk; `None` if the system does not tell.
#[must_use]
pub fn read_disk_space(database: &Path) -> Option<DiskSpace> {
    let found = statvfs(folder_of(database)).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
    Some(DiskSpace { free: bytes(found.f_bavail), whole: bytes(found.f_blocks) })
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

/// The file system's name if it is a network file system, by its magic number (statfs(2)).
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
