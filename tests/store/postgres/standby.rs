//! Servers that take each other's place: a standby is not written to, one that lags is not gone on with
//! unknowingly, and one that has everything is gone on with as if nothing had been.

use super::{bot, follows, hears, holds, on_a_server, opens, refused, tries};
use countersign_store::Store;
use countersign_tests::{Cut, Proxy, code, postgres::Cluster};
use futures_util::future::join;

/// A store behind a proxy, with two events on a primary and on its standby.
async fn with_a_standby(primary: &Cluster) -> (Proxy, Store, Cluster) {
    let proxy = Proxy::before(&primary.socket()).await;
    let store = opens(&proxy.url_as("postgres", "postgres")).await;
    bot(&store).proposes("call_1").await.expect("asked");
    let standby = primary.standby().await;
    standby.catches_up_with(primary).await;
    (proxy, store, standby)
}

/// From now on the standby is where everybody is led to.
fn takes_over(proxy: &Proxy, standby: &Cluster) {
    proxy.turns_to(&standby.socket());
    proxy.cut();
}

#[test]
fn a_standby_is_not_written_to_until_it_is_promoted() {
    on_a_server(async |primary| {
        let (proxy, store, standby) = with_a_standby(primary).await;
        assert_eq!(refused(&standby.url(), "s3cret").await, "standby");
        takes_over(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_2").await), "standby");
        hears(&mut follows(&store), 1, 2).await;
        standby.promote().await;
        assert_eq!(code(&bot(&store).proposes("call_2").await), "done");
        assert_eq!(holds(&store).await, 4);
    });
}

#[test]
fn a_server_that_was_set_to_read_only_says_so() {
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
fn a_standby_that_has_everything_is_gone_on_with() {
    on_a_server(async |primary| {
        let (proxy, store, standby) = with_a_standby(primary).await;
        let mut follower = follows(&store);
        bot(&store).proposes("call_2").await.expect("asked");
        standby.catches_up_with(primary).await;
        primary.kill();
        standby.promote().await;
        takes_over(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "done");
        hears(&mut follower, 1, 6).await;
        assert_eq!(holds(&store).await, 6);
    });
}

/// What it lost has been handed out, and its numbers shall not be given to others behind anybody's back.
#[test]
fn a_standby_that_lags_is_not_written_to_until_somebody_decides_so() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        primary.stop();
        standby.promote().await;
        takes_over(&proxy, &standby);
        for _ in 0..2 {
            assert_eq!(code(&bot(&store).proposes("call_3").await), "behind");
        }
        assert_eq!(standby.psql("SELECT max(seq) FROM events").await.as_deref(), Ok("2"));
        let anew = opens(&standby.url()).await;
        assert_eq!(code(&bot(&anew).proposes("call_3").await), "done", "a process that starts anew goes on");
        assert_eq!(holds(&anew).await, 4);
        assert_eq!(code(&bot(&store).proposes("call_4").await), "behind", "as long as it may, others have");
    });
}

#[test]
fn a_server_that_comes_back_with_what_was_missing_is_gone_on_with() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        standby.promote().await;
        takes_over(&proxy, &standby);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "behind");
        takes_over(&proxy, primary);
        assert_eq!(code(&bot(&store).proposes("call_3").await), "done");
        assert_eq!(holds(&store).await, 6);
    });
}

/// The other server has as many events as this store knows, and more; but not the same.
#[test]
fn a_failover_in_the_middle_of_a_commit_is_no_less_noticed() {
    on_a_server(async |primary| {
        let (proxy, store, mut standby) = with_a_standby(primary).await;
        standby.falls_behind().await;
        bot(&store).proposes("call_2").await.expect("asked");
        standby.promote().await;
        let other = opens(&standby.url()).await;
        for id in ["other_1", "other_2"] {
            bot(&other).proposes(id).await.expect("asked");
        }
        proxy.turns_to(&standby.socket());
        let struck = proxy.cut_at_commit(Cut::BeforeCommit);
        let (outcome, ()) = join(bot(&store).proposes("call_3"), struck).await;
        assert_eq!(code(&outcome), "behind");
        assert_eq!(holds(&other).await, 6);
    });
}

#[test]
fn a_synchronous_standby_has_all_that_was_acknowledged() {
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
        // At once, without waiting for anything.
        primary.kill();
        standby.promote().await;
        takes_over(&proxy, &standby);
        let after = bot(&store).proposes("call_21").await;
        assert_eq!(code(&after), "done");
        hears(&mut follower, 1, 42).await;
        let anew = tries(&standby.url()).await.expect("it opens");
        for id in acknowledged {
            let again = bot(&anew).proposes(&id).await.expect("asked");
            assert!(again.events.is_empty(), "{id} is there");
        }
        assert_eq!(holds(&anew).await, 42);
    });
}
