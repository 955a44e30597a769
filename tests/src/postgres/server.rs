//! A server's process: started, listened to until it is ready, and ended by the one who started it.

use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{self, BufRead, BufReader},
    process::{Command, Stdio},
    thread::{self, JoinHandle},
};
use tokio::sync::{oneshot, watch};

/// A server that runs. Dropped, it ends at once, as after a power loss but tidily.
pub(crate) struct Server {
    pid: Pid,
    lines: watch::Receiver<Vec<String>>,
    /// Ends when the last process of the server has let go of its standard error.
    keeper: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts it, and waits until it says `ready`. The error is its log, where it ended instead.
    pub(crate) async fn start(command: Command, ready: &str) -> Result<Self, String> {
        let (lines, heard) = watch::channel(Vec::new());
        let (started, pid) = oneshot::channel();
        // The kernel ends the server when the *thread* that started it ends, so it is a thread that reads
        // what the server says for as long as it runs.
        let keeper = thread::spawn(move || keep(command, started, &lines));
        let pid = pid.await.expect("the thread tells").expect("the server can be started");
        let server = Self { pid, lines: heard, keeper: Some(keeper) };
        match server.says(0, ready).await {
            Ok(()) => Ok(server),
            Err(log) => Err(log),
        }
    }

    /// How many lines it has said so far.
    pub(crate) fn said(&self) -> usize {
        self.lines.borrow().len()
    }

    /// All that it has said so far.
    pub(crate) fn log(&self) -> String {
        self.lines.borrow().join("\n")
    }

    /// Waits until one of the lines after the first `after` contains `text`. The error is all that it said,
    /// where it ended before.
    pub(crate) async fn says(&self, after: usize, text: &str) -> Result<(), String> {
        let mut lines = self.lines.clone();
        let said = |lines: &Vec<String>| lines.iter().skip(after).any(|line| line.contains(text));
        let heard = lines.wait_for(said).await.is_ok();
        if heard { Ok(()) } else { Err(self.log()) }
    }

    /// The process that started all others of the server.
    pub(crate) const fn pid(&self) -> Pid {
        self.pid
    }

    /// Tells the server something by a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).expect("it runs");
    }

    /// Ends the server with that signal, and waits until all its processes are gone.
    pub(crate) fn end(mut self, signal: Signal) {
        self.signal(signal);
        self.wait();
    }

    /// Kills every process of the server, none of which gets to do anything about it.
    pub(crate) fn kill(mut self) {
        // What stands still starts nobody new.
        self.signal(Signal::STOP);
        for child in children(self.pid) {
            // Who left by itself in between is as good as killed.
            let _ = kill_process(child, Signal::KILL);
        }
        self.signal(Signal::KILL);
        self.wait();
    }

    fn wait(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.join().expect("it only reads");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A process that is gone may have left its number to another.
        if self.keeper.as_ref().is_some_and(|keeper| !keeper.is_finished()) {
            let _ = kill_process(self.pid, Signal::QUIT);
            self.wait();
        }
    }
}

fn keep(mut command: Command, started: oneshot::Sender<io::Result<Pid>>, lines: &watch::Sender<Vec<String>>) {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(why) => return drop(started.send(Err(why))),
    };
    let _ = started.send(Ok(Pid::from_child(&child)));
    let heard = BufReader::new(child.stderr.take().expect("it is piped"));
    for line in heard.split(b'\n').map_while(Result::ok) {
        lines.send_modify(|lines| lines.push(String::from_utf8_lossy(&line).into_owned()));
    }
    let _ = child.wait();
}

/// The processes that `parent` has started and that run.
fn children(parent: Pid) -> Vec<Pid> {
    let processes = fs::read_dir("/proc").expect("there is a /proc");
    let numbers = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let started_by = |number: &i32| {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        // After the name, which may hold anything, come the state and the parent.
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<i32>().ok()
    };
    let theirs = numbers.filter(|number| started_by(number) == Some(parent.as_raw_nonzero().get()));
    theirs.filter_map(Pid::from_raw).collect()
}
