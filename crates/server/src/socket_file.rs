//! The file of a socket: it replaces a stale one, is removed at the end, and is never one of another process.

use socket2::{Domain, SockAddr, Socket, Type};
use std::{
    fs::{self, File, Metadata, OpenOptions, Permissions},
    io,
    os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};
use tokio::net::UnixListener;

/// How many connections may wait to be taken.
pub(crate) const BACKLOG: i32 = 1024;

/// A file that goes with this. It has to go while the socket is still listened on: until then no other process
/// takes its place, and no other file can have its number.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    identity: FileIdentity,
}

/// The identity of a file, which no other existing file has.
type FileIdentity = (u64, u64);

fn file_identity(file: &Metadata) -> FileIdentity {
    (file.dev(), file.ino())
}

impl SocketFile {
    /// Listens on a file of that name. Only this user gets to the socket: its mode is set before anybody
    /// can connect to it.
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
            tracing::debug!(%error, path = %self.path.display(), "the socket's file is gone or stays");
        }
    }
}

/// The right to put a file there or take it away, which one process has at a time: what one finds left
/// behind, another might just have replaced. It is a lock on a file beside it, which goes in the end.
struct SocketFileLock {
    lock_path: PathBuf,
    /// Locked as long as it is open.
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
            let there = fs::metadata(&lock_path).ok();
            if there.is_some_and(|there| {
                file.metadata().is_ok_and(|mine| file_identity(&there) == file_identity(&mine))
            }) {
                return Ok(Self { lock_path, _file: file });
            }
        }
    }
}

impl Drop for SocketFileLock {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.lock_path) {
            tracing::debug!(%error, path = %self.lock_path.display(), "the lock's file stays");
        }
    }
}

/// A process that was killed leaves its socket behind, without a listener. A socket with a listener, and a file
/// that is not a socket, stays.
fn remove_stale(path: &Path) -> io::Result<()> {
    let Ok(found) = fs::symlink_metadata(path) else { return Ok(()) };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists and is not a socket"));
    }
    let probe = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    // One that has more connections than it takes would have this one wait, and the others for the turn.
    probe.set_nonblocking(true)?;
    match probe.connect(&SockAddr::unix(path)?) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "another process answers there")),
    }
}
