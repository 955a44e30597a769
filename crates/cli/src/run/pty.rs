//! A command on a terminal of its own, joined to ours: it may draw, ask and be interrupted as if nobody
//! stood between, and what it prints is kept all the same.

use super::{execute::Signals, tail::Tail};
use countersign_gate::Clock;
use pty_process::{Command, Size};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::{process::ExitStatus, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    signal::unix::{SignalKind, signal},
};

/// Our terminal, handing every key on as it comes, until this is dropped.
struct Raw {
    before: Termios,
}

impl Raw {
    fn start() -> std::io::Result<Self> {
        let before = tcgetattr(std::io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(std::io::stdin(), OptionalActions::Now, &raw)?;
        Ok(Self { before })
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.before);
    }
}

pub(super) async fn run(
    program: &str,
    rest: &[String],
    cwd: &str,
    tail: &mut Tail,
) -> std::io::Result<ExitStatus> {
    // Before it starts, or a signal in between would end us and leave it behind.
    let mut signals = Signals::listen()?;
    let (pty, pts) = pty_process::open().map_err(std::io::Error::other)?;
    resize(|size| pty.resize(size));
    let mut child = Command::new(program).args(rest).current_dir(cwd).spawn(pts).map_err(started)?;
    let pid = child.id();
    let _raw = Raw::start()?;
    let (mut output, mut input) = pty.into_split();
    let mut resized = signal(SignalKind::window_change())?;
    let mut keys = tokio::io::stdin();
    let (mut chunk, mut typed) = (vec![0; 16 * 1024], vec![0; 1024]);
    let (mut open, mut attended) = (true, true);
    let mut status = None;
    // The command may end before all it printed has been read, and what it started may print on.
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
            never = signals.pass_on(pid), if status.is_none() => match never {},
            _ = resized.recv() => resize(|size| input.resize(size)),
        }
        if status.is_some() && open {
            open = drain(&mut output, tail).await;
        }
    }
    status.ok_or_else(|| std::io::Error::other("the command has no status"))
}

/// How long a terminal that something in the background keeps open has to be quiet to count as read.
const QUIET: Duration = Duration::from_millis(100);

/// Shows what is still there after the command has ended. Its terminal then closes, unless it left
/// something running in the background, which is not waited for. What was printed last may still be on
/// its way through the kernel, and nothing tells when it has come, so quiet is taken for the end.
async fn drain(output: &mut pty_process::OwnedReadPty, tail: &mut Tail) -> bool {
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

async fn show(chunk: &[u8], tail: &mut Tail) {
    tail.take(chunk);
    let mut stdout = tokio::io::stdout();
    let _ = stdout.write_all(chunk).await;
    let _ = stdout.flush().await;
}

/// The command's terminal is as large as ours.
fn resize(set: impl Fn(Size) -> pty_process::Result<()>) {
    if let Ok(size) = tcgetwinsize(std::io::stdout()) {
        let _ = set(Size::new(size.ws_row, size.ws_col));
    }
}

fn started(error: pty_process::Error) -> std::io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        other => std::io::Error::other(other),
    }
}
