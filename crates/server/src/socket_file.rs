//! Socket files. A new file replaces one that a killed process left behind, and is removed at the end. A file of
//! another running process is never replaced or removed.

use socket2::{Domain, SockAddr, Socket, Type};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};
use tokio::net::UnixListener;

/// The most connections that may wait to be accepted.
pub(crate) const BACKLOG: i32 = 1024;

/// A socket file that is removed when this value is dropped. Drop it while the socket still listens: until then, no
/// other process replaces the file, and no other file can have its inode number.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: FileIdentity,
}

/// The device and inode number, which identify an existing file.
type FileIdentity = (u64, u64);

fn file_identity(file: &Metadata) -> FileIdentity {
    (file.dev(), file.ino())
}

impl SocketFile {
    /// Creates the file and listens on it. The mode is set before the socket listens, so that no other user can
    /// connect at any moment.
    pub(crate) fn listen(path: &Path) -> io::Result<(UnixListener, Self)> {
        let _lock = SocketFileLock::acquire(path)?;
        remove_stale(path)?;
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.bind(&SockAddr::unix(path)?)?;
        fs::set_permissions(path, Permissions::from_mode(0o600))?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        let file = Self { path: path.to_owned(), identity: file_identity(&fs::symlink_metadata(path)?) };
        Ok((UnixListener::from_std(socket.into())?, file))
    }

    fn remove(&self) -> io::Result<()> {
        let _lock = SocketFileLock::acquire(&self.path)?;
        if file_identity(&fs::symlink_metadata(&self.path)?) == self.identity {
            fs::remove_file(&self.path)?;
        }
        Ok(())
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = self.remove() {
            tracing::debug!(%error, path = %self.path.display(), "cannot remove the socket file");
        }
    }
}

/// The exclusive right to create or remove the socket file. Without it, a process could remove as stale a file that
/// another process has just replaced. It is a lock on a file beside the socket file, removed when dropped.
struct SocketFileLock {
    lock_path: PathBuf,
    /// The lock lasts as long as this file is open.
    _file: File,
}

impl SocketFileLock {
    fn acquire(path: &Path) -> io::Result<Self> {
        let mut lock_path = path.as_os_str().to_owned();
        lock_path.push(".lock");
        let lock_path = PathBuf::from(lock_path);
        loop {
            let file =
                OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&lock_path)?;
            file.lock()?;
            // The previous holder removes the file, and a lock on a removed file excludes no other process.
            let existing = fs::metadata(&lock_path).ok();
            if existing.is_some_and(|existing| {
                file.metadata().is_ok_and(|locked| file_identity(&existing) == file_identity(&locked))
            }) {
                return Ok(Self { lock_path, _file: file });
            }
        }
    }
}

impl Drop for SocketFileLock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.lock_path) {
            tracing::debug!(%error, path = %self.lock_path.display(), "cannot remove the lock file");
        }
    }
}

/// Removes the socket file of a killed process, which has no listener. Fails if the file is not a socket or a process
/// listens on it.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists and is not a socket"));
    }
    let probe = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // Do not block: if the listener's backlog is full, a blocking connect would wait while this process holds the lock.
    probe.set_nonblocking(true)?;
    match probe.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "another process answers there")),
    }
}
