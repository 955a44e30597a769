//! A server process of PostgreSQL or its pooler: its start, its log and its end.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{self, BufRead, BufReader},
    process::{Command, Stdio},
    thread::{self, JoinHandle},
};
use tokio::sync::{oneshot, watch};

/// A running server. Dropping it stops the server at once and removes its socket.
pub(crate) struct PostgresServer {
    pid: Pid,
    lines: watch::Receiver<Vec<String>>,
    /// The thread that reads the log. It ends when the last process of the server has closed its standard error.
    log_reader: Option<JoinHandle<()>>,
}

impl PostgresServer {
    /// Starts the server and waits for a log line with `ready`. If the server ends before, the error is its log.
    pub(crate) async fn start(command: Command, ready: &str) -> Result<Self, String> {
        let (lines, received_lines) = watch::channel(Vec::new());
        let (started, pid) = oneshot::channel();
        // The kernel ends the server together with the *thread* that started it. Therefore that thread lives as long
        // as the server, and reads its log.
        let log_reader = thread::spawn(move || start_and_read_log(command, started, &lines));
        let pid = pid.await.expect("the thread sends the process id").expect("the server can be started");
        let server = Self { pid, lines: received_lines, log_reader: Some(log_reader) };
        match server.wait_for_log_line_after(0, ready).await {
            Ok(()) => Ok(server),
            Err(log) => Err(log),
        }
    }

    /// Returns the number of lines in the log.
    pub(crate) fn log_line_count(&self) -> usize {
        self.lines.borrow().len()
    }

    /// Returns the log.
    pub(crate) fn log(&self) -> String {
        self.lines.borrow().join("\n")
    }

    /// Waits for a line after the first `after` lines that contains `text`. If the server ends before, the error
    /// is its log.
    pub(crate) async fn wait_for_log_line_after(&self, after: usize, text: &str) -> Result<(), String> {
        let mut lines = self.lines.clone();
        let has_line = |lines: &Vec<String>| lines.iter().skip(after).any(|line| line.contains(text));
        let found = lines.wait_for(has_line).await.is_ok();
        if found { Ok(()) } else { Err(self.log()) }
    }

    /// Returns the server's main process id.
    pub(crate) const fn pid(&self) -> Pid {
        self.pid
    }

    /// Sends the server a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).expect("the process runs");
    }

    /// Ends the server with `signal`, and waits until all its processes have ended.
    pub(crate) fn end(mut self, signal: Signal) {
        self.signal(signal);
        self.wait();
    }

    /// Kills every process of the server before any of them can react.
    pub(crate) fn kill(mut self) {
        // A stopped main process starts no new processes.
        self.signal(Signal::STOP);
        for child in children(self.pid) {
            // A process that ended in the meantime needs no signal.
            let _ = kill_process(child, Signal::KILL);
        }
        self.signal(Signal::KILL);
        self.wait();
    }

    fn wait(&mut self) {
        if let Some(log_reader) = self.log_reader.take() {
            log_reader.join().expect("the thread that reads the log did not panic");
        }
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // An ended process' id may belong to another process by now.
        if self.log_reader.as_ref().is_some_and(|log_reader| !log_reader.is_finished()) {
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
    let stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
    for line in stderr.split(b'\n').map_while(Result::ok) {
        lines.send_modify(|lines| lines.push(String::from_utf8_lossy(&line).into_owned()));
    }
    let _ = child.wait();
}

/// Returns the running child processes of `parent`.
fn children(parent: Pid) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("there is a /proc");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let parent_of = |id: &i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The state and the parent follow the name in parentheses, which may contain any character.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<i32>().ok()
    };
    let child_ids = ids.filter(|id| parent_of(id) == Some(parent.as_raw_nonzero().get()));
    child_ids.filter_map(Pid::from_raw).collect()
}
