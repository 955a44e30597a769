//! The system calls of a process, counted by `perf` in a round of its own, because counting takes time.

use crate::lab::{self, LabOutcome};
use rustix::{
    fs::{CWD, FileType, Mode, mknodat},
    process::{Pid, Signal, kill_process},
};
use std::{path::PathBuf, process::Stdio};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::unix::pipe::{OpenOptions, Receiver, Sender},
    process::{Child, Command},
};

/// The events of `perf`: all system calls, and those that wait for the disk.
const EVENTS: &str = "raw_syscalls:sys_enter,syscalls:sys_enter_fsync,syscalls:sys_enter_fdatasync";

/// A running `perf stat`.
pub(crate) struct SystemCallCounter {
    perf: Child,
    control: Sender,
    answers: Lines<BufReader<Receiver>>,
    report: PathBuf,
    _folder: TempDir,
}

/// The numbers of calls in one round.
#[derive(Clone, Copy)]
pub(crate) struct SystemCalls {
    pub(crate) all: f64,
    pub(crate) syncs: f64,
}

impl SystemCallCounter {
    /// Starts to count. Fails if `perf` is missing or may not trace system calls, which needs root.
    pub(crate) async fn start(process: Pid) -> LabOutcome<Self> {
        let folder = lab::folder()?;
        let [control, answers, report] =
            ["control", "answers", "report"].map(|name| folder.path().join(name));
        for pipe in [&control, &answers] {
            mknodat(CWD, pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        }
        // `read_write` opens a pipe before its other end exists.
        let mut options = OpenOptions::new();
        let (sender, receiver) = (
            options.read_write(true).open_sender(&control)?,
            options.read_write(true).open_receiver(&answers)?,
        );
        let perf = Command::new("perf")
            .args(["stat", "--delay", "-1", "-x", ",", "-e", EVENTS, "-p"])
            .arg(process.as_raw_nonzero().to_string())
            .arg(format!("--control=fifo:{},{}", control.display(), answers.display()))
            .arg("-o")
            .arg(&report)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|why| format!("perf cannot be started: {why}"))?;
        let answers = BufReader::new(receiver).lines();
        let mut counter = Self { perf, control: sender, answers, report, _folder: folder };
        counter.send("enable").await?;
        Ok(counter)
    }

    /// Ends the round. Returns the numbers.
    pub(crate) async fn finish(mut self) -> LabOutcome<SystemCalls> {
        self.send("disable").await?;
        let id = self.perf.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        kill_process(id.ok_or("perf has ended")?, Signal::INT)?;
        self.perf.wait().await?;
        let report = std::fs::read_to_string(&self.report)?;
        let counts: Vec<f64> =
            report.lines().filter_map(|line| line.split_once(',')?.0.parse().ok()).collect();
        match counts[..] {
            [all, fsync, fdatasync] => Ok(SystemCalls { all, syncs: fsync + fdatasync }),
            _ => Err("perf may not trace system calls".into()),
        }
    }

    /// Sends a command, and waits until `perf` has obeyed it or has ended.
    async fn send(&mut self, command: &str) -> LabOutcome<()> {
        self.control.write_all(format!("{command}\n").as_bytes()).await?;
        tokio::select! {
            answer = self.answers.next_line() => { answer?; Ok(()) }
            ended = self.perf.wait() => Err(format!("perf may not trace system calls ({})", ended?).into()),
        }
    }
}
