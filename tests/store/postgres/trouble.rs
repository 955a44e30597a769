//! Problems at the server: held locks, no free connections, a full disk, missing rights, a missing table.

use super::{
    MESSAGE, PostgresShell, ada, assert_receives, bot, follows, holds, on_a_server, opens, options, tries,
    try_open_with,
};
use countersign_api::{ApprovalGate, SendOperation, operations};
use countersign_approvals::access::VisibleThreads;
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_store::{DatabaseUrl, Store, StoreError, StoreOptions};
use countersign_tests::{
    Proposal, code,
    postgres::{Cluster, ClusterSetup},
    within_the_limit,
};
use futures_util::future::join;
use std::fs;

/// A writer waits for the lock only for a limited time. If the time is over, it writes nothing.
#[test]
fn lock_held_too_long_is_reported() {
    on_a_server(async |server| {
        let impatient = server.url() + "?options=-c%20lock_timeout%3D200";
        let (store, patient) = (opens(&impatient).await, opens(&server.url()).await);
        let mut connection = PostgresShell::at(&server.url()).await;
        connection.run(&format!("BEGIN; {MESSAGE}")).await;
        assert_eq!(code(&bot(&store).proposes("call_1").await), "locked");
        let cancelled = async {
            let mut operator = PostgresShell::at(&server.url()).await;
            operator.waits_for_a_writer().await;
            // This has the same effect as the server's own time limit, but sooner.
            operator.run("SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted").await;
        };
        let (outcome, ()) = join(bot(&patient).proposes("call_2"), cancelled).await;
        assert_eq!(code(&outcome), "locked");
        connection.run("COMMIT").await;
        for store in [&store, &patient] {
            bot(store).proposes("call_3").await.expect("asked");
        }
        assert_eq!(holds(&store).await, 3);
    });
}

#[test]
fn writer_reconnects_after_its_connection_was_terminated() {
    on_a_server(async |server| {
        let store = opens(&server.url()).await;
        let all = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'countersign'";
        for id in ["call_1", "call_2", "call_3"] {
            server.psql(all).await.expect("the operator's statement succeeds");
            bot(&store).proposes(id).await.expect("asked");
        }
        assert_receives(&mut follows(&store), 1, 6).await;
        assert_eq!(holds(&store).await, 6);
    });
}

#[test]
fn readers_without_a_free_connection_report_busy() {
    on_a_server(async |server| {
        let store = try_open_with(&server.url(), StoreOptions { readers: 1, ..options() })
            .await
            .expect("the log opens");
        bot(&store).proposes("call_1").await.expect("asked");
        let mut connection = PostgresShell::at(&server.url()).await;
        connection.run("BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE").await;
        // One of the two reads has the only connection, and waits for the locked table.
        let reads = async || store.tip().await;
        let frees = async {
            let busy = futures_util::future::select(Box::pin(reads()), Box::pin(reads())).await;
            let (first, rest) = busy.factor_first();
            connection.run("ROLLBACK").await;
            (first.map_err(|e| e.reason().unwrap_or(e.code())), rest.await)
        };
        assert_eq!(frees.await, (Err("busy"), Ok(2)));
    });
}

#[test]
fn server_at_its_connection_limit_reports_busy() {
    on_a_server(async |server| {
        let store = opens(&server.url()).await;
        let place = server.url_as("crowd", "postgres");
        server
            .psql("CREATE ROLE crowd LOGIN CONNECTION LIMIT 1; GRANT ALL ON SCHEMA public TO crowd")
            .await
            .expect("a role");
        let _open_connection = PostgresShell::at(&place).await;
        let Err(error) = tries(&place).await else { panic!("the role has no free connection") };
        assert_eq!(error.reason(), Some("busy"));
        bot(&store).proposes("call_1").await.expect("the open store can write");
    });
}

/// The write-ahead log is on another disk, so the server keeps running, and the store recovers.
#[test]
fn full_disk_loses_nothing_and_writing_resumes() {
    within_the_limit(async {
        let server = Cluster::with(ClusterSetup { megabytes: Some(60), ..ClusterSetup::default() }).await;
        let store = opens(&server.url()).await;
        bot(&store).proposes("call_1").await.expect("asked");
        let ballast = server.path_on_small_disk("ballast");
        let mut room = fs::File::create(&ballast).expect("a file");
        assert!(
            std::io::copy(&mut std::io::repeat(0), &mut room).is_err(),
            "the write ends when the disk is full"
        );
        let mut written = 2;
        let refused = loop {
            match propose_large_call(&store, written).await {
                Ok(events) => written += events,
                Err(error) => break error,
            }
        };
        assert_eq!(refused.reason(), Some("full"));
        assert_eq!(
            holds(&store).await,
            i64::try_from(written).expect("few"),
            "the log contains nothing of the refused commands"
        );
        fs::remove_file(&ballast).expect("the file is deleted");
        drop(room);
        propose_large_call(&store, written).await.expect("the disk has space");
        assert_eq!(holds(&store).await, i64::try_from(written + 2).expect("few"));
    });
}

/// Proposes a call with several pages of arguments that do not compress. Returns the number of its events.
async fn propose_large_call(store: &Store, number: usize) -> Result<usize, StoreError> {
    let mut chance = countersign_tests::Random::seeded(u64::try_from(number).expect("few"));
    let text: String =
        (0..50_000).map(|_| *chance.one_of(&['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).collect();
    let arguments = format!("{{\"text\":\"{text}\"}}");
    let proposal = Proposal { arguments: &arguments, ..Proposal::default() };
    Ok(bot(store).proposes_to(&format!("call_{number}"), proposal).await?.events.len())
}

const ROLES: &str = include_str!("../../../packaging/postgres/roles.sql");

/// The role has no right to change rows; the owner's function does it, and a trigger checks each row.
async fn application_role_erases_and_archives(server: &Cluster) {
    let url = server.url_as("countersign_app", "postgres");
    let address = DatabaseUrl::parse(&url).expect("a valid address");
    let gate = EmbeddedGate::open(address).await.expect("opens").acting_as(Principal::user("zoe"));
    let thread = countersign_events::ThreadId::new("t").expect("valid");
    let call = countersign_api::parse_call_id("call_1").expect("valid");
    let request = countersign_api::EraseRequest { reason: "request 17".to_owned() };
    let report = gate
        .send(operations::EraseCall { thread: thread.clone(), id: call.clone(), body: request })
        .await
        .expect("erased");
    assert_eq!(report.call.arguments.as_str(), "null");
    let refused = gate.compact().await.expect_err("the owner does that").to_string();
    assert!(refused.contains("VACUUM FULL events"), "{refused}");
    gate.send(operations::CloseThread { thread: thread.clone() }).await.expect("closed");
    let folder = tempfile::tempdir().expect("a folder");
    let later = countersign_events::Timestamp::from_millis(9_000_000_000_000);
    let archived = gate.archive(later, &VisibleThreads::default(), &folder.path().join("old"), |_| {}).await;
    assert_eq!(archived.expect("archived").archived, 1);
    assert!(gate.verify(|_| {}).await.expect("reads").holds());
    gate.shut_down().await;
    for change in ["UPDATE events SET data = '{}'", "DELETE FROM events"] {
        let refused =
            countersign_tests::run_psql(&url, change).await.expect_err("the role has no such right");
        assert!(refused.contains("permission denied"), "{refused}");
    }
}

#[test]
fn application_role_can_do_all_the_work() {
    on_a_server(async |server| {
        server.psql(ROLES).await.expect("roles");
        let Err(early) = tries(&server.url_as("countersign_app", "postgres")).await else {
            panic!("the log does not exist")
        };
        assert_eq!(early.reason(), Some("forbidden"), "the role cannot create the log");
        let owner = opens(&server.url_as("countersign_owner", "postgres")).await;
        server.psql(ROLES).await.expect("rights");
        let store = opens(&server.url_as("countersign_app", "postgres")).await;
        let mut follower = follows(&owner);
        bot(&store).proposes("call_1").await.expect("asked");
        ada(&store).allows("call_1").await.expect("allowed");
        bot(&store).claims("call_1").await.expect("claimed");
        bot(&store).finishes("call_1").await.expect("finished");
        assert_receives(&mut follower, 1, 5).await;
        store.probe().await.expect("the log verifies");
        assert_eq!(holds(&store).await, 5);
        application_role_erases_and_archives(server).await;
        let Err(repair) = store.rebuild_index().await else { panic!("only the owner may rebuild the table") };
        assert_eq!(repair.reason(), Some("forbidden"));
        owner.rebuild_index().await.expect("the owner rebuilds the table");
    });
}

#[test]
fn missing_table_is_only_an_error() {
    on_a_server(async |server| {
        let store = opens(&server.url()).await;
        bot(&store).proposes("call_1").await.expect("asked");
        server.psql("ALTER TABLE events RENAME TO aside").await.expect("the operator's statement succeeds");
        for _ in 0..2 {
            assert_eq!(code(&bot(&store).proposes("call_2").await), "not_countersign");
            let read = store.tip().await.map_err(|e| e.code());
            assert_eq!(read, Err("not_countersign"));
        }
        server.psql("ALTER TABLE aside RENAME TO events").await.expect("the operator's statement succeeds");
        bot(&store).proposes("call_2").await.expect("asked");
        assert_eq!(holds(&store).await, 4);
        server.psql("DROP TABLE events CASCADE").await.expect("the operator's statement succeeds");
        assert_eq!(code(&bot(&store).proposes("call_3").await), "not_countersign");
        store.close().await;
    });
}
