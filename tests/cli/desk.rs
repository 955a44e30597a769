//! A temporary folder and a clean environment in which tests run the command.

use crate::snapshot_text::hide;
use countersign_api::{self as api, ApprovalGate, CallGate, SendOperation, operations};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::{Clock, StoreOptions};
use futures_util::StreamExt;
use std::{
    fmt,
    fs::OpenOptions,
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    process::{Output, Stdio},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

/// The command under test.
pub(crate) const COUNTERSIGN: &str = env!("CARGO_BIN_EXE_countersign-under-test");

/// The time limit of one test.
const LIMIT: Duration = Duration::from_mins(1);

/// A folder and an environment in which a test runs commands.
pub(crate) struct TerminalDesk {
    folder: TempDir,
    env: Vec<(&'static str, String)>,
}

/// Runs a story within the time limit, in a folder with an empty `countersign.db`, which is the default log there.
pub(crate) async fn with_desk(work: impl AsyncFnOnce(&mut TerminalDesk)) {
    with_empty_desk(async |desk| {
        let file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(desk.path("countersign.db"));
        drop(file.expect("the folder is writable"));
        work(desk).await;
    })
    .await;
}

/// Runs a story with an empty folder, which is also the home folder, within the time limit.
pub(crate) async fn with_empty_desk(work: impl AsyncFnOnce(&mut TerminalDesk)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut desk = TerminalDesk { folder, env: Vec::new() };
    tokio::time::timeout(LIMIT, work(&mut desk)).await.expect("the test hangs");
}

impl TerminalDesk {
    /// Returns a path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write_file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the folder is writable");
    }

    /// Sets an environment variable for all later commands.
    pub(crate) fn set_variable(&mut self, name: &'static str, value: &str) {
        self.env.push((name, value.to_owned()));
    }

    /// Returns the complete environment of the commands.
    pub(crate) fn env(&self) -> Vec<(&'static str, String)> {
        let path = std::env::var("PATH").unwrap_or_default();
        let home = self.folder.path().display().to_string();
        let mut env = vec![("PATH", path), ("HOME", home), ("LANG", "C.UTF-8".to_owned())];
        env.extend(self.env.clone());
        env
    }

    /// Returns the command under test, with arguments that are split as in a shell.
    fn command(&self, line: &str) -> Command {
        let words = shlex::split(line).expect("a line that a shell can read");
        let mut command = Command::new(COUNTERSIGN);
        command.args(words).env_clear().envs(self.env()).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    /// Runs `countersign` with these arguments to its end.
    pub(crate) async fn types(&self, line: &str) -> DeskScreen {
        self.screen(&self.command(line).output().await.expect("the command starts"))
    }

    /// Runs a command to its end with a last argument that is not UTF-8.
    pub(crate) async fn types_bytes(&self, line: &str, last: &[u8]) -> DeskScreen {
        use std::os::unix::ffi::OsStrExt;
        let mut command = self.command(line);
        command.arg(std::ffi::OsStr::from_bytes(last));
        self.screen(&command.output().await.expect("the command starts"))
    }

    /// Runs `countersign` with this text on stdin to its end.
    pub(crate) async fn pipes(&self, line: &str, input: &str) -> DeskScreen {
        self.start_with(line, input).await.wait_for_exit().await
    }

    /// Runs another program with this text on stdin to its end.
    pub(crate) async fn pipes_program(&self, program: &str, args: &[&str], input: &str) -> DeskScreen {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.env()).current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        self.spawn_with(command, input).await.wait_for_exit().await
    }

    /// Starts `countersign` in the background with this text on stdin.
    pub(crate) async fn start_with(&self, line: &str, input: &str) -> RunningCommand<'_> {
        let mut command = self.command(line);
        command.stdin(Stdio::piped());
        self.spawn_with(command, input).await
    }

    /// Starts `countersign` in the background, and keeps its stdin open.
    pub(crate) fn start_open(&self, line: &str) -> OpenCommand<'_> {
        let mut command = self.command(line);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the command starts");
        let stdin = child.stdin.take().expect("piped");
        OpenCommand { stdin, command: self.running(child) }
    }

    async fn spawn_with(&self, mut command: Command, input: &str) -> RunningCommand<'_> {
        let mut child = command.spawn().expect("the command starts");
        let mut stdin = child.stdin.take().expect("piped");
        // A command that fails early may have closed its stdin.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        self.running(child)
    }

    /// Waits until people are asked about a call.
    pub(crate) async fn wait_for_pending(&self, id: &str) {
        let gate = self.gate().await;
        let mut events = gate.follow(api::LogFilter::default(), 0);
        while let Some(event) = events.next().await {
            let event = event.expect("the log can be read");
            if event.kind == api::EventType::ApprovalRequest && event.data.as_str().contains(id) {
                break;
            }
        }
        drop(events);
        gate.shut_down().await;
    }

    /// Starts a command in the background.
    pub(crate) fn start(&self, line: &str) -> RunningCommand<'_> {
        self.running(self.command(line).spawn().expect("the command starts"))
    }

    fn running(&self, mut child: Child) -> RunningCommand<'_> {
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        RunningCommand { desk: self, child, stdout, stderr, output: [Vec::new(), Vec::new()] }
    }

    /// Runs another program to its end; it must succeed.
    pub(crate) async fn run_program(&self, program: &str, args: &[&str]) -> String {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.env()).current_dir(self.folder.path()).kill_on_drop(true);
        let output = command.output().await.expect("the program starts");
        assert!(output.status.success(), "{program} {args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Runs another program to its end, which may fail.
    pub(crate) async fn try_program(&self, program: &str, args: &[&str]) -> DeskScreen {
        let mut command = Command::new(program);
        command.args(args).env_clear().envs(self.env()).current_dir(self.folder.path()).kill_on_drop(true);
        self.screen(&command.output().await.expect("the program starts"))
    }

    /// Opens the log in this folder, as another process would.
    pub(crate) async fn gate(&self) -> EmbeddedGate {
        self.gate_at(Clock::System).await
    }

    /// As [`Self::gate`], with a clock of the test.
    pub(crate) async fn gate_at(&self, clock: Clock) -> EmbeddedGate {
        let options = StoreOptions { clock, ..StoreOptions::default() };
        let opened = EmbeddedGate::open_with(self.path("countersign.db"), options, Policy::shipped()).await;
        opened.expect("the log opens").acting_as(Principal::agent("builder"))
    }

    /// Proposes a tool call in a thread, as `agent:builder`.
    pub(crate) async fn propose(&self, thread: &str, id: &str, tool: &str, arguments: &str) {
        self.propose_at(Clock::System, thread, id, tool, arguments).await;
    }

    /// As [`Self::propose`], for a call in the folder, as `run` proposes it.
    pub(crate) async fn propose_here(&self, thread: &str, id: &str, tool: &str, arguments: &str) {
        let call = api::ProposeRequest::new(id, tool, arguments).expect("a valid call");
        let place = self.path("").canonicalize().expect("the folder exists").display().to_string();
        let place = Some(api::Place::folder(place.trim_end_matches('/')));
        let thread = countersign_api::parse_thread_id(thread).expect("a valid name");
        let gate = self.gate().await;
        gate.propose(&thread, &api::ProposeRequest { place, ..call }).await.expect("proposed");
        gate.shut_down().await;
    }

    /// As [`Self::propose`], a minute ago.
    pub(crate) async fn propose_earlier(&self, thread: &str, id: &str, tool: &str, arguments: &str) {
        let (clock, _) = Clock::manual(Clock::System.now().before(Duration::from_mins(1)));
        self.propose_at(clock, thread, id, tool, arguments).await;
    }

    async fn propose_at(&self, clock: Clock, thread: &str, id: &str, tool: &str, arguments: &str) {
        let gate = self.gate_at(clock).await;
        let call = api::ProposeRequest::new(id, tool, arguments).expect("a valid call");
        let thread = countersign_api::parse_thread_id(thread).expect("a valid name");
        gate.propose(&thread, &call).await.expect("proposed");
        gate.shut_down().await;
    }

    /// Puts an active policy in the folder's log, as a person.
    pub(crate) async fn apply_policy(&self, text: &str) {
        let gate = self.gate().await.acting_as(Principal::user("operator"));
        let replaces = gate.send(operations::ShowPolicy {}).await.expect("the log has a policy").hash;
        let (text, source) = (text.to_owned(), "a test".to_owned());
        let request = api::PolicyRequest { text, layers: Vec::new(), source, replaces };
        gate.send(operations::ApplyPolicy { body: request }).await.expect("the policy is valid");
        gate.shut_down().await;
    }

    fn screen(&self, output: &Output) -> DeskScreen {
        let text = |bytes: &[u8]| {
            let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
            hide(&self.without_paths(&text))
        };
        let code = output.status.code().expect("no signal ended it");
        DeskScreen { stdout: text(&output.stdout), stderr: text(&output.stderr), code }
    }

    /// Replaces the folder path and the command path with fixed text.
    pub(crate) fn without_paths(&self, text: &str) -> String {
        let here = self.folder.path().display().to_string();
        text.replace(COUNTERSIGN, "countersign").replace(&here, "[here]")
    }
}

/// A command in the background.
pub(crate) struct RunningCommand<'a> {
    desk: &'a TerminalDesk,
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
    output: [Vec<u8>; 2],
}

impl RunningCommand<'_> {
    /// Reads stderr up to a line that contains `text`.
    pub(crate) async fn wait_for_stderr(&mut self, text: &str) {
        read_up_to(&mut self.stderr, &mut self.output[1], text).await;
    }

    /// Reads stdout up to a line that contains `text`. Returns everything read so far.
    pub(crate) async fn wait_for_stdout(&mut self, text: &str) -> String {
        read_up_to(&mut self.stdout, &mut self.output[0], text).await;
        String::from_utf8(self.output[0].clone()).expect("UTF-8")
    }

    /// Sends a signal to the command.
    pub(crate) async fn send_signal(&self, signal: &str) {
        let pid = self.child.id().expect("the process runs").to_string();
        self.desk.run_program("kill", &["-s", signal, &pid]).await;
    }

    /// Waits for the command to exit.
    pub(crate) async fn wait_for_exit(mut self) -> DeskScreen {
        let [mut stdout, mut stderr] = self.output;
        let rest = tokio::join!(self.stdout.read_to_end(&mut stdout), self.stderr.read_to_end(&mut stderr));
        assert!(rest.0.is_ok() && rest.1.is_ok(), "its output can be read");
        let status = self.child.wait().await.expect("the process ends");
        self.desk.screen(&Output { status, stdout, stderr })
    }
}

/// A command in the background that reads lines.
pub(crate) struct OpenCommand<'a> {
    stdin: ChildStdin,
    command: RunningCommand<'a>,
}

impl OpenCommand<'_> {
    /// Writes a line to stdin.
    pub(crate) async fn send(&mut self, line: &str) {
        self.stdin.write_all(format!("{line}\n").as_bytes()).await.expect("the command reads");
    }

    /// Reads stdout up to a line that contains `text`.
    pub(crate) async fn wait_for_stdout(&mut self, text: &str) {
        self.command.wait_for_stdout(text).await;
    }

    /// Waits for the command to exit, and closes its stdin then.
    pub(crate) async fn wait_for_exit(self) -> DeskScreen {
        let screen = self.command.wait_for_exit().await;
        drop(self.stdin);
        screen
    }
}

async fn read_up_to(from: &mut (impl AsyncBufReadExt + Unpin), kept: &mut Vec<u8>, text: &str) {
    loop {
        let start = kept.len();
        let length = from.read_until(b'\n', kept).await.expect("its output can be read");
        assert!(
            length > 0,
            "the command ended before it printed {text:?}: {}",
            String::from_utf8_lossy(kept)
        );
        if String::from_utf8_lossy(&kept[start..]).contains(text) {
            return;
        }
    }
}

/// The output and the exit code of a command.
pub(crate) struct DeskScreen {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl fmt::Display for DeskScreen {
    /// Prints stdout, then each line of stderr after `!`, then the exit code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stdout)?;
        for line in self.stderr.lines() {
            writeln!(f, "! {line}")?;
        }
        write!(f, "exit {}", self.code)
    }
}
