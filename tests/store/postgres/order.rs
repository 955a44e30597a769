//! Concurrent writers: the log is one sequence, and each follower receives each event once and in order.

use super::{MESSAGE, PostgresShell, bot, follows, holds, on_a_server, opens, options, try_open_with};
use countersign_store::{Store, StoreOptions};
use futures_util::future::{join, join_all};
use std::sync::atomic::{AtomicBool, Ordering};

const ROUNDS: i64 = 8;

#[test]
fn follower_sees_concurrent_commits_once_in_order() {
    on_a_server(async |server| {
        let url = server.url();
        let without_memory = StoreOptions { recent: 4, ..options() };
        let reader = try_open_with(&url, without_memory).await.expect("the log opens");
        let stores = [opens(&url).await, opens(&url).await, opens(&url).await];
        let finished = AtomicBool::new(false);
        let sql_writers = async {
            let (first, second) = join(
                join_all([slow_commit(&url), rollback(&url), savepoint(&url)]),
                join_all([slow_commit(&url), stale_snapshot(&url)]),
            )
            .await;
            finished.store(true, Ordering::Relaxed);
            first.into_iter().chain(second).sum::<i64>()
        };
        let store_writers =
            join_all(stores.iter().enumerate().map(async |(n, store)| proposes(store, n, &finished).await));
        let written = async {
            let (by_sql, by_stores) = join(sql_writers, store_writers).await;
            bot(&stores[0]).in_thread("end").proposes("last").await.expect("asked");
            by_sql + by_stores.into_iter().sum::<i64>() + 2
        };
        let (written, seen) = join(written, sees_all(&reader)).await;
        assert_eq!(seen, (1..=written).collect::<Vec<_>>());
        assert_eq!(holds(&reader).await, written);
    });
}

/// Returns each `seq` in the order of arrival, up to the two events of thread `end`.
async fn sees_all(reader: &Store) -> Vec<i64> {
    let (mut follower, mut seen, mut ends) = (follows(reader), Vec::new(), 0);
    while ends < 2 {
        let event = follower.next().await.expect("the log reads");
        seen.push(event.seq);
        ends += i32::from(event.thread_id.as_str() == "end");
    }
    seen
}

/// Proposes calls until `over` is set, so that the SQL writers always have competition. Returns the number of events.
async fn proposes(store: &Store, number: usize, finished: &AtomicBool) -> i64 {
    let mut events = 0;
    for call in 0.. {
        if finished.load(Ordering::Relaxed) {
            break;
        }
        let done = bot(store).proposes(&format!("call_{number}_{call}")).await.expect("asked");
        events += i64::try_from(done.events.len()).expect("few");
    }
    events
}

/// A writer that uses SQL. Its output is the number of rows that it has committed.
type OrderedConnection<'a> = std::pin::Pin<Box<dyn Future<Output = i64> + 'a>>;

/// Inserts a row, and commits while a writer waits for the lock.
fn slow_commit(url: &str) -> OrderedConnection<'_> {
    Box::pin(async {
        let mut connection = PostgresShell::at(url).await;
        for _ in 0..ROUNDS {
            connection.run(&format!("BEGIN; {MESSAGE}")).await;
            connection.waits_for_a_writer().await;
            connection.run(&format!("{MESSAGE}; COMMIT")).await;
        }
        2 * ROUNDS
    })
}

/// Takes two numbers, and rolls back while a writer waits for the lock.
fn rollback(url: &str) -> OrderedConnection<'_> {
    Box::pin(async {
        let mut connection = PostgresShell::at(url).await;
        for _ in 0..ROUNDS {
            connection.run(&format!("BEGIN; {MESSAGE}; {MESSAGE}")).await;
            connection.waits_for_a_writer().await;
            connection.run("ROLLBACK").await;
        }
        0
    })
}

/// Rolls back to a savepoint, and continues the transaction.
fn savepoint(url: &str) -> OrderedConnection<'_> {
    Box::pin(async {
        let mut connection = PostgresShell::at(url).await;
        for _ in 0..ROUNDS {
            connection.run(&format!("BEGIN; SAVEPOINT s; {MESSAGE}; ROLLBACK TO s")).await;
            connection.run(&format!("{MESSAGE}; SAVEPOINT s; {MESSAGE}")).await;
            connection.waits_for_a_writer().await;
            connection.run("ROLLBACK TO s; COMMIT").await;
        }
        ROUNDS
    })
}

/// Inserts from an old snapshot, with a number that another writer has used. The database refuses the row.
fn stale_snapshot(url: &str) -> OrderedConnection<'_> {
    Box::pin(async {
        let (mut connection, mut watch) = (PostgresShell::at(url).await, PostgresShell::at(url).await);
        for _ in 0..ROUNDS {
            let seen = connection
                .run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT coalesce(max(seq), 0) FROM events")
                .await;
            watch.waits_until(&format!("max(seq) > {seen} FROM events")).await;
            assert_eq!(connection.tries(MESSAGE).await, Err("23505".to_owned()));
            connection.run("ROLLBACK").await;
        }
        0
    })
}
