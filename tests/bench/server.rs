//! The built `countersign` program, which serves a log with its defaults in a process of its own.

use crate::{
    client::{BenchClient, BenchTarget},
    lab::{self, LabOutcome},
};
use countersign_policy::Policy;
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// Builds the program that ships, so that no figure is from an older one. `COUNTERSIGN_BENCH_PROGRAM` names another one.
pub(crate) async fn build_program() -> LabOutcome<()> {
    // Only cargo sets CARGO. A benchmark that was started by hand uses the program as it is.
    let Some(cargo) = std::env::var_os("CARGO").filter(|_| named_program().is_none()) else { return Ok(()) };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let arguments = ["build", "--release", "--locked", "--bin", "countersign"];
    let mut build = Command::new(cargo);
    build.args(arguments).current_dir(root);
    // Cargo set these for this package. Build scripts of dependencies read them, so cargo would build those again.
    for (name, _) in std::env::vars_os() {
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|own| name.to_string_lossy().starts_with(own)) {
            build.env_remove(name);
        }
    }
    let outcome = build.status().await?;
    if outcome.success() { Ok(()) } else { Err("the program cannot be built".into()) }
}

fn named_program() -> Option<PathBuf> {
    std::env::var_os("COUNTERSIGN_BENCH_PROGRAM").map(PathBuf::from)
}

/// Returns the program's path: beside the folder of this one, unless the environment names another.
pub(crate) fn program() -> LabOutcome<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.parent()?.join("countersign"));
    let path = named_program().or_else(beside).ok_or("the path of this program is unknown")?;
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("the program {} does not exist", path.display()).into())
    }
}

/// Writes the shipped policy without limits of pending calls, and with `more`. Returns the path.
pub(crate) fn write_policy(folder: &TempDir, more: &str) -> LabOutcome<PathBuf> {
    let path = folder.path().join("policy.toml");
    let limits = "[limits]\npendingPerThread = 1000000\npendingPerAgent = 1000000\n";
    std::fs::write(&path, format!("{}\n{limits}\n{more}", Policy::shipped().text().text))?;
    Ok(path)
}

/// Reads the agent token and the approver token, which the first start on a log keeps for commands.
fn first_tokens(folder: &TempDir) -> LabOutcome<(Arc<str>, Arc<str>)> {
    let text = std::fs::read_to_string(folder.path().join(".local/share/countersign/credentials.toml"))?;
    let token = |side: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(side)?.trim().strip_prefix('='));
        Some(Arc::from(value?.trim().trim_matches('"')))
    };
    Ok(token("agent").zip(token("person")).ok_or("the server kept no tokens")?)
}

/// Runs a command of the program on the log `log.db` in `folder`.
pub(crate) async fn run_command(folder: &TempDir, words: &[&str]) -> LabOutcome<()> {
    let mut command = Command::new(program()?);
    command.args(["--database", &lab::file(folder, "log.db")]).args(words);
    let ended = command.env_clear().env("HOME", folder.path()).env("USER", "bench").output().await?;
    if ended.status.success() {
        return Ok(());
    }
    let [printed, errors] = [&ended.stdout, &ended.stderr].map(|text| String::from_utf8_lossy(text));
    Err(format!("{words:?}: {printed}{errors}").into())
}

/// A server with its defaults, except for its port and its folder.
pub(crate) struct BenchServer {
    child: Child,
    pub(crate) target: BenchTarget,
    /// The id of its process.
    pub(crate) process: Pid,
    stdin: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl BenchServer {
    /// Starts a server with the log `log.db` in `folder`. Its log lines go to a file, as they would under a service
    /// manager.
    pub(crate) async fn start(folder: &TempDir) -> LabOutcome<Self> {
        Self::start_with_policy(folder, "").await
    }

    /// Starts a server with a policy that has `more` tables.
    pub(crate) async fn start_with_policy(folder: &TempDir, more: &str) -> LabOutcome<Self> {
        Self::start_program(&program()?, folder, more).await
    }

    /// Starts a server that [counts](Self::count_allocations).
    pub(crate) async fn start_counted(folder: &TempDir) -> LabOutcome<Self> {
        Self::start_program(Path::new(env!("CARGO_BIN_EXE_countersign-counted")), folder, "").await
    }

    async fn start_program(program: &Path, folder: &TempDir, more: &str) -> LabOutcome<Self> {
        let log = File::options().create(true).append(true).open(folder.path().join("server.log"))?;
        let mut child = Command::new(program)
            .args(["serve", "--json", "--listen", "127.0.0.1:0"])
            // Settings of the person who runs the benchmark must not change the server.
            .env_clear()
            .env("HOME", folder.path())
            // All clients of a benchmark are one caller.
            .env("COUNTERSIGN_CALLER_LIMITS", "requests=1000000")
            .env("COUNTERSIGN_POLICY", write_policy(folder, more)?)
            .env("COUNTERSIGN_DATABASE", lab::file(folder, "log.db"))
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()?;
        let (stdin, stdout) = child.stdin.take().zip(child.stdout.take()).ok_or("the server has no pipes")?;
        let mut output = BufReader::new(stdout).lines();
        let line = output.next_line().await?;
        let line = line.ok_or_else(|| format!("the server has ended; see {}", folder.path().display()))?;
        let introduction: serde_json::Value = serde_json::from_str(&line)?;
        let url = introduction.get("listening").and_then(serde_json::Value::as_str);
        let address = url.and_then(|url| url.strip_prefix("http://")).ok_or("the server names no address")?;
        let id = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        let (agent, approver) = first_tokens(folder)?;
        let target = BenchTarget { address: address.parse()?, agent, approver };
        Ok(Self { target, process: id.ok_or("the server has ended")?, child, stdin, output })
    }

    /// The number of blocks of memory that a counting server has allocated.
    pub(crate) async fn count_allocations(&mut self) -> LabOutcome<f64> {
        self.stdin.write_all(b"count\n").await?;
        let line = self.output.next_line().await?;
        Ok(line.ok_or("the server has ended")?.parse()?)
    }

    /// Returns the resident memory of the process in bytes.
    pub(crate) fn memory(&self) -> LabOutcome<usize> {
        lab::resident(&self.process.as_raw_nonzero().to_string())
    }

    /// Reads a metric without labels.
    pub(crate) async fn metric(&self, name: &str) -> LabOutcome<f64> {
        let mut client = BenchClient::connect(&self.target).await?;
        let text = client.get("/metrics").await?.text()?;
        let mut values = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let value = values.next().ok_or_else(|| format!("the server has no metric {name}"))?;
        Ok(value.trim().parse()?)
    }

    /// Adds a metric's values for all its labels.
    pub(crate) async fn metric_sum(&self, name: &str) -> LabOutcome<f64> {
        let mut client = BenchClient::connect(&self.target).await?;
        let text = client.get("/metrics").await?.text()?;
        let labelled = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
        let values = labelled.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok());
        Ok(values.sum())
    }

    /// Stops the server as a service manager does, and waits for its end.
    pub(crate) async fn stop(mut self) -> LabOutcome<()> {
        kill_process(self.process, Signal::TERM)?;
        self.child.wait().await?;
        Ok(())
    }
}
