//! The service as real programs, which share one log.

mod player;
mod process;
mod server;

pub use player::Player;
pub use process::{Process, ProcessEnd};
pub use server::Server;

use super::{Database, Service, World, WorldGround, new_clock, terminal::AtTerminal};
use crate::Cluster;
use countersign_api::{self as api, ApprovalGate, LogFilter};
use countersign_coding_agents::environment::AGENT_VARIABLES;
use countersign_events::{Event, EventType};
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::process::Command;

/// The programs that cargo built for the test. Cargo tells their paths only to the test itself: see [`programs`].
#[derive(Debug, Clone, Copy)]
pub struct Programs {
    /// The command under test.
    pub countersign: &'static str,
    /// The program that runs one part of a test in its own process: see `tests/player`.
    pub player: &'static str,
}

/// Returns the [`Programs`](crate::Programs) of the test that uses this macro.
#[macro_export]
macro_rules! programs {
    () => {
        $crate::Programs {
            countersign: env!("CARGO_BIN_EXE_countersign-under-test"),
            player: env!("CARGO_BIN_EXE_countersign-player"),
        }
    };
}

/// A service that runs as real programs.
pub struct Processes {
    pub(super) programs: Programs,
}

/// A world of real programs, which use the machine's clock.
pub type ProcessWorld = World<Processes>;

impl Service for Processes {
    type Transport = AtTerminal;

    fn transport(world: &World<Self>) -> AtTerminal {
        AtTerminal::new(world)
    }
}

impl World<Processes> {
    /// Creates a world without a log: an empty folder and, on PostgreSQL, a new database server.
    pub async fn of_processes(programs: Programs, database: Database) -> Self {
        Self::new(Processes { programs }, Policy::ask_always(), new_clock(), WorldGround::new(database).await)
    }

    /// Creates a world without a log, on a database server that the test has set up.
    #[must_use]
    pub fn of_processes_on(programs: Programs, cluster: Cluster) -> Self {
        Self::new(Processes { programs }, Policy::ask_always(), new_clock(), WorldGround::on(cluster))
    }

    /// Returns a file path in the test folder.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes a policy for the programs, and returns its path.
    #[must_use]
    pub fn write_policy(&self, policy: &str) -> String {
        let path = self.file("policy.toml");
        fs::write(&path, policy).expect("the folder is writable");
        path.display().to_string()
    }

    /// Returns a command for any program, in the test's folder and without Countersign's settings in its environment.
    #[must_use]
    pub fn program(&self, program: &str) -> Command {
        program_in(self.folder(), program)
    }

    /// Returns the command under test.
    #[must_use]
    pub fn countersign(&self, words: &[&str]) -> Command {
        let mut command = self.program(self.service.programs.countersign);
        command.args(words);
        command
    }

    /// Returns the command under test, over the log of this world.
    #[must_use]
    pub fn countersign_over_log(&self, words: &[&str]) -> Command {
        let mut command = self.countersign(&["--database", &self.url()]);
        command.args(words);
        command
    }

    /// Starts `countersign run` over the log, and returns when it waits for a decision.
    pub async fn starts_run(&self, words: &[&str]) -> Process {
        Process::start_waiting(self.countersign_over_log(&["run"]).args(words)).await
    }

    /// Starts `countersign run` over the server at this URL, and returns when it waits for a decision.
    pub async fn starts_run_at(&self, server_url: &str, words: &[&str]) -> Process {
        Process::start_waiting(self.countersign(&["--server", server_url, "run"]).args(words)).await
    }

    /// Runs the command under test over the log to its end. Returns its exit code and its standard output.
    pub async fn runs(&self, words: &[&str]) -> (i32, String) {
        let ended = Process::start(&mut self.countersign_over_log(words)).ended().await;
        (ended.code, ended.stdout)
    }

    /// Starts a server on a free port.
    pub async fn serves(&self) -> Server {
        self.serves_with(&[]).await
    }

    /// Starts a server on a free port, with more options.
    pub async fn serves_with(&self, words: &[&str]) -> Server {
        Server::start(self, "127.0.0.1:0", words).await
    }

    /// Starts a server on a free port over the log at another address than that of this world, for example through a proxy.
    pub async fn serves_over(&self, address: &str) -> Server {
        Server::start_over(self, address).await
    }

    /// Starts a server on a free port, with these variables in its environment and more options.
    pub async fn serves_with_variables(&self, variables: &[(&str, &str)], words: &[&str]) -> Server {
        Server::start_with_variables(self, variables, words).await
    }

    /// Starts a server on a free port that may have this many files open.
    pub async fn serves_with_open_files(&self, files: u32, words: &[&str]) -> Server {
        Server::start_with_open_files(self, files, words).await
    }

    /// Starts a server on this address.
    pub async fn serves_on(&self, listen: &str) -> Server {
        Server::start(self, listen, &[]).await
    }

    /// Starts a player, and returns when it is ready to start its part.
    pub async fn starts_player(&self, part: &Value) -> Player {
        Player::start(self, part).await
    }

    /// Opens a gate over the log, in the test's own process.
    pub async fn gate(&self) -> EmbeddedGate {
        EmbeddedGate::open(self.address()).await.expect("the log opens")
    }

    /// Returns the number of lines in a file in the test folder, or 0 if the file is absent. Commands under test
    /// append one line for each run.
    #[must_use]
    pub fn line_count(&self, name: &str) -> usize {
        fs::read_to_string(self.file(name)).map_or(0, |text| text.lines().count())
    }

    /// Returns the events of all threads: the log without its policies. Panics if the log does not verify, or if its
    /// `seq` has gaps.
    pub async fn verified_log(&self) -> Vec<Arc<Event>> {
        let mut events = self.whole_log().await;
        events.retain(|event| event.kind != EventType::PolicySet);
        events
    }

    /// Returns the whole log, with its policies. Panics like [`verified_log`](Self::verified_log).
    pub async fn whole_log(&self) -> Vec<Arc<Event>> {
        let gate = self.gate().await;
        let report = gate.verify(|_| {}).await.expect("the log reads");
        assert!(report.holds(), "{report:?}");
        let mut events: Vec<Arc<Event>> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = api::PageQuery { after, limit: api::MAX_PAGE };
            let page = gate.events(&LogFilter::default(), page).await.expect("a page");
            events.extend(page.events);
            if page.next.is_none() {
                break;
            }
        }
        gate.shut_down().await;
        // A server that still runs may have written more since the log was verified.
        let count = i64::try_from(events.len()).expect("a count").max(report.events);
        assert!(events.iter().map(|event| event.seq).eq(1..=count), "the seq of the log has gaps");
        events
    }
}

pub(super) fn program_in(folder: &Path, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("HOME", folder);
    // The default log of the user who runs the tests.
    command.env_remove("XDG_DATA_HOME");
    for name in ["DATABASE", "SERVER", "POLICY", "LISTEN", "LOG"] {
        command.env_remove(format!("COUNTERSIGN_{name}"));
    }
    // A coding agent may run the tests, and a test program must not seem to run in an agent.
    for variable in AGENT_VARIABLES {
        command.env_remove(variable.name);
    }
    // Most tests do not read the program's log, and a program blocks when the pipe is full.
    command.env("COUNTERSIGN_LOG", "warn");
    command
}
