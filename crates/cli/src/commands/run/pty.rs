//! Running a command on a pseudo-terminal that is connected to ours: it can draw, prompt and be interrupted, and its
//! output is recorded.

use crate::commands::run::{signals::pass_signals, tail::OutputTail};
use countersign_coding_agents::environment::CALL_VARIABLE;
use countersign_console::TerminationSignals;
use countersign_store::Clock;
use pty_process::{Command, Size};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::{process::ExitStatus, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    signal::unix::{SignalKind, signal},
};

/// Our terminal in raw mode until this is dropped.
struct RawTerminal {
    before: Termios,
}

impl RawTerminal {
    fn start() -> std::io::Result<Self> {
        let before = tcgetattr(std::io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(std::io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
    }
}

/// Runs a command with our terminal attached.
pub(super) async fn run_attached(
    program: &str,
    rest: &[String],
    cwd: &str,
    tail: &mut OutputTail,
    signals: &mut TerminationSignals,
) -> std::io::Result<ExitStatus> {
    let (pty, pts) = pty_process::open().map_err(std::io::Error::other)?;
    resize(|size| pty.resize(size));
    let mut child = Command::new(program)
        .args(rest)
        .current_dir(cwd)
        .env(CALL_VARIABLE, "1")
        .spawn(pts)
        .map_err(start_error)?;
    let pid = child.id();
    let _raw = RawTerminal::start()?;
    let (mut output, mut input) = pty.into_split();
    let mut resized = signal(SignalKind::window_change())?;
    let mut keys = tokio::io::stdin();
    let (mut chunk, mut typed) = (vec![0; 16 * 1024], vec![0; 1024]);
    let (mut open, mut attended) = (true, true);
    let mut status = None;
    // The command may end before its output is read, and a process that it started may print more.
    while open || status.is_none() {
        tokio::select! {
            biased;
            read = output.read(&mut chunk), if open => match read {
                Ok(length @ 1..) => show(&chunk[..length], tail).await,
                _ => open = false,
            },
            ended = child.wait(), if status.is_none() => status = Some(ended?),
            read = keys.read(&mut typed), if attended && status.is_none() => match read {
                Ok(length @ 1..) => attended = input.write_all(&typed[..length]).await.is_ok(),
                _ => attended = false,
            },
            never = pass_signals(signals, pid), if status.is_none() => match never {},
            _ = resized.recv() => resize(|size| input.resize(size)),
        }
        if status.is_some() && open {
            open = drain(&mut output, tail).await;
        }
    }
    status.ok_or_else(|| std::io::Error::other("the command has no status"))
}

/// A terminal that a background process keeps open is treated as read after this time without output.
const QUIET: Duration = Duration::from_millis(100);

/// Shows the remaining output after the command has ended. A background process keeps the terminal open and is not
/// waited for. The kernel does not report when the last output has arrived, so a pause is treated as the end.
async fn drain(output: &mut pty_process::OwnedReadPty, tail: &mut OutputTail) -> bool {
    let mut chunk = vec![0; 16 * 1024];
    loop {
        tokio::select! {
            biased;
            read = output.read(&mut chunk) => match read {
                Ok(length @ 1..) => show(&chunk[..length], tail).await,
                _ => return false,
            },
            () = Clock::System.sleep(QUIET) => return false,
        }
    }
}

async fn show(chunk: &[u8], tail: &mut OutputTail) {
    tail.append(chunk);
    let mut stdout = tokio::io::stdout();
    let _ = stdout.write_all(chunk).await;
    let _ = stdout.flush().await;
}

/// Gives the command's terminal the size of ours.
fn resize(set: impl Fn(Size) -> pty_process::Result<()>) {
    if let Ok(size) = tcgetwinsize(std::io::stdout()) {
        let _ = set(Size::new(size.ws_row, size.ws_col));
    }
}

fn start_error(error: pty_process::Error) -> std::io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        other => std::io::Error::other(other),
    }
}
