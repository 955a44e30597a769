//! A folder with one log in it, the processes that share it, and what a test asks of them.

mod player;
mod process;
mod random;
mod server;

pub(crate) use player::Player;
pub(crate) use process::Process;
pub(crate) use random::Random;
pub(crate) use server::Server;

use countersign_gate::{Address, Event, Filter, Gate, api};
use countersign_tests::postgres::Cluster;
use serde_json::Value;
use std::{fs, future::Future, path::PathBuf, sync::Arc, time::Duration};
use tempfile::TempDir;
use tokio::process::Command;

/// The one limit round a test: far more than it takes, so that it only ends what hangs.
const LIMIT: Duration = Duration::from_mins(2);

/// Runs a test to its end, or fails it when it hangs.
pub(crate) async fn in_time(test: impl Future<Output = ()>) {
    tokio::time::timeout(LIMIT, test).await.expect("the test hangs");
}

/// A folder of its own, with a log in it, or on a server of its own.
pub(crate) struct Place {
    folder: TempDir,
    server: Option<Cluster>,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), server: None }
    }

    pub(crate) async fn on_postgres() -> Self {
        Self::on(Cluster::started().await)
    }

    pub(crate) fn on(cluster: Cluster) -> Self {
        Self { server: Some(cluster), ..Self::new() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Its server, where it has one.
    pub(crate) fn cluster(&mut self) -> &mut Cluster {
        self.server.as_mut().expect("this place is on PostgreSQL")
    }

    /// What `--database` takes.
    pub(crate) fn database(&self) -> String {
        self.server.as_ref().map_or_else(|| self.path("log.db").display().to_string(), Cluster::url)
    }

    /// Any program, in this folder, with nothing of ours in its environment.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env("HOME", self.folder.path());
        for name in ["DATABASE", "SERVER", "POLICY", "LISTEN", "LOG"] {
            command.env_remove(format!("COUNTERSIGN_{name}"));
        }
        // Most tests do not listen to what is logged, and a pipe holds only so much.
        command.env("COUNTERSIGN_LOG", "warn");
        command
    }

    /// The real command line.
    pub(crate) fn countersign(&self, words: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_countersign-under-test"));
        command.args(words);
        command
    }

    /// The real command line over this place's log.
    pub(crate) fn over_the_log(&self, words: &[&str]) -> Command {
        let mut command = self.countersign(&["--database", &self.database()]);
        command.args(words);
        command
    }

    /// Begins `countersign run` over the file, as far as it waits for somebody.
    pub(crate) async fn waiting_run(&self, words: &[&str]) -> Process {
        let mut run = Process::start(self.over_the_log(&["run"]).args(words));
        run.complains("is pending").await;
        run
    }

    /// Runs the command line over the file to its end, and gives the code and what it printed.
    pub(crate) async fn ends(&self, words: &[&str]) -> (i32, String) {
        let ended = Process::start(&mut self.over_the_log(words)).ended().await;
        (ended.code, ended.stdout)
    }

    pub(crate) async fn serve(&self) -> Server {
        Server::start(self, "127.0.0.1:0").await
    }

    pub(crate) async fn play(&self, part: &Value) -> Player {
        Player::start(self, part).await
    }

    pub(crate) async fn gate(&self) -> Gate {
        let address = Address::parse(&self.database()).expect("an address");
        Gate::open(address).await.expect("the log opens")
    }

    /// How often the word stands on a line of its own in that file: how often something ran.
    pub(crate) fn lines(&self, name: &str) -> usize {
        fs::read_to_string(self.path(name)).map_or(0, |text| text.lines().count())
    }

    /// The whole log, after checking that its chain holds, that the index of open requests is what the
    /// events say, and that numbers have no gaps.
    pub(crate) async fn sound_log(&self) -> Vec<Arc<Event>> {
        let gate = self.gate().await;
        let report = gate.verify(|_| {}).await.expect("the log can be read");
        assert!(report.holds(), "{report:?}");
        let mut events: Vec<Arc<Event>> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = gate
                .events(&Filter::default(), api::PageOf { after, limit: api::MAX_PAGE })
                .await
                .expect("a page");
            events.extend(page.events);
            if page.next.is_none() {
                break;
            }
        }
        gate.shut_down().await;
        assert!(events.iter().map(|event| event.seq).eq(1..=report.events), "numbers have gaps");
        events
    }
}
