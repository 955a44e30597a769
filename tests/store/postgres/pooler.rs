//! A pooler in transaction mode: everything works behind it, except that notifications need a direct address.

use super::{
    ada, assert_receives, bot, follows, holds, on_a_server, options, options_without_polling, try_open_with,
};
use countersign_events::CallState;
use countersign_store::{EventFilter, Store, StoreOptions};
use countersign_tests::{code, postgres::Cluster};
use futures_util::future::join_all;

/// Runs a story with four stores behind a pooler that has three connections.
async fn behind_a_pooler<T>(
    server: &Cluster,
    parameters: &str,
    options: StoreOptions,
    story: impl AsyncFnOnce(Vec<Store>) -> T,
) -> T {
    let pooler = server.pooler(3).await;
    let url = format!("{}?pooler=transaction{parameters}", pooler.url());
    let opened =
        join_all((0..4).map(async |_| try_open_with(&url, options.clone()).await.expect("the log opens")));
    story(opened.await).await
}

/// Returns the parameter with the direct address of the server.
fn direct_address(server: &Cluster) -> String {
    format!("&listen_host={}&listen_port=5432", server.folder().display())
}

#[test]
fn whole_cycle_works_behind_a_pooler() {
    on_a_server(async |server| {
        behind_a_pooler(server, "", options(), async |stores| {
            let cycles = stores.iter().enumerate().map(async |(n, store)| {
                for m in 0..10 {
                    cycle(store, &format!("call_{n}_{m}")).await;
                }
            });
            join_all(cycles).await;
            for store in &stores {
                assert_receives(&mut follows(store), 1, 200).await;
            }
            assert_eq!(holds(&stores[0]).await, 200);
            let page = stores[1].events(&EventFilter::default(), 0, 30).await.expect("the log reads");
            assert_eq!((page.items.len(), page.next), (30, Some(30)));
        })
        .await;
    });
}

async fn cycle(store: &Store, id: &str) {
    // The calls have the same arguments. A remembered approval that is not claimed would move to another cycle's call.
    let (bot, ada) = (bot(store).without_memory(), ada(store).without_memory());
    bot.proposes(id).await.expect("asked");
    ada.allows(id).await.expect("allowed");
    bot.claims(id).await.expect("claimed");
    let done = bot.finishes(id).await.expect("finished");
    assert_eq!(done.call.expect("a call").state(store.clock().now()), CallState::Finished);
}

#[test]
fn followers_behind_a_pooler_poll_for_events() {
    on_a_server(async |server| behind_a_pooler(server, "", options(), assert_followers_receive).await);
}

/// The poll interval is an hour, so the events must arrive by notifications.
#[test]
fn followers_with_a_direct_address_are_notified() {
    on_a_server(async |server| {
        let parameters = direct_address(server);
        behind_a_pooler(server, &parameters, options_without_polling(), assert_followers_receive).await;
    });
}

async fn assert_followers_receive(stores: Vec<Store>) {
    let mut followers: Vec<_> = stores.iter().map(follows).collect();
    for (round, store) in (0..).zip(&stores) {
        bot(store).proposes(&format!("call_{round}")).await.expect("asked");
        for follower in &mut followers {
            assert_receives(follower, 2 * round + 1, 2 * round + 2).await;
        }
    }
}

#[test]
fn restarted_server_behind_a_pooler_is_used_again() {
    on_a_server(async |server| {
        let pooler = server.pooler(3).await;
        let url = format!("{}?pooler=transaction", pooler.url());
        let store = try_open_with(&url, options()).await.expect("the log opens");
        let mut follower = follows(&store);
        bot(&store).proposes("call_1").await.expect("asked");
        server.restart().await;
        // The pooler refuses clients until it has reconnected to the server.
        let mut outcome = bot(&store).proposes("call_2").await;
        while outcome.is_err() {
            assert_eq!(code(&outcome), "unreachable");
            outcome = bot(&store).proposes("call_2").await;
        }
        assert_receives(&mut follower, 1, 4).await;
        assert_eq!(holds(&store).await, 4);
    });
}

/// A `SET` at the start of a transaction takes the snapshot. After it, the isolation level cannot be changed.
#[test]
fn other_default_isolation_behind_a_pooler_is_harmless() {
    on_a_server(async |server| {
        let sql = "ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'";
        server.psql(sql).await.expect("the owner changes the setting");
        behind_a_pooler(server, "", options(), async |stores| {
            join_all(
                stores.iter().enumerate().map(async |(n, store)| cycle(store, &format!("call_{n}")).await),
            )
            .await;
            assert_eq!(holds(&stores[0]).await, 20);
        })
        .await;
    });
}
