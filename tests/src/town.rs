//! A town: a log in a folder of its own, opened as in production, with a clock that the story turns.

use crate::Persona;
use countersign_approvals::{Call, CallId, Event, EventType, Policy, Principal, ThreadId, Timestamp};
use countersign_store::{Clock, Filter, ManualClock, Options, Report, Store};
use std::{
    future::Future,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;

/// Longer than any story takes on a slow machine. Whoever waits for what never comes ends here.
const LIMIT: Duration = Duration::from_mins(3);

/// Tells a story in a new town, and looks at the end whether its log is whole: no story may leave a
/// broken chain, or an index that is not what the events say.
pub fn in_town(story: impl AsyncFnOnce(&mut Town)) {
    within_the_limit(async {
        let mut town = Town::founded().await;
        story(&mut town).await;
        let report = town.verifies().await;
        assert!(report.holds(), "the story left a log that does not hold: {report:?}");
    });
}

/// Runs a test that may wait for events, on a runtime as in production, with one time limit round it.
pub fn within_the_limit(story: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let told = runtime.expect("a runtime").block_on(async { tokio::time::timeout(LIMIT, story).await });
    told.expect("the story came to its end within the limit");
}

/// See [`in_town`].
pub struct Town {
    folder: TempDir,
    path: PathBuf,
    clock: Clock,
    time: Arc<ManualClock>,
    policy: Arc<Policy>,
    store: Store,
}

impl Town {
    async fn founded() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("countersign.db");
        let morning: Timestamp = "2026-01-31T09:00:00.000Z".parse().expect("valid");
        let (clock, time) = Clock::manual(morning);
        let store = Store::open(&path, options(&clock)).await.expect("a new log opens");
        Self { folder, path, clock, time, policy: Arc::new(Policy::ask_always()), store }
    }

    /// The database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder that the database is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
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
        Store::open(&self.path, options).await.expect("the log opens once more")
    }

    /// Closes the town's store and opens it anew, as a restart does.
    pub async fn restarts(&mut self) {
        self.store.close().await;
        self.store = Store::open(&self.path, self.options()).await.expect("the log opens again");
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

fn options(clock: &Clock) -> Options {
    Options { clock: clock.clone(), poll: Duration::from_millis(50), ..Options::default() }
}
