//! A network that cuts and stalls connections. A command is acknowledged if and only if it was written once. Followers
//! miss no event and reconnect by themselves.

use super::{
    MESSAGE, PostgresShell, assert_receives, bot, follows, holds, on_a_server, opens,
    options_without_polling, try_open_with,
};
use countersign_store::{Store, StoreError};
use countersign_tests::{ConnectionCut, Proxy, code, postgres::Cluster};
use futures_util::future::join;

/// Returns a proxy in front of the server, a store behind the proxy, and a store with a direct connection.
async fn far_and_near(server: &Cluster) -> (Proxy, Store, Store) {
    let proxy = Proxy::before(&server.socket()).await;
    let far = opens(&proxy.url_as("postgres", "postgres")).await;
    (proxy, far, opens(&server.url()).await)
}

#[test]
fn command_cut_off_before_commit_is_written_once() {
    on_a_server(async |server| is_written_once(server, ConnectionCut::BeforeCommit).await);
}

#[test]
fn command_cut_off_during_commit_is_written_once() {
    on_a_server(async |server| is_written_once(server, ConnectionCut::DuringCommit).await);
}

#[test]
fn command_cut_off_after_commit_is_written_once() {
    on_a_server(async |server| is_written_once(server, ConnectionCut::AfterCommit).await);
}

async fn is_written_once(server: &Cluster, cut: ConnectionCut) {
    let (proxy, far, near) = far_and_near(server).await;
    let mut follower = follows(&near);
    for (round, id) in ["call_1", "call_2", "call_3"].into_iter().enumerate() {
        let cut_done = proxy.cut_at_commit(cut);
        let (outcome, ()) = join(bot(&far).proposes(id), cut_done).await;
        assert_eq!(
            outcome.expect("acknowledged").events.len(),
            2,
            "the outcome contains the events of the command"
        );
        let first = i64::try_from(2 * round + 1).expect("few");
        assert_receives(&mut follower, first, first + 1).await;
    }
    assert_eq!(holds(&far).await, 6);
}

/// A writer that cannot look up the outcome of its commit must report neither success nor failure. The caller can
/// repeat the command safely.
#[test]
fn command_with_unknown_outcome_is_reported_as_such() {
    on_a_server(async |server| {
        let names = ["written", "unwritten"];
        for name in names {
            server.database(name).await;
        }
        let [written, unwritten] = names.map(|name| ends_unknown(server, name));
        let both = join(written(ConnectionCut::AfterCommit), unwritten(ConnectionCut::BeforeCommit));
        let event_counts = Box::pin(both).await;
        assert_eq!(event_counts, (0, 2), "the number of events that the repeated command wrote");
    });
}

fn ends_unknown(server: &Cluster, name: &'static str) -> impl AsyncFnOnce(ConnectionCut) -> usize {
    async move |cut| {
        let proxy = Proxy::before(&server.socket()).await;
        let store = opens(&proxy.url_as("postgres", name)).await;
        proxy.refuse();
        let cut_done = proxy.cut_at_commit(cut);
        let (outcome, ()) = join(bot(&store).proposes("call_1"), cut_done).await;
        assert_eq!(code(&outcome), "lost");
        assert_eq!(code(&bot(&store).proposes("call_2").await), "unreachable");
        proxy.heal();
        let again = bot(&store).proposes("call_1").await.expect("asked");
        assert_eq!(holds(&store).await, 2);
        again.events.len()
    }
}

/// Other writers commit between the cut and the lookup. The writer then continues after their events.
#[test]
fn others_may_write_before_the_cut_off_lookup() {
    on_a_server(async |server| {
        let (proxy, far, near) = far_and_near(server).await;
        bot(&far).proposes("call_1").await.expect("asked");
        proxy.refuse();
        let cut_done = proxy.cut_at_commit(ConnectionCut::AfterCommit);
        let others = async {
            cut_done.await;
            bot(&near).proposes("call_3").await.expect("asked");
            proxy.heal();
        };
        let (outcome, ()) = join(bot(&far).proposes("call_2"), others).await;
        assert_eq!(code(&outcome), "done");
        assert_receives(&mut follows(&far), 1, 6).await;
        bot(&far).proposes("call_4").await.expect("asked");
        assert_eq!(holds(&near).await, 8);
    });
}

#[test]
fn cut_off_follower_misses_nothing() {
    on_a_server(async |server| {
        let (proxy, far, near) = far_and_near(server).await;
        let mut follower = follows(&far);
        for round in 0..5 {
            proxy.refuse();
            proxy.cut();
            proposes_ten(&near, round).await;
            proxy.heal();
            assert_receives(&mut follower, 20 * round + 1, 20 * round + 20).await;
        }
    });
}

#[test]
fn stalled_follower_misses_nothing() {
    on_a_server(async |server| {
        let (proxy, far, near) = far_and_near(server).await;
        let mut follower = follows(&far);
        for round in 0..5 {
            proxy.stall();
            proposes_ten(&near, round).await;
            proxy.heal();
            assert_receives(&mut follower, 20 * round + 1, 20 * round + 20).await;
        }
        bot(&far).proposes("call").await.expect("asked");
        assert_eq!(holds(&near).await, 102);
    });
}

async fn proposes_ten(store: &Store, round: i64) {
    for n in 0..10 {
        bot(store).proposes(&format!("call_{round}_{n}")).await.expect("asked");
    }
}

/// The listener reconnects by itself and reads the missed events. The poll interval of an hour would be too late.
#[test]
fn notifications_resume_after_a_cut_connection() {
    on_a_server(async |server| {
        let (proxy, _, near) = far_and_near(server).await;
        let far = try_open_with(&proxy.url_as("postgres", "postgres"), options_without_polling())
            .await
            .expect("the log opens");
        let mut follower = follows(&far);
        bot(&near).proposes("call_1").await.expect("asked");
        assert_receives(&mut follower, 1, 2).await;
        let before = proxy.taken();
        proxy.cut();
        bot(&near).proposes("call_2").await.expect("asked");
        assert_receives(&mut follower, 3, 4).await;
        bot(&near).proposes("call_3").await.expect("asked");
        assert_receives(&mut follower, 5, 6).await;
        assert!(proxy.taken() > before, "the store opened new connections");
    });
}

/// The server ends a writer's transaction after five seconds of silence.
#[test]
fn stalled_writer_blocks_others_only_for_a_while() {
    on_a_server(async |server| {
        let (proxy, far, near) = far_and_near(server).await;
        let mut connection = PostgresShell::at(&server.url()).await;
        connection.run(&format!("BEGIN; {MESSAGE}")).await;
        let bot_far = bot(&far);
        let others = async {
            PostgresShell::at(&server.url()).await.waits_for_a_writer().await;
            proxy.stall();
            // The server has given the lock to the far writer, and its answer is stalled.
            connection.run("COMMIT").await;
            bot(&near).proposes("call_near").await.expect("asked");
            proxy.heal();
        };
        let (outcome, ()) = join(bot_far.proposes("call_far"), others).await;
        assert_eq!(outcome.map(|done| done.events.len()), Ok::<_, StoreError>(2));
        assert_eq!(holds(&near).await, 5);
    });
}
