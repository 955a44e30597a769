//! The cases in which a hook must block, each made with the configured command.

use countersign_api::{ApprovalGate, PolicyRequest, SendOperation, operations};
use countersign_coding_agents::{
    agents::CodingAgent,
    config::{InstalledHook, without_guard},
};
use countersign_console::escape_text;
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::StoreOptions;
use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};
use tokio::{io::AsyncWriteExt, net::TcpListener, process::Command};

/// The time limit of the hook in each case.
const HOOK_LIMIT: &str = "3s";

/// The time after which a case fails.
const CASE_LIMIT: Duration = Duration::from_secs(30);

/// A case outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseOutcome {
    /// The agent does not run the call.
    Blocked,
    /// The agent runs the call, as it must.
    Allowed,
    /// The agent runs a call about which the hook was not asked, or which it could not stop.
    NotAsked,
    /// The agent runs the call, whatever the configuration says.
    Limit,
    /// No gateway stands before these MCP servers.
    NotWrapped,
    /// The hook could not be run as the agent runs it.
    Failed,
}

impl CaseOutcome {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Allowed => "allowed",
            Self::NotAsked => "not asked",
            Self::Limit => "runs",
            Self::NotWrapped => "not wrapped",
            Self::Failed => "failed",
        }
    }
}

/// A case with its outcome.
pub(super) struct CheckedCase {
    pub(super) case: &'static str,
    pub(super) outcome: CaseOutcome,
    /// Whether the outcome is the one that must be.
    pub(super) is_right: bool,
    /// The fact about the agent that the outcome relies on.
    pub(super) relies_on: String,
    /// How that is known.
    pub(super) shown_by: String,
}

/// How the outcome of a case is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CaseEvidence {
    /// The hook's command was run here, and the agent was tried, if at all, in the tests of Countersign.
    HookRun,
    /// Only the agent decides.
    AgentOnly,
    /// Only the agent decides, and nobody tried it.
    Assumed,
    /// Files were read.
    FilesRead,
}

impl CaseEvidence {
    pub(super) fn describe(self, agent: &dyn CodingAgent) -> String {
        let tried = agent.tried_version().map(|version| format!("tests with {version}"));
        let agent_part = tried.unwrap_or_else(|| "documentation".to_owned());
        match self {
            Self::HookRun => format!("run here; {agent_part}"),
            Self::AgentOnly => agent_part,
            Self::Assumed => "assumed, not tried".to_owned(),
            Self::FilesRead => "files read here".to_owned(),
        }
    }
}

/// The fact about an agent that exit code 2 relies on.
const EXIT_CODE: &str = "exit code 2 with a message on stderr stops the call";

/// The fact about an agent that a denial relies on.
const DENIAL: &str = "the answer deny stops the call";

/// A hook in a folder for its cases.
pub(super) struct HookCases<'a> {
    agent: &'static dyn CodingAgent,
    hook: &'a InstalledHook,
    folder: PathBuf,
    /// The command line from `hook` on.
    tail: String,
    program: String,
    /// What follows in the command: the guard.
    guard: String,
}

impl<'a> HookCases<'a> {
    /// `None` if the command is not as `install` writes it.
    pub(super) fn new(
        agent: &'static dyn CodingAgent,
        hook: &'a InstalledHook,
        folder: &Path,
    ) -> Option<Self> {
        let own = without_guard(agent, &hook.command)?;
        let words = shlex::split(own)?;
        let at = words.iter().position(|word| word == "hook")?;
        let tail = shlex::try_join(words[at..].iter().map(String::as_str)).ok()?;
        let program = words.first()?.clone();
        let guard = hook.command[own.len()..].to_owned();
        Some(Self { agent, hook, folder: folder.to_owned(), tail, program, guard })
    }

    /// Makes all cases.
    pub(super) async fn check_all(&self) -> anyhow::Result<Vec<CheckedCase>> {
        let allowing = self
            .make_log("allowing.db", "[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"")
            .await?;
        let denying = self.make_log("denying.db", "default = \"block\"").await?;
        let closed = TcpListener::bind("127.0.0.1:0").await?;
        let missing = format!("--server http://{}", closed.local_addr()?);
        drop(closed);
        let silent = TcpListener::bind("127.0.0.1:0").await?;
        let hung = format!("--server http://{}", silent.local_addr()?);
        let killed = self.write_script("killed", "kill -KILL $$")?;
        let own = |target: &str| self.line(&self.program, target);
        let relies_on = if self.guard.contains("exit 2") { EXIT_CODE } else { DENIAL };
        let full = format!("ulimit -f 0; {}", own(&allowing));
        let mut cases = vec![
            self.check("an allowed call", own(&allowing), CaseOutcome::Allowed, "it runs").await?,
            self.check("a denied call", own(&denying), CaseOutcome::Blocked, DENIAL).await?,
        ];
        for (case, line) in [
            ("a killed hook", self.line(&killed, &allowing)),
            ("a missing program", self.line("/nonexistent/countersign", &allowing)),
            ("a missing server", own(&missing)),
            ("a server that does not answer", own(&hung)),
            ("a full disk", full),
        ] {
            cases.push(self.check(case, line, CaseOutcome::Blocked, relies_on).await?);
        }
        cases.push(self.killed_with_shell(&allowing).await?);
        let is_tried = self.agent.is_frozen_hook_tried() || self.agent.tried_version().is_none();
        let evidence = if is_tried { CaseEvidence::AgentOnly } else { CaseEvidence::Assumed };
        let frozen = "a hook that is frozen until its time-out";
        cases.push(self.unanswered(frozen, "the time-out of its hook", evidence));
        cases.push(self.garbled(&allowing).await?);
        Ok(cases)
    }

    /// Another program in the place of this one, which prints something else than an answer and reports success. No shell
    /// guard can tell, because a program in its place could also print an answer.
    async fn garbled(&self, target: &str) -> anyhow::Result<CheckedCase> {
        let case = "a hook that prints garbage";
        let script = self.write_script("garbled", "echo '{garbled'")?;
        let output = tokio::time::timeout(CASE_LIMIT, self.run(&self.line(&script, target))).await??;
        let is_blocked = self.agent.blocks_garbled_answer();
        let (outcome, relies_on) = match self.classify(&output) {
            (CaseOutcome::Blocked, _) => (CaseOutcome::Blocked, "the guard of the command".to_owned()),
            _ if is_blocked => {
                (CaseOutcome::Blocked, self.agent.failure_setting().unwrap_or_default().to_owned())
            }
            _ => (
                CaseOutcome::Limit,
                format!("{} ignores what is no answer: protect the program's file", self.agent),
            ),
        };
        let shown_by = CaseEvidence::HookRun.describe(self.agent);
        Ok(CheckedCase { case, outcome, is_right: true, relies_on, shown_by })
    }

    /// A hook that is killed together with the shell that guards it: no exit code is left.
    async fn killed_with_shell(&self, target: &str) -> anyhow::Result<CheckedCase> {
        let case = "a killed hook with its shell";
        let script = self.write_script("killed-with-shell", "kill -KILL $PPID; kill -KILL $$")?;
        let ended = tokio::time::timeout(CASE_LIMIT, self.run(&self.line(&script, target))).await;
        let is_killed = matches!(&ended, Ok(Ok(output)) if output.status.code().is_none());
        if is_killed {
            let killed = self.unanswered(case, "its hook was killed", CaseEvidence::HookRun);
            return Ok(match self.agent.blocks_killed_hook() {
                Some(fact) => CheckedCase {
                    outcome: CaseOutcome::Blocked,
                    is_right: true,
                    relies_on: fact.to_owned(),
                    ..killed
                },
                None => killed,
            });
        }
        let (relies_on, shown_by) =
            ("the shell outlived its signal".to_owned(), CaseEvidence::HookRun.describe(self.agent));
        Ok(CheckedCase { case, outcome: CaseOutcome::Failed, is_right: false, relies_on, shown_by })
    }

    /// A hook that the system does not run any more cannot answer: only the agent can stop the call then.
    fn unanswered(&self, case: &'static str, end: &str, evidence: CaseEvidence) -> CheckedCase {
        let blocks = self.hook.blocks_on_failure && self.hook.timeout_seconds.is_some();
        let (outcome, relies_on) = if blocks {
            let setting = self.agent.failure_setting().unwrap_or_default();
            (CaseOutcome::Blocked, setting.to_owned())
        } else {
            (CaseOutcome::NotAsked, format!("{} runs the call after {end}", self.agent))
        };
        let shown_by = evidence.describe(self.agent);
        CheckedCase { case, outcome, is_right: blocks, relies_on, shown_by }
    }

    async fn check(
        &self,
        case: &'static str,
        line: String,
        expected: CaseOutcome,
        relies_on: &str,
    ) -> anyhow::Result<CheckedCase> {
        let (outcome, why) = match tokio::time::timeout(CASE_LIMIT, self.run(&line)).await {
            Ok(output) => self.classify(&output?),
            Err(_) => (CaseOutcome::Failed, Some("it did not end in time".to_owned())),
        };
        let relies_on = why.unwrap_or_else(|| relies_on.to_owned());
        let is_unasked = outcome == CaseOutcome::Allowed && expected == CaseOutcome::Blocked;
        let outcome = if is_unasked { CaseOutcome::NotAsked } else { outcome };
        let shown_by = CaseEvidence::HookRun.describe(self.agent);
        Ok(CheckedCase { case, outcome, is_right: outcome == expected, relies_on, shown_by })
    }

    /// The configured command with another program and another log.
    fn line(&self, program: &str, target: &str) -> String {
        let program = shlex::try_quote(program).unwrap_or_default();
        format!("{program} {target} {}{}", self.tail, self.guard)
    }

    /// Runs a line as the agent does: by a shell, with the message on stdin.
    async fn run(&self, line: &str) -> anyhow::Result<Output> {
        let mut child = Command::new("sh")
            .args(["-c", line])
            .current_dir(&self.folder)
            .env("COUNTERSIGN_HOOK_LIMIT", HOOK_LIMIT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that is killed may have closed its stdin.
            let _ = stdin.write_all(self.message().as_bytes()).await;
        }
        Ok(child.wait_with_output().await?)
    }

    /// A message from the agent about a call that does nothing.
    fn message(&self) -> String {
        let id = countersign_api::random_id("verify_");
        self.agent.probe_message(&self.folder.display().to_string(), &id).to_string()
    }

    /// The outcome under the agent rules: exit code 2 with a message stops the call, and so does the answer deny.
    fn classify(&self, output: &Output) -> (CaseOutcome, Option<String>) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        let answer: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_default();
        let words = [
            &answer["hookSpecificOutput"]["permissionDecision"],
            &answer["decision"],
            &answer["permission"],
            &answer["verdict"],
        ];
        let is_denied =
            answer["cancel"] == true || words.iter().any(|word| *word == "deny" || *word == "block");
        match output.status.code() {
            Some(2) if !stderr.trim().is_empty() => (CaseOutcome::Blocked, None),
            Some(0) if is_denied => (CaseOutcome::Blocked, None),
            Some(0) => (CaseOutcome::Allowed, None),
            code => {
                let code = code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
                let why =
                    format!("{} runs the call after {code}: {}", self.agent, escape_text(stderr.trim()));
                (CaseOutcome::Allowed, Some(why))
            }
        }
    }

    /// Makes a log with this policy. Returns the option that names it.
    async fn make_log(&self, name: &str, policy: &str) -> anyhow::Result<String> {
        let path = self.folder.join(name);
        let gate = EmbeddedGate::open_with(path.clone(), StoreOptions::default(), Policy::shipped()).await?;
        let gate = gate.acting_as(Principal::user("verify"));
        let replaces = gate.send(operations::ShowPolicy {}).await?.hash;
        let (text, source) = (policy.to_owned(), "countersign install --verify".to_owned());
        gate.send(operations::ApplyPolicy {
            body: PolicyRequest { text, layers: Vec::new(), source, replaces },
        })
        .await?;
        gate.shut_down().await;
        let path = path.display().to_string();
        Ok(format!("--database {}", shlex::try_quote(&path)?))
    }

    fn write_script(&self, name: &str, text: &str) -> anyhow::Result<String> {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n"))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        Ok(path.display().to_string())
    }
}
