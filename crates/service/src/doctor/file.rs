//! Checks of the database file and its folder. They run before the database is opened, because closing another handle
//! of the file would release the SQLite locks of this process.

use crate::doctor::results::CheckResults;
use countersign_console::COPIED_FILE;
use countersign_store::{DiskSpace, LockHolder, find_lock_holder, read_disk_space};
use rustix::fs::{Access, access};
use std::{
    ffi::OsString,
    fs::Metadata,
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// `CSGN`, the application id in the SQLite header.
const OWNER: [u8; 4] = *b"CSGN";
/// A larger write-ahead log has not been checkpointed for a long time.
const MUCH_WAL: u64 = 128 * 1024 * 1024;
/// A write lock that is held for longer delays others noticeably.
const LONG_HELD: Duration = Duration::from_secs(2);
/// With less free space, the disk may be full soon.
const LITTLE_ROOM: u64 = 256 * 1024 * 1024;

/// Checks the file. Returns whether it can be opened.
pub(crate) fn check_file(path: &Path, results: &mut CheckResults) -> bool {
    let shown = path.display();
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            let remedy = "create it with `countersign serve` or `countersign run`, or use another file with --database";
            results.fail("file", format!("{shown} does not exist"), remedy);
            return false;
        }
        Err(why) => {
            results.fail("file", format!("{shown}: {why}"), "make it readable for this user");
            return false;
        }
    };
    if !ours(path, &found, results) {
        return false;
    }
    permissions(path, results);
    folder(path, results);
    companions(path, results);
    check_write_lock(find_lock_holder(path), results);
    true
}

fn ours(path: &Path, found: &Metadata, results: &mut CheckResults) -> bool {
    let shown = path.display();
    let other = "use another file with --database; nothing was changed";
    if !found.is_file() {
        results.fail("file", format!("{shown} is not a file"), other);
        return false;
    }
    let mut header = [0; 100];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof && found.len() == 0 => {
            let remedy =
                format!("create a log in it with `countersign serve` or `countersign run`; {COPIED_FILE}");
            results.fail("file", format!("{shown} is empty"), remedy);
            return false;
        }
        Err(why) => {
            results.fail("file", format!("{shown} cannot be read: {why}"), other);
            return false;
        }
        Ok(()) if !header.starts_with(b"SQLite format 3\0") => {
            results.fail("file", format!("{shown} is not an SQLite database"), other);
            return false;
        }
        Ok(()) if header[68..72] != OWNER && header[68..72] != [0; 4] => {
            results.fail("file", format!("{shown} is a database of another program"), other);
            return false;
        }
        Ok(()) => results.ok("file", format!("{shown}, {}", size(found.len()))),
    }
    true
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(end);
    PathBuf::from(name)
}

fn permissions(path: &Path, results: &mut CheckResults) {
    let files = ["", "-wal", "-shm", "-bell", "-lock"].map(|end| beside(path, end));
    let open =
        files.iter().filter(|file| std::fs::metadata(file).is_ok_and(|found| found.mode() & 0o077 != 0));
    let open: Vec<_> = open.map(|file| file.display().to_string()).collect();
    if open.is_empty() {
        results.ok("permissions", "only the owner can read and write it");
    } else {
        let files = open.join(" ");
        results.warn(
            "permissions",
            format!("users other than the owner can access {files}"),
            format!("chmod 600 {files}"),
        );
    }
}

fn folder(path: &Path, results: &mut CheckResults) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = folder.display();
    if access(path, Access::WRITE_OK).is_err() || access(folder, Access::WRITE_OK).is_err() {
        let found = format!("this user cannot write to {shown} or the file; only commands that read work");
        results.warn("folder", found, "SQLite must write both; change their owner, or run as their owner");
    } else {
        results.ok("folder", format!("{shown} is writable"));
    }
    if let Some(DiskSpace { free, .. }) = read_disk_space(path) {
        if free < LITTLE_ROOM {
            results.warn(
                "room",
                format!("{} are free", size(free)),
                "free disk space: nothing can be written to a full disk",
            );
        } else {
            results.ok("room", format!("{} are free", size(free)));
        }
    }
}

fn companions(path: &Path, results: &mut CheckResults) {
    match std::fs::metadata(beside(path, "-wal")).map(|found| found.len()) {
        Ok(length) if length > MUCH_WAL => results.warn(
            "wal",
            format!("the write-ahead log has grown to {}", size(length)),
            "a reader has kept it open for a long time: end idle programs that read the file",
        ),
        Ok(length) => results.ok("wal", format!("the size of the write-ahead log is {}", size(length))),
        Err(_) => results.ok("wal", "there is no write-ahead log, because no process has the file open"),
    }
    let bell = beside(path, "-bell");
    if !bell.exists() {
        results.ok("bell", "absent; opening the log creates it");
    } else if access(&bell, Access::WRITE_OK).is_err() && access(path, Access::WRITE_OK).is_ok() {
        let found = format!("{} is not writable", bell.display());
        results.fail(
            "bell",
            found,
            "give it to the owner of the database, or delete it while no process runs",
        );
    } else {
        results.ok("bell", "present and writable");
    }
}

/// Names a process that keeps others from writing. A transaction takes milliseconds, so a process that has held the lock for
/// seconds was stopped in one, or works on the whole log.
pub(super) fn check_write_lock(holder: Option<LockHolder>, results: &mut CheckResults) {
    match holder {
        Some(holder) if holder.held.is_none_or(|held| held >= LONG_HELD) => {
            let remedy = format!("{}: until then nothing can be written", holder.remedy);
            results.fail("lock", holder.to_string(), remedy);
        }
        _ => results.ok("lock", "no process keeps others from writing"),
    }
}

/// A size in a suitable unit.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is all that is shown")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
