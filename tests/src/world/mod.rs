//! The fixture of all tests: a log on SQLite or PostgreSQL, a clock that the test moves, a policy, and the agents and
//! people. They reach the service in the test's own process, over HTTP, or through real programs.

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

/// The time that the clock of each test shows at its start.
const BEGINNING: &str = "2026-01-31T12:00:00.000Z";

/// The log of one test, and the service over it. `S` determines how the service runs: [`Embedded`] in the test's own
/// process, [`http::Http`] behind a server in the test's own process, [`processes::Processes`] as real programs.
pub struct World<S = Embedded> {
    /// The running service.
    pub service: S,
    policy: Arc<Policy>,
    clock: Clock,
    manual_clock: Arc<ManualClock>,
    // Dropped last: the service still uses the database.
    ground: WorldGround,
}

/// A way to run the service.
pub trait Service {
    /// The transport of agents and people.
    type Transport: Transport;

    /// Creates a transport for one more agent or person.
    fn transport(world: &World<Self>) -> Self::Transport
    where
        Self: Sized;
}

impl<S: Service> World<S> {
    /// Returns an agent, in thread `t`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona<S::Transport> {
        Persona::new(S::transport(self), Some(Principal::agent(name)))
    }

    /// Returns a person, in thread `t`.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona<S::Transport> {
        Persona::new(S::transport(self), Some(Principal::user(name)))
    }
}

impl<S> World<S> {
    /// Returns the database that contains the log.
    #[must_use]
    pub fn database(&self) -> Database {
        self.ground.database()
    }

    /// Returns the log's address, as the store takes it.
    #[must_use]
    pub fn address(&self) -> DatabaseUrl {
        DatabaseUrl::parse(&self.ground.url()).expect("a valid address")
    }

    /// Returns the log's address, as `--database` takes it.
    #[must_use]
    pub fn url(&self) -> String {
        self.ground.url()
    }

    /// Returns the log's path. Panics on PostgreSQL.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.ground.file()
    }

    /// Returns the folder of this test. On SQLite, it contains the log.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.ground.folder()
    }

    /// Returns the database server. Panics on SQLite.
    pub fn server(&mut self) -> &mut Cluster {
        self.ground.cluster()
    }

    /// Returns the clock, which moves only when the test advances it.
    #[must_use]
    pub fn clock(&self) -> &ManualClock {
        &self.manual_clock
    }

    /// Returns the time that the clock shows.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Opens a connection to the database that bypasses the service.
    pub async fn sql_connection(&self) -> SqlConnection {
        self.ground.sql_connection().await
    }

    /// Runs statements over a new connection. The error is the database's message.
    pub async fn run_sql(&self, sql: &str) -> Result<(), String> {
        let mut connection = self.sql_connection().await;
        let outcome = connection.run(sql).await;
        connection.close().await;
        outcome
    }

    /// Runs statements in `sqlite3` or `psql`. Returns its output, or its error message.
    pub async fn run_shell(&self, sql: &str) -> Result<String, String> {
        match self.database() {
            Database::Sqlite => run_sqlite3(&self.path(), sql).await,
            Database::Postgres => run_psql(&self.url(), sql).await,
        }
    }

    /// Sets the policy of every agent and person that the test creates from now on.
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

/// Creates a clock that shows [`BEGINNING`].
fn new_clock() -> (Clock, Arc<ManualClock>) {
    Clock::manual(BEGINNING.parse().expect("a valid timestamp"))
}
