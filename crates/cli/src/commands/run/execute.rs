//! Running the approved command, with the terminal attached if there is one.

use super::pty;
use crate::commands::run::{signals::pass_signals, tail::OutputTail};
use countersign_coding_agents::environment::CALL_VARIABLE;
use countersign_console::{CommandExit, TerminationSignals};
use rustix::io::ioctl_fionread;
use serde::Serialize;
use std::{
    io::{ErrorKind, IsTerminal},
    os::{fd::AsFd, unix::process::ExitStatusExt},
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    process::Command,
};
use tokio_util::sync::CancellationToken;

/// The command's result, as the log stores it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommandResult {
    #[serde(skip)]
    pub(crate) exit: CommandExit,
    /// Its exit status, if it exited by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// The reason why it could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The end of its output.
    output: String,
    /// The size of its whole output.
    output_bytes: u64,
}

impl CommandResult {
    pub(crate) fn failed(exit: CommandExit, error: &str) -> Self {
        let error = Some(error.to_owned());
        Self { exit, exit_code: None, signal: None, error, output: String::new(), output_bytes: 0 }
    }

    fn from_status(status: ExitStatus, tail: OutputTail) -> Self {
        // As in a shell: 128 plus the signal's number.
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        Self {
            exit: CommandExit(u8::try_from(code).unwrap_or(1)),
            exit_code: status.code(),
            signal: status.signal(),
            error: None,
            output_bytes: tail.total(),
            output: tail.text(),
        }
    }

    fn not_started(program: &str, error: &std::io::Error) -> Self {
        let exit = if error.kind() == ErrorKind::NotFound {
            CommandExit::NOT_FOUND
        } else {
            CommandExit::NOT_EXECUTABLE
        };
        Self::failed(exit, &format!("{program} cannot be started: {error}"))
    }
}

/// Runs a command to its end. Its first word is the program. With `to_stderr`, its output goes to stderr, because
/// stdout is for JSON.
pub(crate) async fn run_command(
    words: &[String],
    cwd: &str,
    to_stderr: bool,
    signals: &mut TerminationSignals,
) -> CommandResult {
    let Some((program, rest)) = words.split_first() else {
        return CommandResult::failed(CommandExit::NOT_EXECUTABLE, "there is no command");
    };
    if !std::path::Path::new(cwd).is_dir() {
        return CommandResult::failed(
            CommandExit::NOT_EXECUTABLE,
            &format!("the folder {cwd} does not exist"),
        );
    }
    let mut tail = OutputTail::default();
    let attended = !to_stderr && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let status = if attended {
        pty::run_attached(program, rest, cwd, &mut tail, signals).await
    } else {
        piped(program, rest, cwd, to_stderr, &mut tail, signals).await
    };
    match status {
        Ok(status) => CommandResult::from_status(status, tail),
        Err(error) => CommandResult::not_started(program, &error),
    }
}

/// Runs a command without a terminal. Its stdout and stderr stay separate.
async fn piped(
    program: &str,
    rest: &[String],
    cwd: &str,
    to_stderr: bool,
    tail: &mut OutputTail,
    signals: &mut TerminationSignals,
) -> std::io::Result<ExitStatus> {
    let mut child = Command::new(program)
        .args(rest)
        .current_dir(cwd)
        .env(CALL_VARIABLE, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let pid = child.id();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (shared, ended) = (tokio::sync::Mutex::new(tail), CancellationToken::new());
    let out: Box<dyn AsyncWrite + Unpin> =
        if to_stderr { Box::new(tokio::io::stderr()) } else { Box::new(tokio::io::stdout()) };
    let child_ended = async {
        let status = child.wait().await;
        ended.cancel();
        status
    };
    let all = async {
        tokio::join!(
            child_ended,
            copy(stdout, out, &shared, &ended),
            copy(stderr, tokio::io::stderr(), &shared, &ended)
        )
    };
    tokio::select! {
        (status, ..) = all => status,
        never = pass_signals(signals, pid) => match never {},
    }
}

/// Copies the output until the command closes the pipe or has `ended`. A background process of the command keeps the
/// pipe open and is not waited for: after the end, only the bytes in the pipe are read.
async fn copy(
    from: Option<impl AsyncRead + AsFd + Unpin>,
    mut to: impl AsyncWrite + Unpin,
    tail: &tokio::sync::Mutex<&mut OutputTail>,
    ended: &CancellationToken,
) {
    let Some(mut from) = from else { return };
    let mut chunk = vec![0; 16 * 1024];
    let mut left = None;
    while left != Some(0) {
        if left.is_none() && ended.is_cancelled() {
            left = Some(ioctl_fionread(&from).unwrap_or(0));
            continue;
        }
        let most =
            left.map_or(chunk.len(), |left| chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX)));
        let read = tokio::select! {
            biased;
            read = from.read(&mut chunk[..most]) => read,
            () = ended.cancelled(), if left.is_none() => continue,
        };
        let Ok(length @ 1..) = read else { return };
        left = left.map(|left| left.saturating_sub(length as u64));
        tail.lock().await.append(&chunk[..length]);
        // The reader of our output may be gone. The command continues, and the log keeps the end of its output.
        let _ = to.write_all(&chunk[..length]).await;
        let _ = to.flush().await;
    }
}
