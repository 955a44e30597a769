//! What all the scenarios need: a place for files, orders to give, a bare connection to compare with,
//! and this program once more as another process.

use countersign_approvals::{
    CallId, Command, Event, Json, Order, Policy, Principal, ThreadId, ToolName, Wish,
    decide::{Arguments, Claim, Finish, Propose, Respond},
    event::{Decision, Status},
};
use countersign_store::{Done, Options, Store, queries};
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteSynchronous},
};
use std::{future::pending, path::Path, process::Stdio, sync::Arc, time::Duration};
use tempfile::TempDir;

/// Whatever goes wrong ends the run.
pub(crate) type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// A new folder: in `COUNTERSIGN_BENCH_DIR`, or else where temporary files go.
pub(crate) fn folder() -> Outcome<TempDir> {
    Ok(match std::env::var_os("COUNTERSIGN_BENCH_DIR") {
        Some(parent) => tempfile::tempdir_in(parent)?,
        None => tempfile::tempdir()?,
    })
}

/// A store with the people and agents who use it.
#[derive(Clone)]
pub(crate) struct Lab {
    pub(crate) store: Store,
    policy: Arc<Policy>,
}

impl Lab {
    pub(crate) async fn open(path: &Path, options: Options) -> Outcome<Self> {
        let store = Store::open(path, options).await?;
        Ok(Self { store, policy: Arc::new(Policy::ask_always()) })
    }

    pub(crate) async fn propose(&self, thread: &ThreadId, id: &CallId) -> Outcome<Done> {
        let arguments = arguments()?;
        let wish = Propose {
            id: id.clone(),
            name: ToolName::new("bash")?,
            arguments,
            annotations: None,
            impact: None,
            description: None,
            expires_in: None,
        };
        self.give(thread, id, Command::Propose(wish), Principal::agent("bot")).await
    }

    pub(crate) async fn allow(&self, thread: &ThreadId, id: &CallId) -> Outcome<Done> {
        let wish = Respond { decision: Decision::AllowOnce, comment: None };
        self.give(thread, id, Command::Respond(wish), Principal::user("ada")).await
    }

    /// The executor's part, once the call is allowed.
    pub(crate) async fn execute(&self, thread: &ThreadId, id: &CallId) -> Outcome<()> {
        let arguments_hash = arguments()?.hash();
        let claim = Claim { executor: "worker".into(), arguments_hash, lease: None };
        self.give(thread, id, Command::Claim(claim), Principal::agent("bot")).await?;
        let finish = Finish { status: Status::Success, content: Json::string("ok"), executor: None };
        self.give(thread, id, Command::Finish(finish), Principal::agent("bot")).await?;
        Ok(())
    }

    async fn give(&self, thread: &ThreadId, id: &CallId, wish: Command, by: Principal) -> Outcome<Done> {
        let order = Order {
            thread_id: thread.clone(),
            wish: Wish::Call(id.clone(), wish),
            by,
            now: self.store.clock().now(),
            policy: Arc::clone(&self.policy),
        };
        Ok(self.store.carry_out(order).await?)
    }
}

/// What every call is to run with.
pub(crate) const ARGUMENTS: &str = r#"{"command":"git status --short","cwd":"/home/ada/project"}"#;

pub(crate) fn arguments() -> Outcome<Arguments> {
    Ok(Arguments::new(Json::parse(ARGUMENTS)?)?)
}

pub(crate) fn thread(n: usize) -> Outcome<ThreadId> {
    Ok(ThreadId::new(&format!("thread-{n}"))?)
}

pub(crate) fn call(n: usize) -> Outcome<CallId> {
    Ok(CallId::new(&format!("call_{n}"))?)
}

/// A file with the store's own layout, and nothing but a connection to it: the raw limit. It is set up
/// as the store sets up its own.
pub(crate) async fn bare(path: &Path) -> Outcome<SqliteConnection> {
    Store::open(path, Options::default()).await?.close().await;
    let settings = SqliteConnectOptions::new()
        .filename(path)
        .synchronous(SqliteSynchronous::Full)
        .pragma("cache_size", "-16384")
        .pragma("wal_autocheckpoint", "16000")
        .disable_statement_logging();
    Ok(settings.connect().await?)
}

/// Inserts events as one batch, in one transaction.
pub(crate) async fn insert(conn: &mut SqliteConnection, events: &[Event]) -> Outcome<()> {
    let rows: Vec<_> = events
        .iter()
        .map(|e| (e.seq, &e.thread_id, e.kind, e.timestamp, &e.principal, e.data.as_str(), e.hash))
        .collect();
    let rows = serde_json::to_string(&rows)?;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut *conn).await?;
    sqlx::query(queries::sqlite::APPEND).bind(rows).execute(&mut *conn).await?;
    sqlx::query("COMMIT").execute(conn).await?;
    Ok(())
}

/// This program once more, to play a part of a scenario as another process.
pub(crate) fn child(role: &str, arguments: &[String]) -> Outcome<tokio::process::Command> {
    let mut command = tokio::process::Command::new(std::env::current_exe()?);
    command.arg("--child").arg(role).args(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    Ok(command)
}

/// Runs a child to its end and reads the numbers that it prints.
pub(crate) async fn numbers(role: &str, arguments: &[String]) -> Outcome<Vec<f64>> {
    let output = child(role, arguments)?.output().await?;
    let text = String::from_utf8(output.stdout)?;
    Ok(text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?)
}

/// The bytes of memory that a process has, by its id; `self` is this one.
pub(crate) fn resident(process: &str) -> Outcome<usize> {
    let statm = std::fs::read_to_string(format!("/proc/{process}/statm"))?;
    let pages: usize = statm.split_whitespace().nth(1).ok_or("no pages in statm")?.parse()?;
    Ok(pages * 4_096)
}

pub(crate) async fn pause(duration: Duration) {
    let _ = tokio::time::timeout(duration, pending::<()>()).await;
}
