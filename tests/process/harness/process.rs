//! A process that a test started: what it says, how it is ended, how it ended.

use rustix::process::{Pid, Signal, kill_process};
use std::process::Stdio;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
    stderr: Lines<BufReader<ChildStderr>>,
    complaints: String,
}

/// How a process ended, and what it had said by then that nobody had listened to.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code; -1 if a signal ended it.
    pub(crate) code: i32,
    pub(crate) stdout: String,
    /// All of it, also what was listened to.
    pub(crate) stderr: String,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.kill_on_drop(true).spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let stderr = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        Self { child, stdin, stdout, stderr, complaints: String::new() }
    }

    /// The next line on stdout; `None` when there comes no more.
    pub(crate) async fn line(&mut self) -> Option<String> {
        self.stdout.next_line().await.expect("stdout is text")
    }

    /// The next line on stderr that holds `part`.
    pub(crate) async fn complains(&mut self, part: &str) -> String {
        while let Some(line) = self.stderr.next_line().await.expect("stderr is text") {
            self.complaints.push_str(&line);
            self.complaints.push('\n');
            if line.contains(part) {
                return line;
            }
        }
        panic!("it ended without saying {part:?}: {}", self.complaints);
    }

    pub(crate) async fn tell(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("it still listens");
        stdin.write_all(format!("{line}\n").as_bytes()).await.expect("it reads");
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().expect("it is there")
    }

    /// `kill -9`, and gone.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.expect("it can be killed");
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        kill_process(pid.expect("it is there"), signal).expect("it can be signalled");
    }

    /// Waits until it ends by itself. Its stdin stays open till then.
    pub(crate) async fn ended(mut self) -> Ended {
        let _open = self.stdin.take();
        let (mut stdout, mut stderr) = (String::new(), self.complaints);
        let (mut out, mut err) = (self.stdout.into_inner(), self.stderr.into_inner());
        let (status, out, err) =
            tokio::join!(self.child.wait(), out.read_to_string(&mut stdout), err.read_to_string(&mut stderr));
        out.and(err).expect("it says text");
        Ended { code: status.expect("it ends").code().unwrap_or(-1), stdout, stderr }
    }
}
