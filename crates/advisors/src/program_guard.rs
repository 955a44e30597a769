//! The guard for a program that answers a question: a separate process between the server and the program. It ends the
//! program with all its descendants, also those that started their own session, when the program ends, when the server
//! abandons the question, and when the server dies.
//!
//! On Linux the guard is the reaper of its descendants: a process whose parent has died becomes its child, so none is lost.
//! Elsewhere a process that leaves the process group of the program survives.

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, kill_process_group, wait},
};
use std::{
    ffi::OsString,
    io::{self, BufRead, BufReader, Read, Write},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio},
    thread,
};

/// The first argument with which a program is its guard.
pub(crate) const PROGRAM_GUARD: &str = "guard-advisor-program";

/// How a program ended, as its guard reports it on its error output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgramEnd {
    /// It ended with this code.
    Exit(i32),
    /// A signal killed it.
    Signal,
    /// It cannot be started.
    NotStarted(String),
}

impl ProgramEnd {
    fn from_status(status: ExitStatus) -> Self {
        status.code().map_or(Self::Signal, Self::Exit)
    }

    fn to_line(&self) -> String {
        match self {
            Self::Exit(code) => format!("exit {code}\n"),
            Self::Signal => "signal\n".to_owned(),
            Self::NotStarted(why) => format!("not-started {why}\n"),
        }
    }

    /// Reads a guard's report; `None` if the guard did not live to write it.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
        match line.split_once(' ') {
            None if line == "signal" => Some(Self::Signal),
            Some(("exit", code)) => code.parse().ok().map(Self::Exit),
            Some(("not-started", why)) => Some(Self::NotStarted(why.to_owned())),
            _ => None,
        }
    }
}

/// The path by which this process starts itself as a guard. After an update, it is still the same program.
pub(crate) fn find_own_program() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

/// Runs the guard, if the arguments of this process ask for it. The main function of a program that calls
/// [`AdvisorAccess::with_program_guard`](crate::AdvisorAccess::with_program_guard) calls this first.
#[must_use]
pub fn run_program_guard(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = arguments.skip(1);
    if words.next()? != PROGRAM_GUARD {
        return None;
    }
    let end = guard_program(&words.next()?, words);
    // The report on an abandoned question is lost.
    let _ = io::stderr().write_all(end.to_line().as_bytes());
    Some(ExitCode::SUCCESS)
}

fn guard_program(program: &OsString, arguments: impl Iterator<Item = OsString>) -> ProgramEnd {
    become_reaper();
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::inherit())
        // It may repeat the call's arguments, which no log may contain.
        .stderr(Stdio::null())
        .process_group(0)
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(why) => return ProgramEnd::NotStarted(why.kind().to_string()),
    };
    let group = group_of(&child);
    let input = child.stdin.take();
    thread::spawn(move || {
        pass_question(io::stdin().lock(), input);
        // The server has gone, or does not wait any more.
        end_descendants(group);
        std::process::exit(0);
    });
    let end = child.wait().map_or(ProgramEnd::Signal, ProgramEnd::from_status);
    end_descendants(group);
    end
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// Passes one line to the program. Returns at the end of `from`, which is also the end of the question.
fn pass_question(from: impl Read, input: Option<ChildStdin>) {
    let (mut from, mut line) = (BufReader::new(from), Vec::new());
    let is_read = from.read_until(b'\n', &mut line).is_ok_and(|_| line.ends_with(b"\n"));
    if let Some(mut input) = input.filter(|_| is_read) {
        // A program need not read its question, so this may wait until the program ends.
        thread::spawn(move || input.write_all(&line));
    }
    // Nothing follows the line. The server keeps the pipe open while it waits for the answer.
    let _ = io::copy(&mut from, &mut io::sink());
}

#[cfg(target_os = "linux")]
fn become_reaper() {
    // On a kernel that forbids it, only processes that start their own sessions can be lost.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(not(target_os = "linux"))]
fn become_reaper() {}

/// Kills all descendants of this process, and waits for their end.
fn end_descendants(group: Option<Pid>) {
    if let Some(group) = group {
        let _ = kill_process_group(group, Signal::KILL);
    }
    loop {
        // A process that was forked meanwhile has this process as its parent in the next round, as its own was killed.
        let options = if kill_descendants() { WaitOptions::empty() } else { WaitOptions::NOHANG };
        match wait(options) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            // None is left, or only processes of other users, which this one may not kill.
            Ok(None) | Err(_) => return,
        }
    }
}

/// Sends the kill signal to all descendants. Returns true if a child was among them, so that its end can be waited for.
#[cfg(target_os = "linux")]
fn kill_descendants() -> bool {
    use rustix::process::{getpid, kill_process};
    let own = getpid().as_raw_nonzero().get();
    let processes = list_processes();
    let mut found = vec![own];
    let mut next = 0;
    let mut has_child = false;
    while let Some(&parent) = found.get(next) {
        next += 1;
        for &(id, _) in processes.iter().filter(|(_, of)| *of == parent) {
            let is_killed = Pid::from_raw(id).is_some_and(|id| kill_process(id, Signal::KILL).is_ok());
            has_child |= is_killed && parent == own;
            if !found.contains(&id) {
                found.push(id);
            }
        }
    }
    has_child
}

#[cfg(not(target_os = "linux"))]
fn kill_descendants() -> bool {
    false
}

/// The processes that this one can see, each with its parent.
#[cfg(target_os = "linux")]
fn list_processes() -> Vec<(i32, i32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let read = |entry: io::Result<std::fs::DirEntry>| {
        let id = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
        Some((id, parse_parent(&String::from_utf8_lossy(&stat))?))
    };
    entries.filter_map(read).collect()
}

/// The parent in `/proc/ID/stat`. The program name, in parentheses, may itself contain spaces and parentheses.
#[cfg(target_os = "linux")]
fn parse_parent(stat: &str) -> Option<i32> {
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_of_the_end_is_read_back() {
        for end in [
            ProgramEnd::Exit(0),
            ProgramEnd::Exit(255),
            ProgramEnd::Signal,
            ProgramEnd::NotStarted("entity not found".to_owned()),
        ] {
            assert_eq!(ProgramEnd::parse(end.to_line().as_bytes()), Some(end));
        }
        for torn in ["", "exit 0", "exit \n", "sig\n", "exit x\n"] {
            assert_eq!(ProgramEnd::parse(torn.as_bytes()), None, "{torn:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn parent_is_found_after_any_name() {
        assert_eq!(parse_parent("42 (sh) S 7 42 42 0"), Some(7));
        assert_eq!(parse_parent("42 (a) S 1 (b) R 8 42"), Some(8));
        assert_eq!(parse_parent("42 (sh"), None);
        let (own, parent) = (std::process::id(), std::os::unix::process::parent_id());
        let known = list_processes().into_iter().find(|(id, _)| u32::try_from(*id) == Ok(own));
        assert_eq!(known.map(|(_, of)| u32::try_from(of)), Some(Ok(parent)));
    }

    #[test]
    fn other_arguments_start_no_guard() {
        let start = |words: &[&str]| run_program_guard(words.iter().map(OsString::from)).is_some();
        assert!(!start(&["countersign"]));
        assert!(!start(&["countersign", "serve", PROGRAM_GUARD]));
        assert!(!start(&["countersign", PROGRAM_GUARD]), "it has no program");
    }
}
