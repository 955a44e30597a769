//! The proxy: it cuts a connection at the chosen moment, delays stalled bytes, and counts connections.

use super::{rows, with_a_table};
use countersign_tests::{ConnectionCut, Proxy, SqlConnection, postgres::Cluster, within_the_limit};
use futures_util::{FutureExt, poll};
use std::pin::pin;

async fn behind_a_proxy() -> (Cluster, Proxy, String) {
    let cluster = Cluster::started().await;
    with_a_table(&cluster).await;
    let proxy = Proxy::before(&cluster.socket()).await;
    let url = proxy.url_as("postgres", "postgres");
    (cluster, proxy, url)
}

/// Cuts an insert's connection at this moment. Returns the number of rows after the transaction has ended.
async fn rows_after(cut: ConnectionCut) -> String {
    let (cluster, proxy, url) = behind_a_proxy().await;
    let mut connection = SqlConnection::open(&url).await;
    connection.run("BEGIN; INSERT INTO marks VALUES (1)").await.expect("the statement passes the proxy");
    let cut_done = proxy.cut_at_commit(cut);
    connection.run("COMMIT").await.expect_err("the answer does not arrive");
    cut_done.await;
    if cut != ConnectionCut::AfterCommit {
        cluster.psql("BEGIN; LOCK TABLE marks; COMMIT").await.expect("the writer's transaction is over");
    }
    let found = rows(&cluster).await;
    let mut again = SqlConnection::open(&url).await;
    again.run("BEGIN; INSERT INTO marks VALUES (2); COMMIT").await.expect("only one connection is cut");
    found
}

#[test]
fn cut_before_the_commit_loses_the_row() {
    within_the_limit(async { assert_eq!(rows_after(ConnectionCut::BeforeCommit).await, "0") });
}

#[test]
fn cut_during_the_commit_keeps_the_row() {
    within_the_limit(async { assert_eq!(rows_after(ConnectionCut::DuringCommit).await, "1") });
}

/// The server has already confirmed the commit, so the test need not wait for it.
#[test]
fn cut_after_the_commit_keeps_the_row() {
    within_the_limit(async { assert_eq!(rows_after(ConnectionCut::AfterCommit).await, "1") });
}

/// A failed COMMIT is not cut: its answer arrives, and the proxy cuts the next COMMIT that succeeds.
#[test]
fn failed_commit_is_not_cut() {
    within_the_limit(async {
        let (cluster, proxy, url) = behind_a_proxy().await;
        let mut connection = SqlConnection::open(&url).await;
        connection.run("BEGIN; INSERT INTO marks VALUES (1)").await.expect("the statement passes the proxy");
        connection.run("SELECT 1 / 0").await.expect_err("division by zero fails");
        let mut cut_done = pin!(proxy.cut_at_commit(ConnectionCut::AfterCommit));
        connection.run("COMMIT").await.expect("the server answers with ROLLBACK");
        assert!(poll!(&mut cut_done).is_pending(), "nothing was committed");
        connection.run("BEGIN; INSERT INTO marks VALUES (2)").await.expect("the statement passes the proxy");
        connection.run("COMMIT").await.expect_err("the answer does not arrive");
        cut_done.await;
        assert_eq!(rows(&cluster).await, "1");
    });
}

#[test]
fn stalled_bytes_arrive_after_healing() {
    within_the_limit(async {
        let (cluster, proxy, url) = behind_a_proxy().await;
        let mut connection = SqlConnection::open(&url).await;
        proxy.stall();
        {
            let mut insert = pin!(connection.run("INSERT INTO marks VALUES (1)"));
            let mut newcomer = pin!(SqlConnection::open(&url));
            assert!(poll!(&mut insert).is_pending() && poll!(&mut newcomer).is_pending());
            assert_eq!(rows(&cluster).await, "0");
            assert!(poll!(&mut insert).is_pending() && poll!(&mut newcomer).is_pending());
            proxy.heal();
            insert.await.expect("the stalled bytes arrive");
            newcomer.await.close().await;
        }
        assert_eq!(rows(&cluster).await, "1");
        connection.close().await;
    });
}

#[test]
fn cut_and_refused_connections_fail_and_are_counted() {
    within_the_limit(async {
        let (cluster, proxy, url) = behind_a_proxy().await;
        let mut connection = SqlConnection::open(&url).await;
        proxy.cut();
        connection.run("SELECT 1").await.expect_err("the connection is cut");
        proxy.refuse();
        let refused = std::panic::AssertUnwindSafe(SqlConnection::open(&url)).catch_unwind().await;
        assert!(refused.is_err(), "new connections are refused");
        proxy.heal();
        let mut connection = SqlConnection::open(&url).await;
        connection.run("SELECT 1").await.expect("new connections work again");
        assert_eq!((proxy.taken(), proxy.open()), (3, 1));
        let other_server = Cluster::started().await;
        proxy.redirect_to(&other_server.socket());
        SqlConnection::open(&url)
            .await
            .run("CREATE TABLE marks ()")
            .await
            .expect("the other server does not have the table");
        assert_eq!((rows(&cluster).await, rows(&other_server).await), ("0".to_owned(), "0".to_owned()));
    });
}
