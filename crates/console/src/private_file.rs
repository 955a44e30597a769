//! Files that only their owner can read. They get their names when they are complete, so a killed process leaves no part.

use rustix::fs::{AtFlags, CWD};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::{fd::AsRawFd, unix::fs::OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Replaces a file that only its owner can read in one step, so that a crash leaves the old one. The caller holds a lock that
/// all writers of the file take, so the new file always has the same name.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let fresh = fresh_name(path);
    remove_unfinished(path);
    let written = create_private(&fresh, text).and_then(|()| fs::rename(&fresh, path));
    if written.is_err() {
        let _ = fs::remove_file(&fresh);
    }
    written
}

/// Removes what a process has left that was killed while it replaced the file. The caller holds the lock.
pub(crate) fn remove_unfinished(path: &Path) {
    let _ = fs::remove_file(fresh_name(path));
}

fn fresh_name(path: &Path) -> PathBuf {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    fresh.into()
}

/// Creates a file that only its owner can read. It gets its name when it is complete: a process that is killed before leaves
/// no file. Fails with [`io::ErrorKind::AlreadyExists`] if there is one.
pub fn create_private(path: &Path, text: &str) -> io::Result<()> {
    let write_all = |mut file: &File| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(unnamed) = open_unnamed(folder) else {
        let named = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        return write_all(&named);
    };
    write_all(&unnamed)?;
    let descriptor = format!("/proc/self/fd/{}", unnamed.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, descriptor, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Opens a file without a name; `None` if the system or the file system has only files with names.
#[cfg(target_os = "linux")]
fn open_unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::RUSR | Mode::WUSR).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
fn open_unnamed(_: &Path) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn private_file_is_replaced_but_not_created_twice() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(folder.path().join("file.new"), "left by a killed process").expect("written");
        for text in ["one", "two"] {
            write_private(&path, text).expect("written");
            assert_eq!(fs::read_to_string(&path).expect("reads"), text);
        }
        let refused = create_private(&path, "three").expect_err("it exists").kind();
        assert_eq!(
            (refused, fs::read_to_string(&path).expect("reads").as_str()),
            (io::ErrorKind::AlreadyExists, "two")
        );
        assert_eq!(fs::metadata(&path).expect("exists").permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).expect("reads").count(), 1, "nothing else is left");
    }
}
