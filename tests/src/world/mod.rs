//! The fixture of all tests: a log on either database, a clock that the test moves, a policy, and the agents and
//! people who reach the service embedded, over HTTP, at the terminal or through real processes.

mod action;
mod embedded;
mod ground;
pub(crate) mod http;
mod limit;
mod persona;
pub(crate) mod processes;
mod terminal;

pub use action::{Action, Proposal};
pub use embedded::{Embedded, Outcome, ToStore, code, in_world, in_world_on};
pub use ground::Database;
pub use limit::{in_time, within_the_limit};
pub use persona::{Persona, PersonaCaller, Transport};

use crate::{Cluster, SqlConnection, run_psql, run_sqlite3};
use countersign_events::{Principal, Timestamp};
use countersign_policy::Policy;
use countersign_store::{Clock, DatabaseUrl, ManualClock};
use ground::WorldGround;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The moment at which the clock of each test begins.
const BEGINNING: &str = "2026-01-31T12:00:00.000Z";

/// One test's log with the service over it. `S` says how the service runs: [`Embedded`] in the test's own
/// process, [`http::Http`] behind a server in the test's own process, [`processes::Processes`] as real programs.
pub struct World<S = Embedded> {
    /// How the service runs.
    pub service: S,
    policy: Arc<Policy>,
    clock: Clock,
    manual_clock: Arc<ManualClock>,
    // Dropped last: the service still uses the database.
    ground: WorldGround,
}

/// The way in which a service runs, and how agents and people reach it.
pub trait Service {
    /// How they reach it.
    type Transport: Transport;

    /// A way for one more agent or person to reach it.
    fn transport(world: &World<Self>) -> Self::Transport
    where
        Self: Sized;
}

impl<S: Service> World<S> {
    /// An agent, in thread `t`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona<S::Transport> {
        Persona::new(S::transport(self), Some(Principal::agent(name)))
    }

    /// A person, in thread `t`.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona<S::Transport> {
        Persona::new(S::transport(self), Some(Principal::user(name)))
    }
}

impl<S> World<S> {
    /// The database that the log is in.
    #[must_use]
    pub fn database(&self) -> Database {
        self.ground.database()
    }

    /// The address of the log, as production code takes it.
    #[must_use]
    pub fn address(&self) -> DatabaseUrl {
        DatabaseUrl::parse(&self.ground.url()).expect("a valid address")
    }

    /// The address of the log, as `--database` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        self.ground.url()
    }

    /// The file that the log is in, on SQLite.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.ground.file()
    }

    /// The folder of this test. On SQLite, the log is in it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.ground.folder()
    }

    /// The database server, on PostgreSQL.
    pub fn server(&mut self) -> &mut Cluster {
        self.ground.cluster()
    }

    /// The clock, which moves only when the test advances it.
    #[must_use]
    pub fn clock(&self) -> &ManualClock {
        &self.manual_clock
    }

    /// The time that the clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A connection to the database that does not go through the service.
    pub async fn sql_connection(&self) -> SqlConnection {
        self.ground.sql_connection().await
    }

    /// Runs statements on a connection of their own. The error is the database's message.
    pub async fn run_sql(&self, sql: &str) -> Result<(), String> {
        let mut connection = self.sql_connection().await;
        let outcome = connection.run(sql).await;
        connection.close().await;
        outcome
    }

    /// Runs statements in the database's real shell. Returns its output, or its error message.
    pub async fn run_shell(&self, sql: &str) -> Result<String, String> {
        match self.database() {
            Database::Sqlite => run_sqlite3(&self.path(), sql).await,
            Database::Postgres => run_psql(&self.url(), sql).await,
        }
    }

    /// Judges every agent and person named from now on by that policy.
    pub fn set_policy(&mut self, policy: &str) {
        self.policy = Arc::new(Policy::read(policy).expect("a valid policy"));
    }

    fn new(
        service: S,
        policy: Policy,
        (clock, manual_clock): (Clock, Arc<ManualClock>),
        ground: WorldGround,
    ) -> Self {
        Self { service, policy: Arc::new(policy), clock, manual_clock, ground }
    }
}

/// A clock that shows [`BEGINNING`].
fn new_clock() -> (Clock, Arc<ManualClock>) {
    Clock::manual(BEGINNING.parse().expect("a valid timestamp"))
}
