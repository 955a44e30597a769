//! The MCP server process behind the gateway.

use countersign_console::{CliError, CommandExit, escape_text, print_error};
use countersign_mcp::{ServerCommand, ServerStarter, ServerStreams, keep_server_running};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tokio::process::{Child, Command};

/// The gateway's credential.
const TOKEN_VARIABLE: &str = "COUNTERSIGN_TOKEN";

/// A server program, which can be started several times.
#[derive(Debug, Clone)]
pub(super) enum ServerProgram {
    /// The command line's words.
    Words(Vec<OsString>),
    /// A configured server.
    Configured(ServerCommand),
}

impl ServerProgram {
    fn start(&self) -> anyhow::Result<ServerProcess> {
        match self {
            Self::Words(words) => ServerProcess::start(words),
            Self::Configured(server) => ServerProcess::start_configured(server),
        }
    }
}

/// A server whose process is started again when it ends while the client is there.
#[derive(Clone)]
pub(super) struct KeptProcess(Arc<Mutex<KeptProcessState>>);

struct KeptProcessState {
    process: Option<ServerProcess>,
    /// A signal told it to end.
    is_ending: bool,
}

impl KeptProcess {
    /// Starts the server. `name` says for which one the notes on stderr are.
    pub(super) fn start(program: ServerProgram, name: &str) -> anyhow::Result<(Self, ServerStreams)> {
        let mut process = program.start()?;
        let first = process.streams()?;
        let state = KeptProcessState { process: Some(process), is_ending: false };
        let kept = Self(Arc::new(Mutex::new(state)));
        let again = kept.clone();
        let starter: ServerStarter = Box::new(move || again.start_again(&program));
        let name = escape_text(name);
        let note = move |text: &str| print_error(&format!("countersign: {name}: {text}"));
        let streams = keep_server_running(first, starter, Arc::new(note));
        Ok((kept, streams))
    }

    fn state(&self) -> MutexGuard<'_, KeptProcessState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the server again, instead of the process that ended. What is left of that one is killed.
    fn start_again(&self, program: &ServerProgram) -> Option<ServerStreams> {
        let mut state = self.state();
        if state.is_ending {
            return None;
        }
        let mut process = program.start().ok()?;
        let streams = process.streams().ok()?;
        state.process = Some(process);
        Some(streams)
    }

    /// Passes a signal on: the server ends, closes its output, and with it ends the gateway.
    pub(super) fn pass_signal(&self, signal: Signal) {
        let mut state = self.state();
        state.is_ending = true;
        if let Some(process) = &state.process {
            process.pass_signal(signal);
        }
    }

    /// The exit code of the last process, once it has ended.
    pub(super) async fn exit(self) -> anyhow::Result<CommandExit> {
        let process = self.state().process.take();
        match process {
            Some(process) => process.exit().await,
            None => Ok(CommandExit::DONE),
        }
    }
}

/// A server process. It is killed if this is dropped before it ends.
struct ServerProcess {
    child: Child,
}

impl ServerProcess {
    /// Starts the server. Its stderr is that of the gateway, as it would be that of the client's own server.
    fn start(words: &[OsString]) -> anyhow::Result<Self> {
        let Some((program, rest)) = words.split_first() else {
            return Err(CliError::usage("name the command of the server after --").into());
        };
        let mut command = Command::new(program);
        // The gateway's token is not for the server.
        command.args(rest).env_remove(TOKEN_VARIABLE);
        Self::spawn(command, program, "check the command of the server")
    }

    /// Starts a configured server.
    fn start_configured(server: &ServerCommand) -> anyhow::Result<Self> {
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

    /// The server input and output, once.
    fn streams(&mut self) -> anyhow::Result<ServerStreams> {
        let streams = self.child.stdin.take().zip(self.child.stdout.take());
        let (input, output) =
            streams.ok_or_else(|| anyhow::anyhow!("the streams of the server are in use"))?;
        Ok(ServerStreams { output: Box::new(output), input: Box::new(input) })
    }

    fn pass_signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid {
            // It may have ended already.
            let _ = kill_process(pid, signal);
        }
    }

    /// The exit code of the server, once it has ended.
    async fn exit(mut self) -> anyhow::Result<CommandExit> {
        let status: ExitStatus = self.child.wait().await?;
        // As in a shell: 128 plus the signal's number.
        let code = status.code().or(status.signal().map(|signal| 128 + signal)).unwrap_or(1);
        Ok(CommandExit(u8::try_from(code).unwrap_or(1)))
    }
}
