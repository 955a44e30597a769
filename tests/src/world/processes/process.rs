//! A process that a test starts: its output, its signals and its end.

use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

/// A running process.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
    stderr_read: String,
}

/// An ended process's exit code and output.
#[derive(Debug)]
pub struct ProcessEnd {
    /// The exit code; -1 if a signal ended the process.
    pub code: i32,
    /// The standard output that was not read before.
    pub stdout: String,
    /// The whole standard error.
    pub stderr: String,
}

impl Process {
    /// Starts a process.
    pub fn start(command: &mut Command) -> Self {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.kill_on_drop(true).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let stderr = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        Self { child, stdin, stdout, stderr, stderr_read: String::new() }
    }

    /// Starts a `countersign run`, and returns when it waits for a decision.
    pub(super) async fn start_waiting(command: &mut Command) -> Self {
        let mut run = Self::start(command);
        run.complains("is pending").await;
        run
    }

    /// Returns the next line of stdout; `None` at its end.
    pub async fn line(&mut self) -> Option<String> {
        self.stdout.next_line().await.expect("stdout is text")
    }

    /// Returns the next line of stderr that contains `part`. Panics if stderr ends before.
    pub async fn complains(&mut self, part: &str) -> String {
        while let Some(line) = self.stderr.next_line().await.expect("stderr is text") {
            self.stderr_read.push_str(&line);
            self.stderr_read.push('\n');
            if line.contains(part) {
                return line;
            }
        }
        panic!("stderr ended without {part:?}: {}", self.stderr_read);
    }

    /// Writes a line to stdin.
    pub async fn tell(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("stdin is open");
        stdin.write_all(format!("{line}\n").as_bytes()).await.expect("the process reads its stdin");
    }

    /// Returns the process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id().expect("the process runs")
    }

    /// Returns true if the process has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("its state can be read").is_some()
    }

    /// Kills the process with `SIGKILL`, and waits until it has ended.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        kill_process(pid.expect("the process runs"), signal).expect("it can be signalled");
    }

    /// Waits until the process ends. Its stdin stays open until then.
    pub async fn ended(mut self) -> ProcessEnd {
        let _open_stdin = self.stdin.take();
        let (mut stdout, mut stderr) = (String::new(), self.stderr_read);
        let (mut out, mut err) = (self.stdout.into_inner(), self.stderr.into_inner());
        let (status, out, err) =
            tokio::join!(self.child.wait(), out.read_to_string(&mut stdout), err.read_to_string(&mut stderr));
        out.and(err).expect("its output is text");
        ProcessEnd { code: status.expect("the process ends").code().unwrap_or(-1), stdout, stderr }
    }
}
