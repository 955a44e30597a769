//! The process of the MCP server behind the gateway.

use crate::exit::{CliError, CommandExit};
use countersign_mcp::ServerCommand;
use countersign_tui::present::text::escape_text;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Stdio},
};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// The credential of the gateway.
const TOKEN_VARIABLE: &str = "COUNTERSIGN_TOKEN";

/// The server. It is killed if this is dropped before it ends.
pub(super) struct ServerProcess {
    child: Child,
}

impl ServerProcess {
    /// Starts the server. Its stderr is that of the gateway, as it would be that of the client's own server.
    pub(super) fn start(words: &[OsString]) -> anyhow::Result<Self> {
        let Some((program, rest)) = words.split_first() else {
            return Err(CliError::usage("name the command of the server after --").into());
        };
        let mut command = Command::new(program);
        // The token of the gateway is not for the server.
        command.args(rest).env_remove(TOKEN_VARIABLE);
        Self::spawn(command, program, "check the command of the server")
    }

    /// Starts a server of a configuration.
    pub(super) fn start_configured(server: &ServerCommand) -> anyhow::Result<Self> {
        let mut command = Command::new(&server.program);
        command.args(&server.args);
        if let Some(folder) = &server.cwd {
            command.current_dir(folder);
        }
        // The server gets the token only if the configuration says so.
        command.env_remove(TOKEN_VARIABLE).envs(server.env.iter().map(|(name, value)| (name, value)));
        Self::spawn(command, OsStr::new(&server.program), "check its command and its cwd")
    }

    fn spawn(mut command: Command, program: &OsStr, remedy: &str) -> anyhow::Result<Self> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn();
        child.map(|child| Self { child }).map_err(|error| {
            let (exit, code) = match error.kind() {
                ErrorKind::NotFound => (CommandExit::NOT_FOUND, "program_not_found"),
                _ => (CommandExit::NOT_EXECUTABLE, "not_executable"),
            };
            let program = escape_text(&program.to_string_lossy());
            let message = format!("the server {program} cannot be started: {error}; {remedy}");
            CliError { exit, code, message }.into()
        })
    }

    /// The input and the output of the server, once.
    pub(super) fn streams(&mut self) -> anyhow::Result<(ChildStdin, ChildStdout)> {
        let streams = self.child.stdin.take().zip(self.child.stdout.take());
        streams.ok_or_else(|| anyhow::anyhow!("the streams of the server are in use"))
    }

    /// Passes a signal on: the server ends, closes its output, and with it ends the gateway.
    pub(super) fn pass_signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid {
            // It may have ended already.
            let _ = kill_process(pid, signal);
        }
    }

    /// The exit code of the server, once it has ended.
    pub(super) async fn exit(mut self) -> anyhow::Result<CommandExit> {
        let status: ExitStatus = self.child.wait().await?;
        // As in a shell: 128 plus the number of the signal.
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        Ok(CommandExit(u8::try_from(code).unwrap_or(1)))
    }
}
