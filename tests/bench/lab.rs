//! Common scenario code: a folder for files, the commands in a cycle, and this program as a child process.

use countersign_approvals::{
    CallCommand, CommandEnvelope, CommandEvidence, CommandTarget,
    decide::{ClaimCommand, FinishCommand, HashedArguments, ProposalReview, ProposeCommand, RespondCommand},
};
use countersign_events::{CallId, Decision, Json, Principal, Sha256, Status, ThreadId, ToolName};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, DatabaseUrl, Store, StoreOptions};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{future::pending, process::Stdio, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout},
};

/// A step's result. Any error ends the run.
pub(crate) type LabOutcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Creates a folder in `COUNTERSIGN_BENCH_DIR`, or else in the folder for temporary files.
pub(crate) fn folder() -> LabOutcome<TempDir> {
    Ok(match std::env::var_os("COUNTERSIGN_BENCH_DIR") {
        Some(parent) => tempfile::tempdir_in(parent)?,
        None => tempfile::tempdir()?,
    })
}

/// Returns the database address of a file in `folder`.
pub(crate) fn file(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// A store, and the agent's and the approver's commands on it.
#[derive(Clone)]
pub(crate) struct BenchLab {
    pub(crate) store: Store,
    policy: Arc<Policy>,
}

impl BenchLab {
    /// Opens the log at an address of `--database`.
    pub(crate) async fn open(address: &str, options: StoreOptions) -> LabOutcome<Self> {
        let store = Store::open(DatabaseUrl::parse(address)?, options).await?;
        Ok(Self { store, policy: Arc::new(Policy::ask_always().without_pending_limits()) })
    }

    pub(crate) async fn propose(&self, thread: &ThreadId, id: &CallId) -> LabOutcome<CommandOutcome> {
        let arguments = arguments(id)?;
        let command = ProposeCommand {
            id: id.clone(),
            name: ToolName::new("bash")?,
            arguments,
            annotations: None,
            impact: None,
            description: None,
            place: None,
            definition: None,
            identity: countersign_approvals::decide::DefinitionIdentity::Computed,
            expires_in: None,
            replaces: None,
            withdraw_when_gone: false,
        };
        self.execute_command(thread, id, CallCommand::Propose(command), Principal::agent("bot")).await
    }

    pub(crate) async fn allow(&self, thread: &ThreadId, id: &CallId) -> LabOutcome<CommandOutcome> {
        let command = RespondCommand::plain(Decision::AllowOnce);
        self.execute_command(thread, id, CallCommand::Respond(command), Principal::user("ada")).await
    }

    /// Claims and finishes an allowed call.
    pub(crate) async fn execute(&self, thread: &ThreadId, id: &CallId) -> LabOutcome<()> {
        let arguments_hash = arguments(id)?.hash();
        let claim = ClaimCommand {
            executor: "worker".into(),
            arguments_hash,
            lease: None,
            arguments: None,
            definition_hash: None,
        };
        self.execute_command(thread, id, CallCommand::Claim(claim), Principal::agent("bot")).await?;
        let finish =
            FinishCommand { status: Status::Success, content: Json::string("ok"), executor: None, ran: None };
        self.execute_command(thread, id, CallCommand::Finish(finish), Principal::agent("bot")).await?;
        Ok(())
    }

    async fn execute_command(
        &self,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        by: Principal,
    ) -> LabOutcome<CommandOutcome> {
        let evidence = match &command {
            CallCommand::Propose(propose) => {
                let subject = propose.subject(thread, &by);
                let hash = propose.arguments.hash();
                CommandEvidence::Proposal(ProposalReview::new(&self.policy, hash, &subject, &|| false))
            }
            _ => CommandEvidence::NotNeeded,
        };
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(thread.clone(), id.clone()),
            command: command.into(),
            by: by.into(),
            now: self.store.clock().now(),
            policy: Arc::clone(&self.policy),
            evidence,
            log: Sha256::ZERO,
        };
        Ok(self.store.execute(envelope).await?)
    }
}

/// Returns call arguments as JSON. They differ for each call, because a remembered decision would answer a
/// call with equal arguments.
pub(crate) fn json(id: &CallId) -> String {
    format!(r#"{{"command":"git show --stat {id}","cwd":"/home/ada/project"}}"#)
}

pub(crate) fn arguments(id: &CallId) -> LabOutcome<HashedArguments> {
    Ok(HashedArguments::new(Json::parse(&json(id))?)?)
}

pub(crate) fn thread(n: usize) -> LabOutcome<ThreadId> {
    Ok(ThreadId::new(&format!("thread-{n}"))?)
}

pub(crate) fn call(n: usize) -> LabOutcome<CallId> {
    Ok(CallId::new(&format!("call_{n}"))?)
}

/// Returns the command that starts this program as a child process, in a scenario role.
pub(crate) fn child(role: &str, arguments: &[String]) -> LabOutcome<tokio::process::Command> {
    let mut command = tokio::process::Command::new(std::env::current_exe()?);
    command.arg("--child").arg(role).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    Ok(command)
}

/// A child process that exchanges lines with its parent.
pub(crate) struct OtherProcess {
    child: Child,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl OtherProcess {
    pub(crate) fn start(role: &str, arguments: &[String]) -> LabOutcome<Self> {
        let mut child = child(role, arguments)?.spawn()?;
        let stdout = child.stdout.take().ok_or("the child has no stdout")?;
        Ok(Self { child, stdout: BufReader::new(stdout).lines() })
    }

    pub(crate) async fn send_line(&mut self, word: &str) -> LabOutcome<()> {
        let stdin = self.child.stdin.as_mut().ok_or("the child has no stdin")?;
        Ok(stdin.write_all(format!("{word}\n").as_bytes()).await?)
    }

    /// Waits for the next line, which must be `word`.
    pub(crate) async fn expect_line(&mut self, word: &str) -> LabOutcome<()> {
        match self.stdout.next_line().await? {
            Some(line) if line == word => Ok(()),
            line => Err(format!("the child printed {line:?} instead of {word}").into()),
        }
    }

    pub(crate) async fn kill(mut self) -> LabOutcome<()> {
        Ok(self.child.kill().await?)
    }
}

/// Runs a child to its end. Returns the numbers that it prints.
pub(crate) async fn numbers(role: &str, arguments: &[String]) -> LabOutcome<Vec<f64>> {
    let output = child(role, arguments)?.output().await?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

/// Returns the resident memory in bytes of the process with this id; `self` is this process.
pub(crate) fn resident(process: &str) -> LabOutcome<usize> {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm"))?;
    let pages: usize = statm.split_whitespace().nth(1).ok_or("no pages in statm")?.parse()?;
    Ok(pages * 4_096)
}

/// Allows this process, and those that it starts, as many open files as the system permits without privileges.
pub(crate) fn allow_many_files() -> LabOutcome<()> {
    let limit = getrlimit(Resource::Nofile);
    Ok(setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })?)
}

pub(crate) async fn pause(duration: Duration) {
    let _ = tokio::time::timeout(duration, pending::<()>()).await;
}
