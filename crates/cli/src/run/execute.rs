//! Running the command that was approved, with the terminal attached if there is one.

use super::{pty, tail::Tail};
use crate::exit::Exit;
use rustix::{
    io::ioctl_fionread,
    process::{self, Pid, kill_process},
};
use serde::Serialize;
use std::{
    convert::Infallible,
    io::{ErrorKind, IsTerminal},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::Command,
    signal::unix::{Signal, SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

/// How the command ended, as the log keeps it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ended {
    #[serde(skip)]
    pub(crate) exit: Exit,
    /// Its exit status, if it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Why it could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The end of what it printed.
    output: String,
    /// How many bytes it printed in all.
    output_bytes: u64,
}

impl Ended {
    pub(crate) fn failed(exit: Exit, error: &str) -> Self {
        let error = Some(error.to_owned());
        Self { exit, exit_code: None, signal: None, error, output: String::new(), output_bytes: 0 }
    }

    fn of(status: ExitStatus, tail: Tail) -> Self {
        // As a shell has it: 128 and the number of the signal.
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        Self {
            exit: Exit(u8::try_from(code).unwrap_or(1)),
            exit_code: status.code(),
            signal: status.signal(),
            error: None,
            output_bytes: tail.total(),
            output: tail.text(),
        }
    }

    fn not_started(program: &str, error: &std::io::Error) -> Self {
        let exit = if error.kind() == ErrorKind::NotFound { Exit::NOT_FOUND } else { Exit::NOT_EXECUTABLE };
        Self::failed(exit, &format!("{program} cannot be started: {error}"))
    }
}

/// Runs it to its end. Its first word is the program. With `aside` what it prints goes to stderr, so
/// that stdout stays ours.
pub(crate) async fn execute(words: &[String], cwd: &str, aside: bool) -> Ended {
    let Some((program, rest)) = words.split_first() else {
        return Ended::failed(Exit::NOT_EXECUTABLE, "there is no command");
    };
    if !std::path::Path::new(cwd).is_dir() {
        return Ended::failed(Exit::NOT_EXECUTABLE, &format!("the folder {cwd} is not there"));
    }
    let mut tail = Tail::default();
    let attended = !aside && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let status = if attended {
        pty::run(program, rest, cwd, &mut tail).await
    } else {
        piped(program, rest, cwd, aside, &mut tail).await
    };
    match status {
        Ok(status) => Ended::of(status, tail),
        Err(error) => Ended::not_started(program, &error),
    }
}

/// Without a terminal, stdout and stderr stay apart, as whoever reads them expects.
async fn piped(
    program: &str,
    rest: &[String],
    cwd: &str,
    aside: bool,
    tail: &mut Tail,
) -> std::io::Result<ExitStatus> {
    // Before it starts, or a signal in between would end us and leave it behind.
    let mut signals = Signals::listen()?;
    let mut child = Command::new(program)
        .args(rest)
        .current_dir(cwd)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (shared, over) = (tokio::sync::Mutex::new(tail), CancellationToken::new());
    let out: Box<dyn AsyncWrite + Unpin> =
        if aside { Box::new(tokio::io::stderr()) } else { Box::new(tokio::io::stdout()) };
    let ended = async {
        let status = child.wait().await;
        over.cancel();
        status
    };
    let all = async {
        tokio::join!(
            ended,
            copy(stdout, out, &shared, &over),
            copy(stderr, tokio::io::stderr(), &shared, &over)
        )
    };
    tokio::select! {
        (status, ..) = all => status,
        never = signals.pass_on(pid) => match never {},
    }
}

/// Hands on what the command prints until it closes the pipe, or is `over`. What it left running in the
/// background keeps the pipe open and is not waited for, so then only what is in the pipe is taken.
async fn copy(
    from: Option<impl AsyncRead + AsFd + Unpin>,
    mut to: impl AsyncWrite + Unpin,
    tail: &tokio::sync::Mutex<&mut Tail>,
    over: &CancellationToken,
) {
    let Some(mut from) = from else { return };
    let mut chunk = vec![0; 16 * 1024];
    let mut left = None;
    while left != Some(0) {
        if left.is_none() && over.is_cancelled() {
            left = Some(ioctl_fionread(&from).unwrap_or(0));
            continue;
        }
        let most =
            left.map_or(chunk.len(), |left| chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        let read = tokio::select! {
            biased;
            read = from.read(&mut chunk[..most]) => read,
            () = over.cancelled(), if left.is_none() => continue,
        };
        let Ok(length @ 1..) = read else { return };
        left = left.map(|left| left.saturating_sub(length as u64));
        tail.lock().await.take(&chunk[..length]);
        // Whoever reads us may have gone; the command goes on, and the log keeps its end.
        let _ = to.write_all(&chunk[..length]).await;
        let _ = to.flush().await;
    }
}

/// What somebody tells us, and the command is to hear.
pub(super) struct Signals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn listen() -> std::io::Result<Self> {
        let [terminate, hangup, interrupt] =
            [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()].map(signal);
        Ok(Self { terminate: terminate?, hangup: hangup?, interrupt: interrupt? })
    }

    /// Hands SIGTERM and SIGHUP to the command as they come, for ever.
    pub(super) async fn pass_on(&mut self, child: Option<u32>) -> Infallible {
        let pid = child.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        loop {
            let passed = tokio::select! {
                _ = self.terminate.recv() => process::Signal::TERM,
                _ = self.hangup.recv() => process::Signal::HUP,
                // Ctrl-C reaches the command by itself, as it shares our terminal.
                _ = self.interrupt.recv() => continue,
            };
            if let Some(pid) = pid {
                // It may have ended this moment, which is as good.
                let _ = kill_process(pid, passed);
            }
        }
    }
}
