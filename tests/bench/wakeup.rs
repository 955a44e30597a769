//! From a person's decision to an executor awake, in one process and across two, beside a bare commit
//! of the same row.

use crate::{
    lab::{self, Lab, Outcome},
    table::{Row, Samples, ms, times},
};
use countersign_approvals::{CallId, Event, State, ThreadId};
use countersign_store::{Options, Store};
use sqlx::SqliteConnection;
use std::{
    path::Path,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines, stdin},
    process::{Child, ChildStdout},
    sync::oneshot,
};

pub(crate) async fn run(quick: bool) -> Outcome<Vec<Row>> {
    let samples = if quick { 10 } else { 1_000 };
    let mut rows = one_process(samples).await?;
    rows.extend(two_processes(samples).await?);
    Ok(rows)
}

async fn one_process(samples: usize) -> Outcome<Vec<Row>> {
    let folder = lab::folder()?;
    let lab = Lab::open(&folder.path().join("store.db"), Options::default()).await?;
    let mut bare = Bare::new(&folder.path().join("bare.db")).await?;
    let (thread, mut woken) = (lab::thread(0)?, Samples::default());
    for n in 0..samples {
        let id = lab::call(n)?;
        lab.propose(&thread, &id).await?;
        let (ready, is_ready) = oneshot::channel();
        let store = lab.store.clone();
        let (of, call) = (thread.clone(), id.clone());
        let executor = tokio::spawn(async move { wait(&store, &of, &call, ready).await });
        is_ready.await?;
        let start = Instant::now();
        let done = lab.allow(&thread, &id).await?;
        woken.add(executor.await??.duration_since(start));
        bare.commit(done.events.iter().map(|event| (**event).clone()).collect()).await?;
    }
    lab.store.close().await;
    Ok(rows("in one process", &woken, &bare.commits))
}

async fn two_processes(samples: usize) -> Outcome<Vec<Row>> {
    let folder = lab::folder()?;
    let path = folder.path().join("store.db");
    let lab = Lab::open(&path, Options::default()).await?;
    let mut bare = Bare::new(&folder.path().join("bare.db")).await?;
    let mut other = Other::start(&path)?;
    let (thread, mut woken) = (lab::thread(0)?, Samples::default());
    for n in 0..samples {
        let id = lab::call(n)?;
        lab.propose(&thread, &id).await?;
        other.tell(n).await?;
        other.hear("ready").await?;
        let start = Instant::now();
        let done = lab.allow(&thread, &id).await?;
        other.hear("awake").await?;
        woken.add(start.elapsed());
        bare.commit(done.events.iter().map(|event| (**event).clone()).collect()).await?;
    }
    other.child.kill().await?;
    lab.store.close().await;
    Ok(rows("across two processes", &woken, &bare.commits))
}

fn rows(where_: &str, woken: &Samples, commits: &Samples) -> Vec<Row> {
    let row = |name, ours: Duration, raw: Duration, allowed, target| Row {
        what: format!("decision to executor awake {where_}, {name} of {}", woken.count()),
        measured: ms(ours),
        raw: format!("{}, bare commit", ms(raw)),
        ratio: Some(times(ours, raw)),
        target,
        met: Some(ours <= raw + Duration::from_millis(allowed)),
    };
    vec![
        row("median", woken.median(), commits.median(), 1, "≤ commit + 1 ms"),
        row("p99", woken.p99(), commits.p99(), 5, "≤ commit + 5 ms"),
    ]
}

/// Waits as an executor does until the call is allowed, and says when that was. `ready` is told once it
/// has looked for the first time.
async fn wait(store: &Store, thread: &ThreadId, id: &CallId, ready: oneshot::Sender<()>) -> Outcome<Instant> {
    let mut waiter = store.watch_call(thread, id);
    let mut ready = Some(ready);
    loop {
        let call = store.call(thread, id).await?;
        if call.is_some_and(|call| call.state(store.clock().now()) == State::Allowed) {
            return Ok(Instant::now());
        }
        if let Some(ready) = ready.take() {
            let _ = ready.send(());
        }
        waiter.woken().await;
    }
}

/// The other process: reads numbers of calls, and says for each when it waits and when it is awake.
pub(crate) async fn executor(path: &Path) -> Outcome<()> {
    let store = Store::open(path, Options::default()).await?;
    let mut calls = BufReader::new(stdin()).lines();
    while let Some(line) = calls.next_line().await? {
        let (thread, id) = (lab::thread(0)?, lab::call(line.parse()?)?);
        let (ready, is_ready) = oneshot::channel();
        let waiting = wait(&store, &thread, &id, ready);
        let say = async {
            is_ready.await?;
            println!("ready");
            Outcome::Ok(())
        };
        tokio::try_join!(waiting, say)?;
        println!("awake");
    }
    Ok(())
}

struct Other {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
}

impl Other {
    fn start(path: &Path) -> Outcome<Self> {
        let mut child = lab::child("executor", &[path.display().to_string()])?.spawn()?;
        let says = child.stdout.take().ok_or("the child has no stdout")?;
        Ok(Self { child, says: BufReader::new(says).lines() })
    }

    async fn tell(&mut self, call: usize) -> Outcome<()> {
        let stdin = self.child.stdin.as_mut().ok_or("the child has no stdin")?;
        Ok(stdin.write_all(format!("{call}\n").as_bytes()).await?)
    }

    async fn hear(&mut self, word: &str) -> Outcome<()> {
        match self.says.next_line().await? {
            Some(line) if line == word => Ok(()),
            line => Err(format!("the child said {line:?}, not {word}").into()),
        }
    }
}

/// A file of its own without guards, where the same rows are committed one at a time.
struct Bare {
    conn: SqliteConnection,
    commits: Samples,
}

impl Bare {
    async fn new(path: &Path) -> Outcome<Self> {
        let mut conn = lab::bare(path).await?;
        sqlx::raw_sql("DROP TRIGGER rows_follow_the_rules; DROP TRIGGER a_row_takes_its_place")
            .execute(&mut conn)
            .await?;
        Ok(Self { conn, commits: Samples::default() })
    }

    async fn commit(&mut self, events: Vec<Event>) -> Outcome<()> {
        let start = Instant::now();
        lab::insert(&mut self.conn, &events).await?;
        self.commits.add(start.elapsed());
        Ok(())
    }
}
