//! Failover: stores do not write to a standby, detect a promoted standby that misses events, and use a complete one
//! without interruption.

use super::{assert_receives, bot, follows, holds, on_a_server, opens, refused, tries};
use countersign_store::Store;
use countersign_tests::{ConnectionCut, Proxy, code, postgres::Cluster};
use futures_util::future::join;

/// Returns a proxy in front of the primary, a store behind the proxy, and a standby. The log has two events on both
/// servers.
async fn with_a_standby(primary: &Cluster) -> (Proxy, Store, Cluster) {
    let proxy = Proxy::before(&primary.socket()).await;
    let store = opens(&proxy.url_as("postgres", "postgres")).await;
    bot(&store).proposes("call_1").await.expect("asked");
    let standby = primary.standby().await;
    standby.catches_up_with(primary).await;
    (proxy, store, standby)
}

/// Redirects the store's address to the standby.
fn point_at_standby(proxy: &Proxy, standby: &Cluster) {
    proxy.redirect_to(&standby.socket());
    proxy.cut();
}

#[test]
fn standby_is_written_only_after_its_promotion() {
    on_a_server(async |primary| {
        let (proxy, store, standby) = with_a_standby(primary).await;
        assert_eq!(refused(&standby.url(), "s3cret").await, "standby");
        point_at_standby(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_2").await), "standby");
        assert_receives(&mut follows(&store), 1, 2).await;
        standby.promote().await;
        assert_eq!(code(&bot(&store).proposes("call_2").await), "done");
        assert_eq!(holds(&store).await, 4);
    });
}

#[test]
fn read_only_server_is_reported() {
    on_a_server(async |server| {
        let store = opens(&server.url()).await;
        let by = |change: &str| {
            format!(
                "SET default_transaction_read_only = off; ALTER DATABASE postgres {change}; \
                 SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity WHERE application_name = 'countersign'"
            )
        };
        server.psql(&by("SET default_transaction_read_only = on")).await.expect("an operator may");
        assert_eq!(code(&bot(&store).proposes("call_1").await), "standby");
        server.psql(&by("RESET default_transaction_read_only")).await.expect("an operator may");
        assert_eq!(code(&bot(&store).proposes("call_1").await), "done");
    });
}

#[test]
fn complete_standby_is_used_after_failover() {
    on_a_server(async |primary| {
        let (proxy, store, standby) = with_a_standby(primary).await;
        let mut follower = follows(&store);
        bot(&store).proposes("call_2").await.expect("asked");
        standby.catches_up_with(primary).await;
        primary.kill();
        standby.promote().await;
        point_at_standby(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "done");
        assert_receives(&mut follower, 1, 6).await;
        assert_eq!(holds(&store).await, 6);
    });
}

/// Clients have seen the lost events, so the store must not reuse their numbers silently.
#[test]
fn lagging_standby_is_written_only_after_a_decision() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        primary.stop();
        standby.promote().await;
        point_at_standby(&proxy, &standby);
        for _ in 0..2 {
            assert_eq!(code(&bot(&store).proposes("call_3").await), "behind");
        }
        assert_eq!(standby.psql("SELECT max(seq) FROM events").await.as_deref(), Ok("2"));
        let restarted = opens(&standby.url()).await;
        assert_eq!(code(&bot(&restarted).proposes("call_3").await), "done", "a new store can write");
        assert_eq!(holds(&restarted).await, 4);
        assert_eq!(
            code(&bot(&store).proposes("call_4").await),
            "behind",
            "the log has as many events as the store knows, but other ones"
        );
    });
}

#[test]
fn server_returning_with_missing_events_is_used_again() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        standby.promote().await;
        point_at_standby(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "behind");
        point_at_standby(&proxy, primary);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "done");
        assert_eq!(holds(&store).await, 6);
    });
}

/// The other server has at least as many events as this store knows, but other ones.
#[test]
fn failover_during_a_commit_is_noticed() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        standby.promote().await;
        let other = opens(&standby.url()).await;
        for id in ["other_1", "other_2"] {
            bot(&other).proposes(id).await.expect("asked");
        }
        proxy.redirect_to(&standby.socket());
        let cut_done = proxy.cut_at_commit(ConnectionCut::BeforeCommit);
        let (outcome, ()) = join(bot(&store).proposes("call_3"), cut_done).await;
        assert_eq!(code(&outcome), "behind");
        assert_eq!(holds(&other).await, 6);
    });
}

#[test]
fn synchronous_standby_has_all_acknowledged_events() {
    on_a_server(async |primary| {
        let (proxy, store, standby) = with_a_standby(primary).await;
        primary.set("synchronous_standby_names", "*").await;
        let mut follower = follows(&store);
        let mut acknowledged = vec!["call_1".to_owned()];
        for n in 2..=20 {
            let id = format!("call_{n}");
            bot(&store).proposes(&id).await.expect("asked");
            acknowledged.push(id);
        }
        // The call follows the failover at once.
        primary.kill();
        standby.promote().await;
        point_at_standby(&proxy, &standby);
        let after = bot(&store).proposes("call_21").await;
        assert_eq!(code(&after), "done");
        assert_receives(&mut follower, 1, 42).await;
        let restarted = tries(&standby.url()).await.expect("the log opens");
        for id in acknowledged {
            let again = bot(&restarted).proposes(&id).await.expect("asked");
            assert!(again.events.is_empty(), "{id} is in the log");
        }
        assert_eq!(holds(&restarted).await, 42);
    });
}
