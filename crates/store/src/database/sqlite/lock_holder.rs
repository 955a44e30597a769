//! The process that holds the write lock of a file: Countersign's, which the lock file names, or SQLite's, which the kernel
//! lists.

use crate::{Clock, LockHolder, LogUser};
use countersign_events::Timestamp;
use rustix::fs::{major, minor};
use serde::{Deserialize, Serialize};
use std::{
    borrow::Cow,
    env,
    ffi::OsString,
    fs::{self, File, TryLockError},
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
    process,
    sync::LazyLock,
};

/// The record length in the lock file. The record is padded, so that each holder overwrites the previous one
/// completely.
const RECORD_BYTES: usize = 256;

/// The shared-memory byte that a writer locks (`WAL_WRITE_LOCK`, <https://sqlite.org/walformat.html>).
const WRITE_LOCK_BYTE: u64 = 120;

/// The length of the names in a record, in characters. With longer ones it would not fit.
const LONGEST_NAME: usize = 60;

/// What a process writes into the lock file when it takes the lock.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct HolderRecord {
    pid: u32,
    program: Cow<'static, str>,
    host: Cow<'static, str>,
    since: Timestamp,
}

/// What does not change while this process runs.
static THIS_PROCESS: LazyLock<(String, String)> = LazyLock::new(|| (program_name(), host_name()));

impl HolderRecord {
    pub(super) fn of_this_process() -> Self {
        let (program, host) = &*THIS_PROCESS;
        Self { pid: process::id(), program: program.into(), host: host.into(), since: Clock::System.now() }
    }

    /// The record as JSON, padded with spaces.
    pub(super) fn to_bytes(&self) -> [u8; RECORD_BYTES] {
        let mut bytes = [b' '; RECORD_BYTES];
        bytes[RECORD_BYTES - 1] = b'\n';
        if let Ok(text) = serde_json::to_vec(self)
            && text.len() < RECORD_BYTES
        {
            bytes[..text.len()].copy_from_slice(&text);
        }
        bytes
    }

    fn into_holder(self) -> LockHolder {
        let host = (self.host != THIS_PROCESS.1).then(|| self.host.into_owned());
        LockHolder {
            pid: self.pid,
            remedy: LockHolder::remedy_for(self.pid, host.as_deref()),
            program: Some(self.program.into_owned()),
            host,
            held: Some(Clock::System.now().since(self.since)),
        }
    }
}

/// Finds the process that holds the write lock of the file now, without opening it as a log. A writer that commits at this
/// moment is found, too; see [`LockHolder::held`].
#[must_use]
pub fn find_lock_holder(database: &Path) -> Option<LockHolder> {
    let record = find_record(database);
    match find_sqlite_writer(database) {
        // A Countersign writer may itself wait for another program.
        Some(pid) if record.as_ref().is_none_or(|record| record.pid != pid) => Some(LockHolder {
            pid,
            program: fs::read_to_string(format!("/proc/{pid}/comm")).ok().map(|name| name.trim().to_owned()),
            host: None,
            held: None,
            remedy: LockHolder::remedy_for(pid, None),
        }),
        // This process holds the lock file while it waits for SQLite's lock, and does not block itself.
        _ => record.filter(|record| record.pid != process::id()).map(HolderRecord::into_holder),
    }
}

/// The path of a database's lock file.
pub(super) fn lock_path(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push("-lock");
    name.into()
}

/// The lock file's record, if a process holds the lock.
fn find_record(database: &Path) -> Option<HolderRecord> {
    let file = File::open(lock_path(database)).ok()?;
    if !matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)) {
        return None;
    }
    let mut bytes = [0; RECORD_BYTES];
    file.read_exact_at(&mut bytes, 0).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// The process that holds SQLite's write lock, by the kernel's list (`proc_locks(5)`). To ask for the lock itself, this
/// process would have to open the shared memory, and closing it would release its own locks.
fn find_sqlite_writer(database: &Path) -> Option<u32> {
    let mut shared_memory = OsString::from(database);
    shared_memory.push("-shm");
    let found = fs::metadata(shared_memory).ok()?;
    let file = kernel_name(&found);
    fs::read_to_string("/proc/locks").ok()?.lines().find_map(|line| find_writer(line, &file))
}

/// The processes that mark the log as in use, without this one (see [`DoorbellFile`](super::doorbell::DoorbellFile)).
pub(super) fn find_users(database: &Path) -> Vec<LogUser> {
    let mut doorbell = OsString::from(database);
    doorbell.push("-bell");
    let Ok(found) = fs::metadata(doorbell) else { return Vec::new() };
    let file = kernel_name(&found);
    let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
    let mut users: Vec<_> = locks.lines().filter_map(|line| find_flock(line, &file)).collect();
    users.sort_unstable();
    users.dedup();
    let user = |pid| LogUser { pid, program: read_program(pid) };
    users.into_iter().filter(|pid| *pid != process::id()).map(user).collect()
}

/// The process of a line, if the line is a shared lock on the whole file.
fn find_flock(line: &str, file: &str) -> Option<u32> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [_, "FLOCK", _, "READ", pid, locked, _, _] = *words.as_slice() else { return None };
    (locked == file).then(|| pid.parse().ok())?.filter(|pid| *pid > 0)
}

/// The program of another process, with its subcommand.
fn read_program(pid: u32) -> Option<String> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
    Some(describe_program(words)).filter(|program| !program.is_empty())
}

/// A file as the kernel's list names it.
fn kernel_name(file: &fs::Metadata) -> String {
    format!("{:02x}:{:02x}:{}", major(file.dev()), minor(file.dev()), file.ino())
}

/// The process of a line, if the line is a write lock on the writer byte of the file.
fn find_writer(line: &str, file: &str) -> Option<u32> {
    let words: Vec<_> = line.split_whitespace().collect();
    let [_, "POSIX" | "OFDLCK", _, "WRITE", pid, locked, first, last] = *words.as_slice() else {
        return None;
    };
    let ends_behind = last == "EOF" || last.parse::<u64>().ok()? >= WRITE_LOCK_BYTE;
    let has_byte = first.parse::<u64>().ok()? <= WRITE_LOCK_BYTE && ends_behind;
    // A process of another container has no number here.
    (locked == file && has_byte).then(|| pid.parse().ok())?.filter(|pid| *pid > 0)
}

/// The program, with its subcommand. Other arguments are left out, because they may have secrets.
fn program_name() -> String {
    describe_program(env::args_os().map(|word| word.to_string_lossy().into_owned()))
}

fn describe_program(mut words: impl Iterator<Item = String>) -> String {
    let path = words.next().unwrap_or_default();
    let program =
        Path::new(&path).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    match find_subcommand(words) {
        Some(subcommand) => shorten(&format!("{program} {subcommand}")),
        None => shorten(&program),
    }
}

/// The first word that is neither an option nor the word after one, which may be its value, if it reads like a subcommand.
fn find_subcommand(words: impl Iterator<Item = String>) -> Option<String> {
    let is_option = |word: &String| word.starts_with('-');
    let mut is_after_option = false;
    let mut words = words.skip_while(|word| {
        let skipped = is_option(word) || is_after_option;
        is_after_option = is_option(word) && !word.contains('=');
        skipped
    });
    words
        .next()
        .filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_of_name))
}

const fn is_of_name(letter: char) -> bool {
    letter.is_ascii_lowercase() || letter == '-'
}

fn host_name() -> String {
    shorten(&rustix::system::uname().nodename().to_string_lossy())
}

fn shorten(name: &str) -> String {
    name.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_the_kernel_names_the_writer() {
        let writer = "3: POSIX  ADVISORY  WRITE 3568 fd:01:531843 120 120";
        assert_eq!(find_writer(writer, "fd:01:531843"), Some(3_568));
        assert_eq!(find_writer(writer, "fd:01:53184"), None, "another file");
        assert_eq!(find_writer(writer, "00:2a:531843"), None, "another disk");
        for line in [
            "3: POSIX  ADVISORY  READ 3568 fd:01:531843 123 123",
            "3: -> POSIX  ADVISORY  WRITE 3568 fd:01:531843 120 120",
            "3: FLOCK  ADVISORY  WRITE 3568 fd:01:531843 0 EOF",
            "3: POSIX  ADVISORY  WRITE 0 fd:01:531843 120 120",
            "3: POSIX  ADVISORY  WRITE 3568 fd:01:531843 121 127",
            "",
        ] {
            assert_eq!(find_writer(line, "fd:01:531843"), None, "{line}");
        }
    }

    #[test]
    fn only_a_subcommand_is_named() {
        let find = |line: &str| find_subcommand(line.split(' ').map(str::to_owned));
        assert_eq!(find("serve --listen x").as_deref(), Some("serve"));
        assert_eq!(find("--database log run -- rm").as_deref(), Some("run"));
        assert_eq!(find("--database=log --as=ada verify").as_deref(), Some("verify"));
        for line in ["", "--token secret", "https://user:secret@example.org", "--json serve"] {
            assert_eq!(find(line), None, "{line}");
        }
    }

    #[test]
    fn record_fits_with_the_longest_names() {
        let name = "x".repeat(LONGEST_NAME);
        let since = Clock::System.now();
        let record = HolderRecord { pid: u32::MAX, program: name.clone().into(), host: name.into(), since };
        let bytes = record.to_bytes();
        assert_eq!(serde_json::from_slice::<HolderRecord>(&bytes).unwrap().since, since);
    }
}
