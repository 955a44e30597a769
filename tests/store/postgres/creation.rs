//! A log's creation: by many stores at once, in several schemas, and its refusal in an unsuitable database.

use super::{
    MESSAGE, PostgresShell, assert_receives, bot, follows, holds, log, on_a_server, opens, options, refused,
    tries, try_open_with,
};
use countersign_store::StoreOptions;
use countersign_tests::{
    postgres::{Cluster, ClusterSetup},
    within_the_limit,
};
use futures_util::future::join_all;
use sqlx::postgres::PgListener;

#[test]
fn ten_stores_open_an_empty_database_at_once() {
    on_a_server(async |server| ten_open(&server.url()).await);
}

#[test]
fn ten_stores_open_a_missing_schema_at_once() {
    on_a_server(async |server| ten_open(&(server.url() + "?schema=tenant_1")).await);
}

async fn ten_open(url: &str) {
    let stores = join_all((0..10).map(async |_| opens(url).await)).await;
    let asked = stores.iter().enumerate().map(async |(n, store)| {
        bot(store).proposes(&format!("call_{n}")).await.expect("asked");
    });
    join_all(asked).await;
    for store in &stores {
        assert_receives(&mut follows(store), 1, 20).await;
    }
    assert_eq!(holds(&stores[0]).await, 20);
}

#[test]
fn logs_in_two_schemas_are_independent() {
    on_a_server(async |server| {
        let url = server.url();
        let (one, other) =
            (opens(&(url.clone() + "?schema=one")).await, opens(&(url.clone() + "?schema=other")).await);
        let channel =
            PostgresShell::at(&url).await.run("SELECT 'countersign_' || 'other.events'::regclass::oid").await;
        let mut listener = PgListener::connect(&url).await.expect("the connection opens");
        listener.listen(&channel).await.expect("LISTEN succeeds");
        // An uncommitted insert in one schema must not block a writer in another schema.
        let mut connection = PostgresShell::at(&url).await;
        connection.run(&format!("SET search_path = one; BEGIN; {MESSAGE}")).await;
        bot(&other).proposes("call_1").await.expect("asked");
        assert_eq!(next_notification(&mut listener).await, "2");
        connection.run("COMMIT").await;
        for id in ["call_1", "call_2"] {
            bot(&one).proposes(id).await.expect("asked");
        }
        connection.run(&format!("NOTIFY {channel}, 'nothing came before'")).await;
        assert_eq!(next_notification(&mut listener).await, "nothing came before");
        assert_eq!((holds(&one).await, holds(&other).await), (5, 2));
        assert_eq!(log(&other).await.len(), 2);
    });
}

/// Returns the next notification's payload. Skips `0`, with which a store tests its own channel.
async fn next_notification(listener: &mut PgListener) -> String {
    loop {
        let notification = listener.recv().await.expect("a notification arrives");
        if notification.payload() != "0" {
            return notification.payload().to_owned();
        }
    }
}

#[test]
fn table_of_another_program_is_left_alone() {
    on_a_server(async |server| {
        let other_table = "CREATE TABLE events (id int, what text); INSERT INTO events VALUES (1, 'concert')";
        server.psql(other_table).await.expect("a table");
        assert_eq!(refused(&server.url(), "concert").await, "not_countersign");
        let all =
            "SELECT * FROM events; SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
        assert_eq!(
            server.psql(all).await.as_deref(),
            Ok("1|concert\n1"),
            "the table is unchanged, and no other table exists"
        );
        let separate_schema = opens(&(server.url() + "?schema=countersign")).await;
        bot(&separate_schema).proposes("call_1").await.expect("asked");
    });
}

#[test]
fn missing_database_is_reported() {
    on_a_server(async |server| {
        assert_eq!(refused(&server.url_as("postgres", "nowhere"), "s3cret").await, "missing");
        let reads = StoreOptions { create: false, ..options() };
        let Err(empty) = try_open_with(&server.url(), reads).await else { panic!("there is no log") };
        assert_eq!(empty.reason(), Some("no_log"), "a missing log is not created without the option");
        assert_eq!(server.psql("SELECT to_regclass('events') IS NULL").await.as_deref(), Ok("t"));
        server.stop();
        assert_eq!(refused(&server.url(), "s3cret").await, "unreachable");
        server.start().await;
        tries(&server.url()).await.expect("the log opens");
    });
}

#[test]
fn wrong_password_is_reported_and_never_shown() {
    within_the_limit(async {
        let server = Cluster::with(ClusterSetup { tcp: true, ..ClusterSetup::default() }).await;
        let right = server.tcp_url("127.0.0.1");
        let (_, rest) = right.split_once('@').expect("a host");
        assert_eq!(refused(&format!("postgres://postgres:s3cret@{rest}"), "s3cret").await, "login");
        assert_eq!(refused(&format!("postgres://postgres@{rest}?password=s3cret"), "s3cret").await, "login");
        assert_eq!(refused(&format!("postgres://nobody:s3cret@{rest}"), "s3cret").await, "login");
        bot(&opens(&right).await).proposes("call_1").await.expect("asked");
    });
}

#[test]
fn schema_may_be_named_by_an_sql_keyword() {
    on_a_server(async |server| {
        for word in ["default", "user", "order"] {
            let store = opens(&format!("{}?schema={word}", server.url())).await;
            bot(&store).proposes("call_1").await.expect("asked");
            assert_eq!(holds(&store).await, 2, "{word}");
        }
    });
}
