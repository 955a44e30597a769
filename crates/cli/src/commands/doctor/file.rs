//! The file, its companions and its folder, looked at from outside: before it is opened, because closing
//! one's own look at it would take away the locks of whoever has it open in this process.

use crate::commands::doctor::results::CheckResults;
use rustix::fs::{Access, access, statvfs};
use std::{
    ffi::OsString,
    fs::Metadata,
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// `CSGN`, where SQLite keeps a file's owner.
const OWNER: [u8; 4] = *b"CSGN";
/// Beyond this the write-ahead log was not folded into the database for long.
const MUCH_WAL: u64 = 128 * 1024 * 1024;
/// With less room than this the next hour may fill the disk.
const LITTLE_ROOM: u64 = 256 * 1024 * 1024;

/// Looks at it. Whether it is worth opening.
pub(crate) fn look(path: &Path, results: &mut CheckResults) -> bool {
    let shown = path.display();
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            let remedy = "`countersign serve` or `countersign run` makes one; --database names another";
            results.fail("file", format!("there is none at {shown}"), remedy);
            return false;
        }
        Err(why) => {
            results.fail("file", format!("{shown}: {why}"), "it must be readable by this user");
            return false;
        }
    };
    if !ours(path, &found, results) {
        return false;
    }
    permissions(path, results);
    folder(path, results);
    companions(path, results);
    true
}

fn ours(path: &Path, found: &Metadata, results: &mut CheckResults) -> bool {
    let shown = path.display();
    let other = "name another file with --database; nothing was changed";
    if !found.is_file() {
        results.fail("file", format!("{shown} is no file"), other);
        return false;
    }
    let mut header = [0; 100];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Err(why) if why.kind() == std::io::ErrorKind::UnexpectedEof && found.len() == 0 => {
            results.warn("file", format!("{shown} is empty"), "it becomes a log when it is opened");
        }
        Err(why) => {
            results.fail("file", format!("{shown} cannot be read: {why}"), other);
            return false;
        }
        Ok(()) if !header.starts_with(b"SQLite format 3\0") => {
            results.fail("file", format!("{shown} is no SQLite database"), other);
            return false;
        }
        Ok(()) if header[68..72] != OWNER && header[68..72] != [0; 4] => {
            results.fail("file", format!("{shown} is another program's database"), other);
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
    let files = ["", "-wal", "-shm", "-bell"].map(|end| beside(path, end));
    let open =
        files.iter().filter(|file| std::fs::metadata(file).is_ok_and(|found| found.mode() & 0o077 != 0));
    let open: Vec<_> = open.map(|file| file.display().to_string()).collect();
    if open.is_empty() {
        results.ok("permissions", "only its owner can read and write it");
    } else {
        let files = open.join(" ");
        results.warn(
            "permissions",
            format!("others than its owner can get at {files}"),
            format!("chmod 600 {files}"),
        );
    }
}

fn folder(path: &Path, results: &mut CheckResults) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let shown = folder.display();
    if access(path, Access::WRITE_OK).is_err() || access(folder, Access::WRITE_OK).is_err() {
        let found = format!("{shown} or the file cannot be written by this user");
        results.fail("folder", found, "SQLite needs to write both; change their owner, or run as theirs");
    } else {
        results.ok("folder", format!("{shown} can be written"));
    }
    if let Ok(space) = statvfs(folder) {
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if free < LITTLE_ROOM {
            results.warn(
                "room",
                format!("{} are free", size(free)),
                "make room: nothing is written to a full disk",
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
            "some reader has held it open for long: end programs that read the file and have gone quiet",
        ),
        Ok(length) => results.ok("wal", format!("the write-ahead log has {}", size(length))),
        Err(_) => results.ok("wal", "there is no write-ahead log: no process has the file open"),
    }
    let bell = beside(path, "-bell");
    if !bell.exists() {
        results.ok("bell", "not there; whoever opens the file hangs it up");
    } else if access(&bell, Access::WRITE_OK).is_err() {
        let found = format!("{} cannot be written", bell.display());
        results.fail("bell", found, "give it to the database's owner, or delete it while nothing runs");
    } else {
        results.ok("bell", "it hangs, and can be rung");
    }
}

/// A number of bytes, as people say it.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is all that is shown")]
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{:.1} KiB", bytes as f64 / 1_024.0),
        1_048_576..1_073_741_824 => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
        _ => format!("{:.1} GiB", bytes as f64 / 1_073_741_824.0),
    }
}
