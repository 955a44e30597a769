//! A server process: its start, its log and its end.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{self, BufRead, BufReader},
    process::{Command, Stdio},
    thread::{self, JoinHandle},
};
use tokio::sync::{oneshot, watch};

/// A running server. Dropping it stops it at once, and removes its socket.
pub(crate) struct PostgresServer {
    pid: Pid,
    lines: watch::Receiver<Vec<String>>,
    /// Ends when the last process of the server has closed its standard error.
    keeper: Option<JoinHandle<()>>,
}

impl PostgresServer {
    /// Starts it, and waits for a log line with `ready`. If it ends before, the error is its log.
    pub(crate) async fn start(command: Command, ready: &str) -> Result<Self, String> {
        let (lines, heard) = watch::channel(Vec::new());
        let (started, pid) = oneshot::channel();
        // The kernel ends the server together with the *thread* that started it, so that thread reads the
        // server's log until its end.
        let keeper = thread::spawn(move || start_and_read_log(command, started, &lines));
        let pid = pid.await.expect("the thread tells").expect("the server can be started");
        let server = Self { pid, lines: heard, keeper: Some(keeper) };
        match server.wait_for_log_line_after(0, ready).await {
            Ok(()) => Ok(server),
            Err(log) => Err(log),
        }
    }

    /// The number of lines in its log.
    pub(crate) fn log_line_count(&self) -> usize {
        self.lines.borrow().len()
    }

    /// Its log.
    pub(crate) fn log(&self) -> String {
        self.lines.borrow().join("\n")
    }

    /// Waits for a line after the first `after` lines that contains `text`. If the server ends before, the error
    /// is its log.
    pub(crate) async fn wait_for_log_line_after(&self, after: usize, text: &str) -> Result<(), String> {
        let mut lines = self.lines.clone();
        let said = |lines: &Vec<String>| lines.iter().skip(after).any(|line| line.contains(text));
        let heard = lines.wait_for(said).await.is_ok();
        if heard { Ok(()) } else { Err(self.log()) }
    }

    /// The main process of the server.
    pub(crate) const fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends the server a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).expect("the process runs");
    }

    /// Ends the server with that signal, and waits until all its processes are gone.
    pub(crate) fn end(mut self, signal: Signal) {
        self.signal(signal);
        self.wait();
    }

    /// Kills every process of the server, without giving any of them time to react.
    pub(crate) fn kill(mut self) {
        // A stopped process starts no new ones.
        self.signal(Signal::STOP);
        for child in children(self.pid) {
            // A process that ended in the meantime needs no signal.
            let _ = kill_process(child, Signal::KILL);
        }
        self.signal(Signal::KILL);
        self.wait();
    }

    fn wait(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.join().expect("the standby refuses writes");
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // The number of an ended process may belong to another process by now.
        if self.keeper.as_ref().is_some_and(|keeper| !keeper.is_finished()) {
            let _ = kill_process(self.pid, Signal::QUIT);
            self.wait();
        }
    }
}

fn start_and_read_log(
    mut command: Command,
    started: oneshot::Sender<io::Result<Pid>>,
    lines: &watch::Sender<Vec<String>>,
) {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(why) => return drop(started.send(Err(why))),
    };
    let _ = started.send(Ok(Pid::from_child(&child)));
    let heard = BufReader::new(child.stderr.take().expect("stdin is piped"));
    for line in heard.split(b'\n').map_while(Result::ok) {
        lines.send_modify(|lines| lines.push(String::from_utf8_lossy(&line).into_owned()));
    }
    let _ = child.wait();
}

/// The running children of `parent`.
fn children(parent: Pid) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("there is a /proc");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let started_by = |number: &i32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // The state and the parent follow the name, which may contain any character.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<i32>().ok()
    };
    let theirs = numbers.filter(|number| started_by(number) == Some(parent.as_raw_nonzero().get()));
    theirs.filter_map(Pid::from_raw).collect()
}
