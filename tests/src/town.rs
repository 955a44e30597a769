//! A town: a log of its own on either database, opened as in production, with a clock that the story turns.

use crate::{
    Persona,
    hand::{Hand, plainly, psql, shell},
    postgres::Cluster,
};
use countersign_approvals::{Call, CallId, Event, EventType, Policy, Principal, ThreadId, Timestamp};
use countersign_store::{Address, Clock, Filter, ManualClock, Options, Report, Store};
use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// Longer than any story takes on a slow machine. Whoever waits for what never comes ends here.
const LIMIT: Duration = Duration::from_mins(3);

/// What a log may be kept in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// Makes two tests of each story, an `async fn` of a town: `story::sqlite` and `story::postgres`.
#[macro_export]
macro_rules! on_each_database {
    ($($story:ident),+ $(,)?) => {
        $(mod $story {
            #[test]
            fn sqlite() {
                $crate::in_town_on($crate::Database::Sqlite, super::$story);
            }

            #[test]
            fn postgres() {
                $crate::in_town_on($crate::Database::Postgres, super::$story);
            }
        })+
    };
}

/// Tells a story of SQLite alone: see [`in_town_on`].
pub fn in_town(story: impl AsyncFnOnce(&mut Town)) {
    in_town_on(Database::Sqlite, story);
}

/// Tells a story in a new town, and verifies its log at the end. No story may leave a broken chain, a wrong index, or
/// rows that the rules would not have written, unless it says so.
pub fn in_town_on(database: Database, story: impl AsyncFnOnce(&mut Town)) {
    within_the_limit(async {
        let mut town = Town::founded(database).await;
        story(&mut town).await;
        let report = town.verifies().await;
        let is_admissible = report.inadmissible_count == 0 || town.has_inadmissible_rows;
        let holds = report.broken.is_none() && report.index_holds && is_admissible;
        assert!(holds, "the story left a log that does not hold: {report:?}");
    });
}

/// Runs a test that may wait for events, on a runtime as in production, with one time limit round it.
pub fn within_the_limit(story: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let told = runtime.expect("a runtime").block_on(async { tokio::time::timeout(LIMIT, story).await });
    told.expect("the story came to its end within the limit");
}

/// See [`in_town_on`].
pub struct Town {
    clock: Clock,
    time: Arc<ManualClock>,
    policy: Arc<Policy>,
    store: Store,
    has_inadmissible_rows: bool,
    // What the store stands on goes after it.
    ground: Ground,
}

enum Ground {
    Folder(TempDir),
    Server(Box<Cluster>),
}

impl Town {
    async fn founded(database: Database) -> Self {
        let ground = match database {
            Database::Sqlite => Ground::Folder(tempfile::tempdir().expect("a folder")),
            Database::Postgres => Ground::Server(Box::new(Cluster::started().await)),
        };
        let morning: Timestamp = "2026-01-31T09:00:00.000Z".parse().expect("valid");
        let (clock, time) = Clock::manual(morning);
        let store = Store::open(ground.address(), options(&clock)).await.expect("a new log opens");
        Self { clock, time, policy: Arc::new(Policy::ask_always()), store, has_inadmissible_rows: false, ground }
    }

    /// What the town is built on.
    #[must_use]
    pub fn database(&self) -> Database {
        match self.ground {
            Ground::Folder(_) => Database::Sqlite,
            Ground::Server(_) => Database::Postgres,
        }
    }

    /// Where the log is.
    #[must_use]
    pub fn address(&self) -> Address {
        self.ground.address()
    }

    /// The file, of a town on SQLite.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder().join("countersign.db")
    }

    /// The folder that the file is in, of a town on SQLite.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match &self.ground {
            Ground::Folder(folder) => folder.path(),
            Ground::Server(_) => panic!("this town is on PostgreSQL"),
        }
    }

    /// The server, of a town on PostgreSQL.
    pub fn server(&mut self) -> &mut Cluster {
        match &mut self.ground {
            Ground::Folder(_) => panic!("this town is on SQLite"),
            Ground::Server(cluster) => cluster,
        }
    }

    /// Somebody's own connection to the database.
    pub async fn hand(&self) -> Hand {
        match &self.ground {
            Ground::Folder(_) => Hand::Sqlite(plainly(&self.path()).await),
            Ground::Server(cluster) => Hand::at(&cluster.url()).await,
        }
    }

    /// Runs statements on a connection of their own. The error is what the database says.
    pub async fn by_hand(&self, sql: &str) -> Result<(), String> {
        let mut hand = self.hand().await;
        let done = hand.does(sql).await;
        hand.lets_go().await;
        done
    }

    /// Types statements into the database's real shell. Gives what it prints, or what it complains of.
    pub async fn shell(&self, sql: &str) -> Result<String, String> {
        match &self.ground {
            Ground::Folder(_) => shell(&self.path(), sql).await,
            Ground::Server(cluster) => psql(&cluster.url(), sql).await,
        }
    }

    /// The town's own way into the log.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The clock, to be turned.
    #[must_use]
    pub fn time(&self) -> &ManualClock {
        &self.time
    }

    /// How its stores are opened: as in production, but for the clock, and for a poll that is quick to
    /// see what somebody did by hand.
    #[must_use]
    pub fn options(&self) -> Options {
        options(&self.clock)
    }

    /// Another way into the same log. To the log it is another process: it has its own connections,
    /// its own memory of what was touched of late, and its own feed.
    pub async fn neighbour(&self) -> Store {
        self.neighbour_with(self.options()).await
    }

    /// Another way into the same log, with options of its own.
    pub async fn neighbour_with(&self, options: Options) -> Store {
        Store::open(self.address(), options).await.expect("the log opens once more")
    }

    /// Closes the town's store and opens it anew, as a restart does.
    pub async fn restarts(&mut self) {
        self.store.close().await;
        self.store = Store::open(self.address(), self.options()).await.expect("the log opens again");
    }

    /// The story writes rows that the rules would not have written.
    pub fn expects_inadmissible_rows(&mut self) {
        self.has_inadmissible_rows = true;
    }

    /// From now on, those who are named next are judged by that policy.
    pub fn obeys(&mut self, policy: &str) {
        self.policy = Arc::new(Policy::read(policy).expect("a policy"));
    }

    /// An agent of the town, in thread `t`.
    #[must_use]
    pub fn agent(&self, name: &str) -> Persona {
        Persona::new(&self.store, Principal::agent(name), &self.policy)
    }

    /// A person of the town, in thread `t`.
    #[must_use]
    pub fn person(&self, name: &str) -> Persona {
        Persona::new(&self.store, Principal::user(name), &self.policy)
    }

    /// All that was written.
    pub async fn log(&self) -> Vec<Event> {
        self.store.events(&Filter::default(), 0, usize::MAX).await.expect("the log reads").items
    }

    /// How many events of that type there are.
    pub async fn count(&self, kind: EventType) -> usize {
        self.log().await.iter().filter(|event| event.kind == kind).count()
    }

    /// Where the call stands, which must be there.
    pub async fn call(&self, thread: &str, id: &str) -> Call {
        let thread_id = ThreadId::new(thread).expect("valid");
        let call = self.store.call(&thread_id, &CallId::new(id).expect("valid")).await;
        call.expect("the log reads").expect("the call is there")
    }

    /// What verifying the whole log finds.
    pub async fn verifies(&self) -> Report {
        self.store.verify(|_| {}).await.expect("the log reads")
    }
}

impl Ground {
    fn address(&self) -> Address {
        match self {
            Self::Folder(folder) => folder.path().join("countersign.db").into(),
            Self::Server(cluster) => Address::parse(&cluster.url()).expect("it can be read"),
        }
    }
}

fn options(clock: &Clock) -> Options {
    Options { clock: clock.clone(), poll: Duration::from_millis(50), ..Options::default() }
}
